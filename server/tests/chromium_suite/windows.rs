//! Windows that pages open by themselves.

use std::collections::BTreeSet;

use browse_chromium::{Event, MouseButton, MouseEvent, MouseEventKind, WindowRefusal, await_all};

use crate::support::browser::{Fixture, goto, options, soon};
use crate::support::site::Site;

/// Addresses of the windows that were refused so far, by their last part.
fn refused(fixture: &Fixture, why: WindowRefusal) -> BTreeSet<String> {
    let all = fixture.recorder.all(|event| match event {
        Event::WindowRefused(_, window) if window.reason == why => Some(window.url.clone()),
        _ => None,
    });
    all.into_iter().map(|url| url.rsplit('?').next().unwrap_or_default().to_owned()).collect()
}

async fn wait_refused(fixture: &Fixture, part: &str) {
    soon(fixture.recorder.wait_for(|event| match event {
        Event::WindowRefused(_, window) => window.url.ends_with(part).then_some(()),
        _ => None,
    }))
    .await;
}

async fn click(fixture: &Fixture, y: f64) {
    let at = |kind| MouseEvent { kind, x: 10.0, y, modifiers: 0 };
    let button = MouseButton::Left;
    await_all(vec![
        fixture.page.send_mouse_event(at(MouseEventKind::Press { button, count: 1 })),
        fixture.page.send_mouse_event(at(MouseEventKind::Release { button, count: 1 })),
    ])
    .await
    .unwrap();
}

#[tokio::test]
async fn windows_that_no_user_asked_for_never_ask_for_anything() {
    let storm = "<title>storm</title><a target=_blank></a><form target=_blank></form>
        <a id=own target=_blank rel=opener href='/window?own'></a>
        <iframe src='http://localhost:{port}/frame'></iframe><script>
        for (let n = 0; n < 30; n++) open('/window?' + n, '_blank', 'width=99,height=99');
        open('/window?noopener', '_blank', 'noopener'); open('/window?named', 'name');
        const [link, form] = [document.querySelector('a'), document.querySelector('form')];
        link.href = '/window?link'; link.click(); own.click();
        link.href = '/window?control';
        link.dispatchEvent(new MouseEvent('click', { ctrlKey: true, bubbles: true }));
        form.action = '/window?form'; form.method = 'post'; form.submit();
        setTimeout(() => open('/window?later'));
        const empty = open('about:blank'); try { empty.location = '/window?empty'; } catch {}
        </script>";
    let site = Site::start()
        .await
        .page("/", storm)
        .page("/frame", "<script>open('/window?frame')</script>")
        .page("/window", "<script>fetch('/reached')</script>");
    let fixture = Fixture::start().await;
    goto(&fixture.page, &site.url("/")).await;
    for part in
        ["?0", "?29", "?noopener", "?named", "?link", "?own", "?control", "?later", "?frame"]
    {
        wait_refused(&fixture, part).await;
    }
    assert_eq!(fixture.js("document.title").await, "storm", "the opener goes on");
    let asked: Vec<_> = site.hits().into_iter().filter(|hit| hit.contains("window")).collect();
    assert_eq!(asked, Vec::<String>::new());
    assert_eq!(fixture.context.pages().len(), 1);
}

#[tokio::test]
async fn windows_that_a_click_or_a_script_of_ours_asked_for_open() {
    let page = "<style>*{margin:0}button{display:block;height:30px}</style>
        <button onclick=\"window.open('/click')\">a</button>
        <button onclick=\"fetch('/').then(answer => answer.text()).then(() => window.open('/await'))\">b</button>
        <a target=_blank href='/link' style='display:block;height:30px'>c</a>";
    let site = Site::start().await.page("/", page);
    let fixture = Fixture::start().await;
    goto(&fixture.page, &site.url("/")).await;
    for (y, path) in [(15.0, "click"), (45.0, "await"), (75.0, "link")] {
        click(&fixture, y).await;
        soon(site.wait_hit(&format!("/{path}"))).await;
    }
    fixture.js("void open('/script')").await;
    soon(site.wait_hit("/script")).await;
    fixture.js("fetch('/').then(() => void open('/late'))").await;
    soon(site.wait_hit("/late")).await;
    assert!(refused(&fixture, WindowRefusal::NoGesture).is_empty());
    assert_eq!(fixture.context.pages().len(), 6);
}

#[tokio::test]
async fn a_context_has_so_many_windows_and_no_more() {
    let site = Site::start().await.page("/", "opener").page("/window", "window");
    let mut options = options();
    options.max_windows = 2;
    let fixture = Fixture::start_with(options).await;
    goto(&fixture.page, &site.url("/")).await;
    // Those that are asked for by a command do not count.
    let others =
        [fixture.context.new_page().await.unwrap(), fixture.context.new_page().await.unwrap()];
    for number in 0..4 {
        fixture.js(&format!("void open('/window?{number}')")).await;
    }
    wait_refused(&fixture, "?3").await;
    let refused = refused(&fixture, WindowRefusal::TooMany);
    assert_eq!(refused.into_iter().collect::<Vec<_>>(), ["2", "3"]);
    assert_eq!(fixture.context.pages().len(), 3 + others.len());
}
