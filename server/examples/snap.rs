//! scratch
use browse_server::chromium::{Browser,BrowserOptions,ContextOptions,LaunchOptions,LoadState}; use browse_server::engine::{Engine,RefNumbers,SnapshotOptions};
#[tokio::main(flavor="current_thread")]
async fn main(){
 let launch=LaunchOptions{extra_args:vec!["--host-resolver-rules=MAP * ~NOTFOUND".into()],..Default::default()};
 let b=Browser::launch(BrowserOptions{launch,..Default::default()}).await.unwrap();let c=b.new_context(&ContextOptions::default()).await.unwrap();let p=c.new_page().await.unwrap();
 p.session().call_method::<serde_json::Value>("Emulation.setScriptExecutionDisabled",&serde_json::json!({"value":true})).await.unwrap();
 let e=Engine::new(p.clone(),RefNumbers::default().into(),1);
 for f in std::env::args().skip(2){
 p.navigate(&format!("file:///work/shared/data/pages/{f}.html")).await.unwrap();
 let _=p.wait_for_current(LoadState::Load).await;
 let i=std::env::args().nth(1).unwrap();
 let t=if i=="text"{e.text(None).await.unwrap()}else{e.snapshot(&SnapshotOptions{interactive:i.contains('i'),compact:i.contains('c'),cursor:i.contains('C'),..Default::default()}).await.unwrap().text};
 println!("=== {f} {} chars {} lines",t.len(),t.lines().count());
 if std::env::args().count()==3{println!("{t}");}
 }
 b.close().await;
}
