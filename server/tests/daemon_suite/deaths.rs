//! Sudden ends, with a real browser.

use browse_proto::{metadata, v1};

use super::process::{Place, kill, until};

async fn open_tab(place: &Place) {
    let client = place.client().await;
    let new_tab = client.ask(v1::NewTabRequest { url: None });
    client.browser().new_tab(new_tab).await.unwrap();
}

#[tokio::test]
async fn a_killed_daemon_leaves_nothing() {
    let place = Place::with_browser();
    let daemon = place.spawn(&[]);
    let browser = place.state_with_browser()["browser"]["pid"].as_u64().unwrap();
    open_tab(&place).await;
    let profile = Place::profile(browser);
    assert!(profile.exists());
    kill(u64::from(daemon.child.id()));
    drop(daemon);
    let begun = std::time::Instant::now();
    until("the end of everything", || {
        (place.processes().is_empty() && place.is_gone() && !profile.exists()).then_some(())
    });
    assert!(begun.elapsed().as_secs() < 2, "{:?}", begun.elapsed());
    assert!(!super::process::lives(browser));
    let _next = place.spawn(&[]);
    let client = place.client().await;
    let tabs = || client.ask(v1::ListTabsRequest {});
    let first = client.browser().list_tabs(tabs()).await.unwrap();
    assert!(first.metadata().contains_key(metadata::NOTICE));
    let second = client.browser().list_tabs(tabs()).await.unwrap();
    assert!(!second.metadata().contains_key(metadata::NOTICE), "it is reported once");
    open_tab(&place).await;
}

#[tokio::test]
async fn a_dead_browser_is_started_anew_and_the_daemon_lives() {
    let place = Place::with_browser();
    let mut daemon = place.spawn(&[]);
    let browser = place.state_with_browser()["browser"]["pid"].as_u64().unwrap();
    let profile = Place::profile(browser);
    open_tab(&place).await;
    let client = place.client().await;
    let script = "new Promise(() => {})".to_owned();
    let request = client.ask(v1::JsRequest { expression: script });
    let mut browser_service = client.browser();
    let waiting = tokio::spawn(async move { browser_service.js(request).await.map(|_| ()) });
    while client.status().await.unwrap().calls == 0 {
        tokio::task::yield_now().await;
    }
    kill(browser);
    let failed = waiting.await.unwrap().unwrap_err();
    assert_eq!(super::process::reason(&failed), "BROWSER_GONE");
    // The signal is not known yet where the pipe's end came first.
    let ends = ["SIGKILL", "pipe", "the browser is gone: it ended"];
    assert!(ends.iter().any(|end| failed.message().contains(end)), "{failed}");
    // The same connection and token, and no word of an error.
    let tabs = || client.ask(v1::ListTabsRequest {});
    let first = client.browser().list_tabs(tabs()).await.unwrap();
    let notice = first.metadata().get(metadata::NOTICE).unwrap().to_str().unwrap();
    assert!(notice.starts_with("BROWSER%5FRESTARTED"), "{notice}");
    assert_eq!(first.get_ref().tabs.len(), 1);
    let second = client.browser().list_tabs(tabs()).await.unwrap();
    assert!(!second.metadata().contains_key(metadata::NOTICE), "it is reported once");
    let goto = || client.ask(v1::GotoRequest { url: "about:blank".to_owned(), wait: 0 });
    client.browser().goto(goto()).await.unwrap();
    assert!(daemon.lives());
    let next = until("the next browser", || {
        let next = place.state_with_browser()["browser"]["pid"].as_u64().unwrap();
        (next != browser).then_some(next)
    });
    until("the end of the profile", || (!profile.exists()).then_some(()));
    // Right after the kill, before anybody can have noticed.
    kill(next);
    let went = client.browser().goto(goto()).await.unwrap();
    assert!(went.metadata().contains_key(metadata::NOTICE));
    client.stop().await;
    assert!(daemon.end().success());
}
