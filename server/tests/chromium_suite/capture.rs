//! What is reported, what is photographed, and what waits to be leased.

use std::sync::Arc;
use std::time::Duration;

use browse_chromium::{
    BrowserOptions, CaptureArea, ConsoleEntry, ContextOptions, DownloadState, Error, Event,
    ImageFormat, ObservedRequest, RequestState, SpareOptions, Viewport,
};
use browse_net::HostRules;

use crate::support::browser::{Fixture, goto, js, soon};
use crate::support::site::{Route, Site};

fn console(fixture: &Fixture) -> Vec<ConsoleEntry> {
    fixture.recorder.all(|event| match event {
        Event::Console(_, entry) => Some(entry.clone()),
        _ => None,
    })
}

async fn wait_console(fixture: &Fixture, text: &str) -> ConsoleEntry {
    soon(fixture.recorder.wait_for(|event| match event {
        Event::Console(_, entry) if entry.text.contains(text) => Some(entry.clone()),
        _ => None,
    }))
    .await
}

#[tokio::test]
async fn console_lines_and_exceptions_are_reported() {
    let html = "<script>\nconsole.log('hello', 7, null, {a: 1}, [2]);\nconsole.error('bad');
        \nsetTimeout(() => { throw new Error('uncaught') });</script>";
    let site = Site::start().await.page("/", html);
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let entry = wait_console(&fixture, "uncaught").await;
    assert_eq!(entry.kind, "exception");
    assert!(entry.text.contains("Error: uncaught"), "{}", entry.text);
    let entries = console(&fixture);
    assert_eq!(entries[0].text, "hello 7 null Object Array(1)");
    assert_eq!(entries[0].location, Some((site.url("/"), 2)));
    assert_eq!((entries[1].kind.as_str(), entries[1].text.as_str()), ("error", "bad"));
}

#[tokio::test]
async fn a_flood_is_cut_and_said_to_be() {
    let fixture = Fixture::start().await;
    fixture.js("for (let i = 0; i < 20000; i++) console.log('line', i)").await;
    let entry = wait_console(&fixture, "not kept").await;
    assert_eq!(entry.kind, "dropped");
    // What V8 kept meanwhile comes when the valve opens again, each line once.
    wait_console(&fixture, "line 19999").await;
    fixture.js("console.log('afterwards')").await;
    wait_console(&fixture, "afterwards").await;
    let entries = console(&fixture).into_iter().filter(|entry| entry.kind != "dropped");
    let mut lines: Vec<String> = entries.map(|entry| entry.text).collect();
    // How many depends on how quickly the page writes them.
    assert!(lines.len() < 20_001, "{}", lines.len());
    let all = lines.len();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), all, "some lines came twice");
}

#[tokio::test]
async fn requests_are_reported_without_headers() {
    let site = Site::start()
        .await
        .page("/", "<script src='/old.js'></script><img src='/gone.png'>")
        .redirect("/old.js", "/new.js")
        .route(
            "/new.js",
            Route::Raw(
                200,
                vec!["Content-Type: text/javascript".into(), "Set-Cookie: secret=1".into()],
                b"1".to_vec(),
            ),
        );
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let unreachable =
        "fetch('http://127.0.0.1:1/', {headers: {Authorization: 'secret'}}).catch(() => 0)";
    fixture.js(unreachable).await;
    let over = |event: &Event| match event {
        Event::Network(_, request) if request.state != RequestState::Started => {
            Some((**request).clone())
        }
        _ => None,
    };
    soon(fixture.recorder.wait_until(|events| events.iter().filter_map(over).count() >= 5)).await;
    let ended: Vec<ObservedRequest> = fixture.recorder.all(over);
    let find = |path: &str| ended.iter().find(|request| request.url.ends_with(path)).unwrap();
    assert_eq!((find("/old.js").status, find("/new.js").status), (Some(302), Some(200)));
    assert_eq!(find("/new.js").mime_type.as_deref(), Some("text/javascript"));
    assert_eq!((find("/gone.png").status, find("/gone.png").kind.as_str()), (Some(404), "Image"));
    assert!(find("/new.js").duration.unwrap() >= 0.0 && find("/new.js").size > 0);
    assert!(matches!(&find(":1/").state, RequestState::Failed(error) if !error.is_empty()));
    assert!(!format!("{ended:?}").contains("secret"));
}

#[tokio::test]
async fn downloads_land_in_the_profile() {
    let headers = vec!["Content-Disposition: attachment; filename=\"../../report.txt\"".to_owned()];
    let site = Site::start().await.route("/file", Route::Raw(200, headers, b"content".to_vec()));
    let fixture = Fixture::start().await;
    let navigated = soon(fixture.page.navigate(&site.url("/file"))).await.unwrap();
    assert_eq!(navigated, browse_chromium::Navigated::Download);
    let download = soon(fixture.recorder.wait_for(|event| match event {
        Event::Download(download) if download.state == DownloadState::Completed => {
            Some(download.clone())
        }
        _ => None,
    }))
    .await;
    assert_eq!(download.tab.as_ref(), Some(fixture.page.target_id()));
    assert!(download.path.starts_with(&fixture.browser.info().downloads));
    assert_eq!(std::fs::read(&download.path).unwrap(), b"content");
    assert!(!download.suggested_name.contains('/'), "{}", download.suggested_name);
}

/// Width and height of a PNG.
fn size_of(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[1..4], b"PNG");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[tokio::test]
async fn screenshots_have_the_size_that_was_asked_for() {
    let html =
        "<body style='margin:0'><div style='height:3000px;background:linear-gradient(red,blue)'>";
    let site = Site::start().await.page("/", html);
    let fixture = Fixture::start().await;
    let page = &fixture.page;
    fixture.goto(&site.url("/")).await;
    let png = |area| async move {
        size_of(&page.screenshot(area, ImageFormat::Png).await.unwrap().bytes)
    };
    assert_eq!(png(CaptureArea::Viewport).await, (1280, 720));
    assert_eq!(png(CaptureArea::FullPage).await, (1280, 3000));
    let clip = CaptureArea::Clip { x: 10.0, y: 2000.0, width: 30.0, height: 40.0 };
    assert_eq!(png(clip).await, (30, 40));
    page.set_viewport(Viewport { width: 400, height: 300, scale: 2.0, mobile: false })
        .await
        .unwrap();
    assert_eq!(png(CaptureArea::Viewport).await, (800, 600));
    assert_eq!(png(CaptureArea::FullPage).await, (800, 6000));
    let jpeg = page.screenshot(CaptureArea::Viewport, ImageFormat::Jpeg(50)).await.unwrap();
    assert_eq!(jpeg.bytes[..2], [0xff, 0xd8]);
    fixture.js("document.querySelector('div').style.height = '60000px'").await;
    let webp = page.screenshot(CaptureArea::FullPage, ImageFormat::Webp(50)).await;
    assert!(matches!(webp, Err(Error::ImageTooLarge { limit: 16_000, .. })), "{webp:?}");
    let cut = page.screenshot(CaptureArea::FullPage, ImageFormat::Jpeg(10)).await.unwrap();
    assert_eq!(cut.full_height, Some(60000.0));
}

#[tokio::test]
async fn background_tabs_are_photographed_in_both_flavours() {
    let site = Site::start().await.page("/", "opener").page("/popup", "popup");
    for fixture in [Fixture::start().await, Fixture::start_full().await] {
        fixture.goto(&site.url("/")).await;
        fixture.js("void open('/popup')").await;
        let popup = soon(fixture.recorder.wait_for(|event| match event {
            Event::PageOpened(page) if page.opener().is_some() => Some(Arc::clone(page)),
            _ => None,
        }))
        .await;
        let other = fixture.context.new_page().await.unwrap();
        for page in [&fixture.page, &popup, &other, &fixture.page] {
            let shot =
                soon(page.screenshot(CaptureArea::Viewport, ImageFormat::Png)).await.unwrap();
            assert_eq!(size_of(&shot.bytes), (1280, 720));
        }
    }
}

#[tokio::test]
async fn a_leased_spare_is_fresh_and_keeps_its_rules() {
    let site = Site::start().await.page("/", "<title>here</title>");
    let spare_options = SpareOptions { unrestricted: true, restricted: true };
    let fixture = Fixture::start_with(BrowserOptions { spare_options, ..Default::default() }).await;
    // The one tab is the fixture's; spares are not to be seen.
    assert_eq!(fixture.browser.pages().len(), 1);
    let rules = HostRules::parse(&["127.0.0.1"]).unwrap();
    let restricted = ContextOptions { hosts: Some(rules), ..Default::default() };
    for round in 0..3 {
        for options in [ContextOptions::default(), restricted.clone()] {
            let (context, page) = soon(fixture.browser.lease(&options)).await.unwrap();
            assert_eq!(context.pages().len(), 1);
            goto(&page, &site.url("/")).await;
            assert_eq!(js(&page, "document.title + document.cookie").await, "here");
            js(&page, "void (document.cookie = 'mine=1')").await;
            let away = page.navigate(&site.url_on("localhost", "/")).await;
            assert_eq!(away.is_err(), options.hosts.is_some(), "round {round}: {away:?}");
        }
    }
}

#[tokio::test]
async fn a_read_after_an_action_does_not_wait_for_a_dead_server() {
    let site = Site::start().await.page("/", "<a href='/hang'>away</a>").hang("/hang");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    fixture.js("document.querySelector('a').click()").await;
    soon(site.wait_hit("/hang")).await;
    let frame = fixture.page.main_frame();
    let read = frame.session.call_method::<serde_json::Value>(
        "Runtime.evaluate",
        &serde_json::json!({ "expression": "1" }),
    );
    let refused = soon(fixture.page.await_unless_pending(read, Duration::from_millis(30))).await;
    assert!(matches!(refused, Err(Error::NavigationPending { .. })), "{refused:?}");
    // What a person would do works meanwhile.
    soon(fixture.page.screenshot(CaptureArea::Viewport, ImageFormat::Png)).await.unwrap();
    fixture.page.stop_loading().await.unwrap();
    assert_eq!(fixture.js("location.pathname").await, "/");
}
