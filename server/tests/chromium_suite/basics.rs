//! Launch, tabs, worlds, navigation and input: the shortest way through each.

use browse_chromium::{
    BrowserOptions, DialogPolicy, Error, KeyCombination, LoadState, MouseButton, MouseEvent,
    MouseEventKind, Navigated, Page, ScriptArgument, await_all,
};
use serde_json::{Value, json};

use crate::support::browser::{ENGINE, Fixture, js, options, soon};
use crate::support::site::{Route, Site};

#[tokio::test]
async fn a_page_is_loaded_and_read() {
    let site = Site::start().await.page("/", "<title>Hello</title><p>one</p>");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/#part")).await;
    assert_eq!(fixture.page.url(), site.url("/#part"));
    let response = fixture.page.main_response().unwrap();
    assert_eq!((response.status, response.mime_type.as_str()), (200, "text/html"));
    assert_eq!(response.remote_address.as_deref(), Some("127.0.0.1"));
    assert_eq!(fixture.js("document.title").await, "Hello");
    assert_eq!(fixture.js("undefined").await, Value::Null);
    assert_eq!(fixture.page.title().await.unwrap(), "Hello");
    fixture.js("document.title = 'Bye'").await;
    assert_eq!(fixture.browser.titles().await.unwrap()[fixture.page.target_id()], "Bye");
    fixture.js("document.title = ''").await;
    assert_eq!(fixture.page.title().await.unwrap(), "");
}

#[tokio::test]
async fn the_engine_is_injected_once_per_document_and_apart_from_the_page() {
    let site = Site::start().await.page("/", "<p>one</p>");
    let fixture = Fixture::start().await;
    for _ in 0..2 {
        fixture.goto(&site.url("/")).await;
        let frame = fixture.page.main_frame().id;
        let world = fixture.page.world(&frame, &ENGINE).await.unwrap();
        // All three are written before the first answer is awaited.
        let first = world.evaluate::<u32>("runs");
        let second = world.call::<u32>("(n) => runs + n", &[ScriptArgument::from(10)]);
        let odd = world.call::<String>("() => 'a\\ud83d'", &[]);
        assert_eq!((first.await.unwrap(), second.await.unwrap()), (1, 11));
        assert_eq!(odd.await.unwrap(), "a\u{fffd}");
        assert_eq!(fixture.js("typeof runs").await, "undefined");
        let again = fixture.page.world(&frame, &ENGINE).await.unwrap();
        assert_eq!(again.evaluate::<u32>("runs").await.unwrap(), 1);
    }
}

#[tokio::test]
async fn a_call_into_a_document_that_is_gone_is_stale() {
    let site = Site::start().await.page("/a", "a").page("/b", "b");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url_on("localhost", "/a")).await;
    let frame = fixture.page.main_frame().id;
    let world = fixture.page.world(&frame, &ENGINE).await.unwrap();
    let handle = world.call_handle("() => document.body", &[], "g").await.unwrap().unwrap();
    let name = world.call_on::<String>(&handle, "function () { return this.tagName }", &[]);
    assert_eq!(name.await.unwrap(), "BODY");
    fixture.goto(&site.url("/b")).await;
    let stale = world.evaluate::<u32>("1").await;
    assert!(matches!(stale, Err(Error::StaleContext)), "{stale:?}");
}

#[tokio::test]
async fn a_thrown_error_is_told_apart_from_a_failure() {
    let fixture = Fixture::start().await;
    let frame = fixture.page.main_frame().id;
    let world = fixture.page.world(&frame, &ENGINE).await.unwrap();
    let thrown = world.call::<String>("() => { throw new Error('no luck') }", &[]).await;
    assert!(
        matches!(&thrown, Err(Error::Script { message }) if message.contains("no luck")),
        "{thrown:?}"
    );
    let thrown = world.call::<String>("() => { throw 7 }", &[]).await;
    assert!(
        matches!(&thrown, Err(Error::Script { message }) if message.contains('7')),
        "{thrown:?}"
    );
}

#[tokio::test]
async fn clicks_and_keys_arrive_as_trusted_events() {
    let html = "<style>*{margin:0}</style><input style='width:200px;height:40px' autofocus>
        <script>var seen = []; document.onclick = e => seen.push(e.isTrusted + ' ' + e.detail);
        document.onkeydown = e => seen.push(e.key + ' ' + e.code + ' ' + e.ctrlKey);</script>";
    let site = Site::start().await.page("/", html);
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let at = |kind| MouseEvent { kind, x: 20.0, y: 20.0, modifiers: 0 };
    let button = MouseButton::Left;
    let flight = vec![
        fixture.page.send_mouse_event(at(MouseEventKind::Move { held_buttons: 0 })),
        fixture.page.send_mouse_event(at(MouseEventKind::Press { button, count: 1 })),
        fixture.page.send_mouse_event(at(MouseEventKind::Release { button, count: 1 })),
    ];
    await_all(flight).await.unwrap();
    await_all(fixture.page.type_text("aB é\u{1f600}")).await.unwrap();
    assert_eq!(fixture.js("document.querySelector('input').value").await, "aB é\u{1f600}");
    await_all(fixture.page.press(&KeyCombination::parse("Control+A").unwrap())).await.unwrap();
    await_all(fixture.page.press(&KeyCombination::parse("Backspace").unwrap())).await.unwrap();
    assert_eq!(fixture.js("document.querySelector('input').value").await, "");
    let seen = fixture.js("seen").await;
    assert_eq!(seen[0], "true 1");
    assert!(seen.as_array().unwrap().contains(&json!("A KeyA true")), "{seen}");
}

#[tokio::test]
async fn history_and_same_document_navigations() {
    let site = Site::start().await.page("/a", "<title>a</title>").page("/b", "<title>b</title>");
    let fixture = Fixture::start().await;
    let page = &fixture.page;
    fixture.goto(&site.url("/a")).await;
    assert_eq!(page.navigate(&site.url("/a#x")).await.unwrap(), Navigated::SameDocument);
    fixture.goto(&site.url("/b")).await;
    let Navigated::Document(loader) = soon(page.back()).await.unwrap() else { panic!() };
    soon(page.wait_for(&loader, LoadState::Load)).await.unwrap();
    assert_eq!(page.url(), site.url("/a#x"));
    assert_eq!(soon(page.back()).await.unwrap(), Navigated::SameDocument);
    assert_eq!(page.url(), site.url("/a"));
    soon(page.forward()).await.unwrap();
    soon(page.forward()).await.unwrap();
    assert_eq!(page.url(), site.url("/b"));
    let end = soon(page.forward()).await;
    assert!(matches!(end, Err(Error::HistoryEnd { direction: "later" })), "{end:?}");
    let Navigated::Document(loader) = soon(page.reload()).await.unwrap() else { panic!() };
    soon(page.wait_for(&loader, LoadState::NetworkIdle)).await.unwrap();
    assert_eq!(fixture.js("document.title").await, "b");
}

#[tokio::test]
async fn a_document_from_the_back_forward_cache_has_its_world_again() {
    let site = Site::start().await.page("/", "<title>a</title>").page("/b", "b");
    // The headless shell has no such cache.
    let fixture = Fixture::start_full().await;
    let page = &fixture.page;
    fixture.goto(&site.url("/")).await;
    let frame = page.main_frame().id;
    let world = page.world(&frame, &ENGINE).await.unwrap();
    world.evaluate::<u32>("globalThis.mine = 7").await.unwrap();
    let first = page.loader();
    fixture.goto(&site.url_on("localhost", "/b")).await;
    assert_eq!(soon(page.back()).await.unwrap(), Navigated::Document(first.clone()));
    soon(page.wait_for(&first, LoadState::NetworkIdle)).await.unwrap();
    let again = page.world(&frame, &ENGINE).await.unwrap();
    assert_eq!(again.context(), world.context());
    assert_eq!(again.evaluate::<u32>("mine + runs").await.unwrap(), 8);
    assert_eq!(fixture.js("document.title").await, "a");
}

#[tokio::test]
async fn a_wait_follows_a_document_that_is_replaced_even_when_it_comes_late() {
    let site = Site::start()
        .await
        .page("/", "<script>location.replace('/second')</script>")
        .page("/second", "<meta http-equiv=refresh content='0;url=/third'>")
        .page("/third", "<title>third</title>");
    let fixture = Fixture::start().await;
    let page = &fixture.page;
    let Navigated::Document(first) = page.navigate(&site.url("/")).await.unwrap() else { panic!() };
    soon(site.wait_hit("/third")).await;
    soon(async {
        while page.title().await.unwrap() != "third" {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let shown = soon(page.wait_for(&first, LoadState::Load)).await.unwrap();
    assert_eq!(shown, page.loader());
    assert_eq!(page.url(), site.url("/third"));
}

#[tokio::test]
async fn failures_of_a_navigation_have_names() {
    let site = Site::start().await;
    let fixture = Fixture::start().await;
    let failed = fixture.page.navigate("http://nowhere.invalid/").await;
    let Err(Error::NavigationFailed { error_text, .. }) = failed else { panic!("{failed:?}") };
    assert_eq!(error_text, "net::ERR_NAME_NOT_RESOLVED");
    fixture.goto(&site.url("/missing")).await;
    assert_eq!(fixture.page.main_response().unwrap().status, 404);
}

#[tokio::test]
async fn reads_are_refused_while_a_navigation_waits_for_headers() {
    let site = Site::start().await.page("/", "<title>here</title>").hang("/hang");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let page = fixture.page.clone();
    let hanging = tokio::spawn({
        let (page, url) = (page.clone(), site.url("/hang"));
        async move { page.navigate(&url).await }
    });
    soon(site.wait_hit("/hang")).await;
    let frame = page.main_frame().id;
    let refused = page.world(&frame, &ENGINE).await;
    assert!(matches!(refused, Err(Error::NavigationPending { .. })), "{refused:?}");
    page.stop_loading().await.unwrap();
    let ended = soon(hanging).await.unwrap();
    assert!(matches!(ended, Err(Error::NavigationFailed { .. })), "{ended:?}");
    assert_eq!(fixture.js("document.title").await, "here");
}

#[tokio::test]
async fn a_popup_is_a_page_with_an_opener() {
    let site = Site::start().await.page("/", "here").page("/popup", "<title>popup</title>");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    fixture.js("void open('/popup')").await;
    let popup = soon(fixture.recorder.wait_for(|event| match event {
        browse_chromium::Event::PageOpened(page) => page.opener().is_some().then(|| page.clone()),
        _ => None,
    }))
    .await;
    assert_eq!(popup.opener(), Some(fixture.page.target_id()));
    assert_eq!(popup.context_id(), fixture.context.id());
    soon(popup.wait_for_current(LoadState::Load)).await.unwrap();
    assert_eq!(js(&popup, "document.title").await, "popup");
    fixture.browser.close_page(popup.target_id()).await.unwrap();
    assert_eq!(fixture.context.pages().len(), 1);
    let frame = popup.main_frame().id;
    assert!(matches!(popup.world(&frame, &ENGINE).await, Err(Error::TabClosed)));
}

#[tokio::test]
async fn a_message_above_the_limit_leaves_the_channel_healthy() {
    let fixture = Fixture::start().await;
    let refused = fixture.page.insert_text(&"x".repeat(65 * 1024 * 1024)).await;
    assert!(matches!(refused, Err(Error::TooLarge { .. })), "{refused:?}");
    assert_eq!(fixture.js("1 + 1").await, 2);
}

#[tokio::test]
async fn navigations_that_end_without_a_word_block_nothing() {
    let site = Site::start()
        .await
        .page("/", "<title>here</title>")
        .hang("/hang")
        .route("/nothing", Route::Raw(204, vec![], vec![]))
        .route(
            "/file",
            Route::Raw(200, vec!["Content-Disposition: attachment".into()], b"x".to_vec()),
        );
    let options = BrowserOptions { dialog_policy: DialogPolicy::Accept, ..options() };
    let fixture = Fixture::start_with(options).await;
    fixture.goto(&site.url("/")).await;
    let page = &fixture.page;
    for script in [
        "location = 'mailto:a@example.com'",
        "location = 'unknown-scheme:x'",
        "location = 'javascript:1'",
        "location = 'data:text/html,x'",
        "location = '/nothing'",
        "location = '/file'",
        "location = URL.createObjectURL(new Blob(['x'], {type: 'application/zip'}))",
        "Object.assign(document.createElement('a'), {href: 'data:,x', download: 'x'}).click()",
        "location = '/hang'; setTimeout(() => window.stop(), 20)",
        "location = '#part'",
        "onbeforeunload = e => e.preventDefault(); location = '/nothing'",
    ] {
        let script = format!("void (() => {{ {script} }})()");
        // Refused for as long as it takes to find out, then answered.
        soon(patiently(page, &script)).await;
        assert_eq!(soon(patiently(page, "document.title")).await, "here", "{script}");
    }
}

/// Evaluates as soon as the tab answers.
async fn patiently(page: &Page, expression: &str) -> Value {
    loop {
        let frame = page.main_frame().id;
        match page.evaluate(&frame, expression, Default::default()) {
            Ok(call) => break call.await.unwrap(),
            Err(Error::NavigationPending { .. }) => tokio::task::yield_now().await,
            Err(error) => panic!("{expression}: {error}"),
        }
    }
}

#[tokio::test]
async fn reload_and_back_report_failures_too() {
    let site = Site::start().await.page("/", "one");
    let headers = vec!["Cache-Control: no-store".to_owned(), "Content-Type: text/html".to_owned()];
    let other = Site::start().await.route("/", Route::Raw(200, headers, b"two".to_vec()));
    let fixture = Fixture::start().await;
    let page = &fixture.page;
    fixture.goto(&other.url("/")).await;
    fixture.goto(&site.url("/")).await;
    let gone = other.url("/");
    drop(other);
    let failed = soon(page.back()).await;
    assert!(
        matches!(&failed, Err(Error::NavigationFailed { url, .. }) if *url == gone),
        "{failed:?}"
    );
    let failed = soon(page.reload()).await;
    assert!(
        matches!(&failed, Err(Error::NavigationFailed { error_text, .. }) if error_text.contains("REFUSED")),
        "{failed:?}"
    );
}
