//! Deadlines, hung pages, ended tokens.

use std::time::{Duration, Instant};

use browse_policy::{ClientId, Scopes};
use browse_proto::{Scope, v1};
use futures::StreamExt as _;

use super::{
    process::{reason, until},
    world::{World, by, within},
};

const LIMIT: Duration = Duration::from_millis(400);

/// A deadline, and what a busy machine may add. How fast it is, benchmarks say.
const END: Duration = Duration::from_millis(2400);

const LOOP: &str = "<button onclick='while (true) {}'>loop</button><p>text</p>";

fn click() -> v1::ClickRequest {
    v1::ClickRequest { target: "text=loop".to_owned(), ..v1::ClickRequest::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hung_page_ends_calls_by_their_deadline_and_is_kept_apart() {
    let world = World::with_browser().await;
    world.load(LOOP).await;
    let begun = Instant::now();
    // Long enough for the page to get the click.
    let limit = 4 * LIMIT;
    let clicked = world.browser().click(within(limit, world.root(click()))).await;
    assert!(begun.elapsed() < limit + END, "{:?}", begun.elapsed());
    assert_eq!(reason(&clicked.unwrap_err()), "OUTCOME_UNKNOWN");
    let begun = Instant::now();
    let text = || world.root(v1::TextRequest { target: None });
    assert_eq!(reason(&world.browser().text(text()).await.unwrap_err()), "TAB_HUNG");
    assert!(begun.elapsed() < END, "{:?}", begun.elapsed());
    let tabs = world.browser().list_tabs(world.root(v1::ListTabsRequest {})).await.unwrap();
    assert_eq!(tabs.get_ref().tabs[0].state, "hung");
    let goto = v1::GotoRequest { url: "about:blank".to_owned(), wait: 0 };
    world.browser().goto(world.root(goto)).await.unwrap();
    let end = Instant::now() + Duration::from_secs(5);
    while let Err(error) = world.browser().text(text()).await {
        assert!(reason(&error) == "TAB_HUNG" && Instant::now() < end, "{error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_after_one_that_was_given_up_waits_for_the_sign_of_life() {
    let world = World::with_browser().await;
    world.load("<p>text</p>").await;
    let never = || v1::EvalRequest { code: "new Promise(() => {})".to_owned() };
    for _ in 0..20 {
        let limit = Duration::from_millis(60);
        assert!(world.browser().eval(within(limit, world.root(never()))).await.is_err());
        world.browser().text(world.root(v1::TextRequest { target: None })).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_control_plane_answers_while_the_page_hangs() {
    let world = World::with_browser().await;
    world.load(LOOP).await;
    let _ = world.browser().click(within(LIMIT, world.root(click()))).await;
    let mut times = Vec::new();
    for _ in 0..20 {
        let begun = Instant::now();
        world.control().status(world.root(v1::StatusRequest {})).await.unwrap();
        world.browser().list_tabs(world.root(v1::ListTabsRequest {})).await.unwrap();
        times.push(begun.elapsed());
    }
    let begun = Instant::now();
    world.browser().close_tab(world.root(v1::CloseTabRequest { id: None })).await.unwrap();
    times.push(begun.elapsed());
    times.sort();
    assert!(times[10] < LIMIT, "{times:?}");
    assert!(times[20] < END, "{times:?}");
}

#[tokio::test]
async fn waiting_for_the_browser_has_a_deadline() {
    let world = World::new().await;
    let begun = Instant::now();
    let text = within(LIMIT, world.root(v1::TextRequest { target: None }));
    let late = world.browser().text(text).await.unwrap_err();
    assert_eq!(reason(&late), "DEADLINE_EXCEEDED");
    assert!(late.message().contains("400 ms"), "{late}");
    assert!((LIMIT..END).contains(&begun.elapsed()), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn concurrent_first_calls_share_the_first_tab() {
    let world = World::with_browser().await;
    let texts = (0..20).map(|_| {
        let mut browser = world.browser();
        let request = world.root(v1::TextRequest { target: None });
        async move { browser.text(request).await }
    });
    for answer in futures::future::join_all(texts).await {
        answer.unwrap();
    }
    assert_eq!(world.daemon.sessions().tabs().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_and_a_call_in_flight_end_with_their_token() {
    let world = World::new().await;
    let token = world.mint("ada", Scopes::of(&[Scope::Meta, Scope::Read]));
    let follow = by(token.token(), v1::ActivityRequest { follow: true });
    let mut follow = world.control().activity(follow).await.unwrap().into_inner();
    let mut browser = world.browser();
    let request = by(token.token(), v1::TextRequest { target: None });
    let text = tokio::spawn(async move { browser.text(request).await });
    until("the call", || (world.daemon.calls() == 2).then_some(()));
    let begun = Instant::now();
    assert!(world.daemon.authority().revoke(&ClientId::new("ada").unwrap()));
    assert_eq!(reason(&text.await.unwrap().unwrap_err()), "TOKEN_REVOKED");
    let last = loop {
        match follow.next().await {
            Some(Ok(_)) => {}
            other => break other,
        }
    };
    assert_eq!(reason(&last.unwrap().unwrap_err()), "TOKEN_REVOKED");
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_used_by_calls_in_it_and_not_by_those_who_watch() {
    let world = World::new().await;
    let session = world.daemon.sessions().get("default").unwrap();
    let token = world.mint("ada", Scopes::of(&[Scope::Meta, Scope::Read]));
    let follow = by(token.token(), v1::ActivityRequest { follow: true });
    let _watching = world.control().activity(follow).await.unwrap().into_inner();
    assert!(world.daemon.calls() == 1 && !session.idle_time().is_zero());
    let mut browser = world.browser();
    let request = by(token.token(), v1::TextRequest { target: None });
    let text = tokio::spawn(async move { browser.text(request).await });
    until("the call", || session.idle_time().is_zero().then_some(()));
    assert!(world.daemon.authority().revoke(&ClientId::new("ada").unwrap()));
    assert_eq!(reason(&text.await.unwrap().unwrap_err()), "TOKEN_REVOKED");
    assert!(!session.idle_time().is_zero(), "it has ended");
}

#[tokio::test]
async fn callers_other_than_root_see_their_own_calls() {
    let world = World::new().await;
    let token = world.mint("ada", Scopes::of(&[Scope::Meta, Scope::Read]));
    world.control().status(world.root(v1::StatusRequest {})).await.unwrap();
    world.control().version(by(token.token(), v1::VersionRequest {})).await.unwrap();
    let rows = async |request| {
        let stream = world.control().activity(request).await.unwrap().into_inner();
        let rows = stream.map(|row| row.unwrap().entry.unwrap());
        rows.map(|row| (row.client, row.command)).collect::<Vec<_>>().await
    };
    let own = rows(by(token.token(), v1::ActivityRequest { follow: false })).await;
    assert_eq!(own, [("ada".to_owned(), "version".to_owned())]);
    let all = rows(world.root(v1::ActivityRequest { follow: false })).await;
    assert_eq!(all.len(), 3, "{all:?}");
}

#[tokio::test]
async fn a_message_that_is_too_large_is_refused_by_its_reason() {
    let world = World::new().await;
    let expression = "x".repeat(65 << 20);
    let refused = world.browser().js(world.root(v1::JsRequest { expression })).await;
    assert_eq!(reason(&refused.unwrap_err()), "TOO_LARGE");
    world.control().status(world.root(v1::StatusRequest {})).await.unwrap();
}
