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
    open_tab(&place).await;
}

#[tokio::test]
async fn a_dead_browser_ends_the_daemon_and_the_next_one_says_so() {
    let place = Place::with_browser();
    let mut daemon = place.spawn(&[]);
    let browser = place.state_with_browser()["browser"]["pid"].as_u64().unwrap();
    open_tab(&place).await;
    let client = place.client().await;
    let script = "new Promise(() => {})".to_owned();
    let request = client.ask(v1::JsRequest { expression: script });
    let mut browser_service = client.browser();
    let waiting = tokio::spawn(async move { browser_service.js(request).await.map(|_| ()) });
    // A call that comes later finds a daemon that takes none any more.
    while client.status().await.unwrap().calls == 0 {
        tokio::task::yield_now().await;
    }
    kill(browser);
    let failed = waiting.await.unwrap().unwrap_err();
    assert_eq!(super::process::reason(&failed), "BROWSER_GONE");
    assert!(daemon.end().success());
    let _next = place.spawn(&[]);
    let client = place.client().await;
    let tabs = || client.ask(v1::ListTabsRequest {});
    let first = client.browser().list_tabs(tabs()).await.unwrap();
    assert!(first.metadata().contains_key(metadata::NOTICE));
    let second = client.browser().list_tabs(tabs()).await.unwrap();
    assert!(!second.metadata().contains_key(metadata::NOTICE), "it is told once");
}
