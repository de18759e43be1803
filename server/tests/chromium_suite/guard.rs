//! Restricted contexts: nothing reaches a host that the rules do not name.

use browse_chromium::{
    BrowserContext, ContextOptions, Error, Event, LoadState, MouseButton, MouseEvent,
    MouseEventKind, Navigated, Page, RequestState, await_all,
};
use browse_net::HostRules;
use serde_json::json;
use std::sync::Arc;

use crate::support::browser::{Fixture, goto, js, options, soon};
use crate::support::site::Site;

/// A context that may visit `127.0.0.1` on the site's port, and a tab in it.
async fn restricted(fixture: &Fixture, site: &Site) -> (BrowserContext, Arc<Page>) {
    let rules = HostRules::parse(&[format!("127.0.0.1:{}", site.port())]).unwrap();
    let options = ContextOptions { hosts: Some(rules), ..Default::default() };
    let context = fixture.browser.new_context(&options).await.unwrap();
    let page = context.new_page().await.unwrap();
    (context, page)
}

/// Requests that came in under the forbidden name.
fn escaped(site: &Site) -> Vec<String> {
    site.hits().into_iter().filter(|hit| hit.contains("localhost")).collect()
}

async fn wait_denied(fixture: &Fixture, part: &str) {
    soon(fixture.recorder.wait_for(|event| match event {
        Event::DocumentDenied(_, denied) => denied.url.contains(part).then_some(()),
        _ => None,
    }))
    .await;
}

#[tokio::test]
async fn allowed_hosts_work_as_ever() {
    let site = Site::start().await.page("/", "<title>in</title><script src='/s.js'></script>");
    let fixture = Fixture::start().await;
    let (_context, page) = restricted(&fixture, &site).await;
    goto(&page, &site.url("/")).await;
    assert_eq!(js(&page, "document.title").await, "in");
    assert_eq!(js(&page, "fetch('/x').then(r => r.status)").await, 404);
    soon(site.wait_hit("/s.js")).await;
}

#[tokio::test]
async fn every_way_to_navigate_is_stopped() {
    let site =
        Site::start().await.redirect("/redirect", "http://localhost:{port}/by-redirect").page(
            "/",
            "<style>a{display:block;height:30px}*{margin:0}</style>
            <a href='http://localhost:{port}/by-link'>link</a>
            <a href='http://localhost:{port}/by-blank' target=_blank>blank</a>
            <form action='http://localhost:{port}/by-form' method=post></form>",
        );
    let fixture = Fixture::start().await;
    let (context, page) = restricted(&fixture, &site).await;
    goto(&page, &site.url("/")).await;
    for path in ["/by-goto", "/redirect"] {
        let host = if path == "/redirect" { "127.0.0.1" } else { "localhost" };
        let denied = soon(page.navigate(&site.url_on(host, path))).await;
        assert!(matches!(denied, Err(Error::HostDenied { .. })), "{denied:?}");
    }
    let port = site.port();
    let away = |path: &str| format!("http://localhost:{port}{path}");
    for (script, path) in [
        ("location = URL", "/by-location"),
        ("location.replace(URL)", "/by-replace"),
        ("document.forms[0].submit()", "/by-form"),
        ("window.open(URL)", "/by-open"),
        (
            "document.body.append(Object.assign(document.createElement('iframe'), {src: URL}))",
            "/by-frame",
        ),
        (
            "document.head.innerHTML += `<meta http-equiv=refresh content='0;url=${URL}'>`",
            "/by-refresh",
        ),
        ("Object.assign(document.createElement('a'), {href: URL}).click()", "/by-script-link"),
    ] {
        let script = script.replace("URL", &format!("'{}'", away(path)));
        let script = script.replace("${'", "").replace("'}'", "'");
        js(&page, &format!("void ({script})")).await;
        wait_denied(&fixture, path).await;
    }
    for (y, button, modifiers, path) in [
        (15.0, MouseButton::Left, 0, "/by-link"),
        (15.0, MouseButton::Left, 2, "/by-link"),
        (15.0, MouseButton::Left, 8, "/by-link"),
        (15.0, MouseButton::Middle, 0, "/by-link"),
        (45.0, MouseButton::Left, 0, "/by-blank"),
    ] {
        let denied = |event: &Event| matches!(event, Event::DocumentDenied(_, denied) if denied.url.contains(path));
        let before = fixture.recorder.all(|event| denied(event).then_some(())).len();
        let at = |kind| MouseEvent { kind, x: 10.0, y, modifiers };
        await_all(vec![
            page.send_mouse_event(at(MouseEventKind::Press { button, count: 1 })),
            page.send_mouse_event(at(MouseEventKind::Release { button, count: 1 })),
        ])
        .await
        .unwrap();
        soon(
            fixture
                .recorder
                .wait_until(|events| events.iter().filter(|event| denied(event)).count() > before),
        )
        .await;
    }
    assert_eq!(js(&page, "location.pathname").await, "/", "the page stays where it is");
    assert!(!context.pages().is_empty());
    assert_eq!(escaped(&site), Vec::<String>::new());
}

#[tokio::test]
async fn a_page_that_leaves_for_a_forbidden_host_while_it_loads_is_denied_at_once() {
    // What hangs keeps it from being loaded.
    let rest = "<img src=/hang><script src=/hang async></script>";
    let away = "http://localhost:{port}/away";
    let leaving = [
        format!("<script>location = '{away}'</script>{rest}"),
        format!("{rest}<script>setTimeout(() => location.replace('{away}'))</script>"),
        format!("<form action='{away}'></form>{rest}<script>document.forms[0].submit()</script>"),
        format!(
            "{rest}<script>addEventListener('DOMContentLoaded', () => {{ location = '{away}' }})</script>"
        ),
        format!("<script>history.pushState(1, '', '?1'); location = '{away}'</script>{rest}"),
    ];
    let fixture = Fixture::start().await;
    for html in leaving {
        let site = Site::start().await.page("/", &html).hang("/hang");
        let (_context, page) = restricted(&fixture, &site).await;
        let outcome = soon(async {
            match page.navigate(&site.url("/")).await? {
                Navigated::Document(loader) => page.wait_for(&loader, LoadState::Load).await,
                other => panic!("{other:?}"),
            }
        });
        let outcome = outcome.await;
        assert!(matches!(outcome, Err(Error::HostDenied { .. })), "{html}: {outcome:?}");
        assert_eq!(escaped(&site), Vec::<String>::new());
    }
}

/// Tries everything that is not a document towards `localhost`.
async fn reach_out(page: &Page, site: &Site) -> serde_json::Value {
    let script = r#"(async () => {
        const away = 'http://localhost:PORT';
        const fails = promise => promise.then(() => 'reached', () => 'failed');
        const event = (target, ok, bad) => new Promise(done => {
            target[ok] = () => done('reached'); target[bad] = () => done('failed');
        });
        const image = new Image(); image.src = away + '/image';
        const socket = new WebSocket('ws://localhost:PORT/socket');
        const events = new EventSource(away + '/events');
        const worker = URL.createObjectURL(new Blob([
            `fetch('${away}/worker', {mode: 'no-cors'}).then(() => postMessage('reached'), () => postMessage('failed'))`]));
        const answer = new Promise(done => { new Worker(worker).onmessage = e => done(e.data) });
        navigator.sendBeacon(away + '/beacon', 'x');
        document.body.insertAdjacentHTML('beforeend', `<link rel=prefetch href='${away}/prefetch'>
            <link rel=stylesheet href='${away}/style'><a ping='${away}/ping' href='#'>ping</a>`);
        document.querySelector('a').click();
        return await Promise.all([fails(fetch(away + '/fetch', {mode: 'no-cors'})), answer,
            event(image, 'onload', 'onerror'), event(socket, 'onopen', 'onerror'),
            event(events, 'onopen', 'onerror')]);
    })()"#;
    soon(js(page, &script.replace("PORT", &site.port().to_string()))).await
}

#[tokio::test]
async fn everything_that_is_no_document_is_stopped_by_the_proxy() {
    let site = Site::start().await.page("/", "<body>in");
    let fixture = Fixture::start().await;
    let (_context, page) = restricted(&fixture, &site).await;
    goto(&page, &site.url("/")).await;
    assert_eq!(reach_out(&page, &site).await, json!(vec!["failed"; 5]));
    let metadata = "fetch('http://169.254.169.254/', {mode: 'no-cors'}).then(() => 1, () => 0)";
    assert_eq!(soon(js(&page, metadata)).await, 0);
    assert_eq!(escaped(&site), Vec::<String>::new());
    // The same without a restriction does get out, so the probe is a probe.
    fixture.goto(&site.url("/")).await;
    reach_out(&fixture.page, &site).await;
    for path in ["/image", "/socket", "/events", "/worker", "/beacon", "/style", "/ping", "/fetch"]
    {
        soon(site.wait_hit(path)).await;
    }
}

#[tokio::test]
async fn a_name_that_leads_to_a_private_place_is_refused_with_a_reason() {
    let site = Site::start().await.page("/", "in");
    let mut options = options();
    let map =
        format!("MAP mapped.example 127.0.0.1:{}, MAP meta.example 169.254.169.254", site.port());
    options.launch.extra_args.push(format!("--host-resolver-rules={map}"));
    let fixture = Fixture::start_with(options).await;
    let rules = HostRules::parse(&["mapped.example", "meta.example", "*"]).unwrap();
    let options = ContextOptions { hosts: Some(rules), ..Default::default() };
    let context = fixture.browser.new_context(&options).await.unwrap();
    let page = context.new_page().await.unwrap();
    goto(&page, "http://mapped.example/").await;
    assert_eq!(site.hits(), ["GET mapped.example /"]);
    let denied = soon(page.navigate("http://meta.example/")).await;
    assert!(
        matches!(&denied, Err(Error::HostDenied { reason, .. }) if reason.contains("metadata")),
        "{denied:?}"
    );
}

#[tokio::test]
async fn metadata_and_files_are_refused_for_everybody() {
    let site = Site::start().await.redirect("/hop", "http://169.254.169.254/latest/");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, "<title>file</title>").unwrap();
    let file = format!("file://{}", file.display());
    let fixture = Fixture::start().await;
    let page = &fixture.page;
    for url in [
        "http://169.254.169.254/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://0251.0376.0251.0376/",
        "http://metadata.google.internal./",
        &site.url("/hop"),
        &file,
    ] {
        let denied = soon(page.navigate(url)).await;
        assert!(matches!(denied, Err(Error::HostDenied { .. })), "{url}: {denied:?}");
        assert_eq!(page.last_denied().is_some(), true);
    }
    // No subresource gets there either: refused by name, not tried in vain.
    for url in ["http://169.254.169.254/", "http://0xa9fea9fe/", "http://metadata.google.internal/"]
    {
        fixture.js(&format!("fetch('{url}', {{mode: 'no-cors'}}).catch(() => 0)")).await;
        let failed = soon(fixture.recorder.wait_for(|event| match event {
            Event::Network(_, request) if request.kind == "Fetch" => match &request.state {
                RequestState::Failed(error) => Some(error.clone()),
                _ => None,
            },
            _ => None,
        }));
        assert_eq!(failed.await, "net::ERR_NAME_NOT_RESOLVED", "{url}");
    }
    page.allow_file(&file);
    fixture.goto(&file).await;
    assert_eq!(fixture.js("document.title").await, "file");
    soon(page.reload()).await.unwrap();
}

/// The proxy asks for credentials at the first request, which need not be a document.
#[tokio::test]
async fn the_first_request_of_a_context_may_be_of_any_kind() {
    let site = Site::start().await.page("/", "in");
    let fixture = Fixture::start().await;
    for script in [
        "fetch('URL/x', {mode: 'no-cors'}).then(() => 'reached', String)",
        "new Promise(done => { const image = new Image(); image.onload = image.onerror = () => done('reached');
            image.src = 'URL/x' })",
        "new Promise(done => { const events = new EventSource('URL/x'); events.onerror = () => done('reached') })",
        "new Promise(done => { const socket = new WebSocket('ws://' + 'URL/x'.slice(7)); socket.onerror = () => done('reached') })",
        "new Promise(done => new Worker(URL.createObjectURL(new Blob([
            `fetch('URL/x', {mode: 'no-cors'}).then(() => postMessage('reached'), e => postMessage(String(e)))`])))
            .onmessage = e => done(e.data))",
    ] {
        let (_context, page) = restricted(&fixture, &site).await;
        let before = site.hits().len();
        let script = script.replace("'URL", &format!("'{}", site.url("")));
        let reached = soon(js(&page, &script)).await;
        println!("{reached} {} {script}", site.hits().len() - before);
        assert_eq!(site.hits().len(), before + 1, "{reached} {script}");
    }
}

#[tokio::test]
async fn disposing_a_context_ends_its_tabs_and_its_proxy() {
    let site = Site::start().await.page("/", "in");
    let fixture = Fixture::start().await;
    let (context, page) = restricted(&fixture, &site).await;
    goto(&page, &site.url("/")).await;
    soon(page.wait_for_current(LoadState::Load)).await.unwrap();
    soon(context.dispose()).await.unwrap();
    soon(async {
        while !page.is_closed() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn free_tabs_are_not_disturbed_by_restricted_ones() {
    let frames: String = (0..30)
        .map(|n| {
            format!(
                "<iframe src='http://{}:{{port}}/f'></iframe>",
                ["127.0.0.1", "localhost"][n % 2]
            )
        })
        .collect();
    let site = Site::start()
        .await
        .page("/", &frames)
        .page("/f", "<iframe src='/g'></iframe>")
        .page("/g", "<p>deep");
    let fixture = Fixture::start().await;
    let (_context, restricted) = restricted(&fixture, &site).await;
    fixture.goto(&site.url("/")).await;
    assert_eq!(fixture.page.frames().len(), 61);
    assert!(fixture.page.frames().iter().skip(1).all(|frame| frame.url.starts_with("http")));
    let denied = |event: &Event| matches!(event, Event::DocumentDenied(..)).then_some(());
    assert_eq!(fixture.recorder.all(denied).len(), 0);
    // The same page in the restricted tab has only its own half.
    goto(&restricted, &site.url("/")).await;
    soon(fixture.recorder.wait_until(|events| events.iter().filter_map(denied).count() == 15))
        .await;
}
