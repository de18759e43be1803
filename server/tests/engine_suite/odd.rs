//! Odd documents, and frames that do not answer.

use std::time::Instant;

use browse_engine::{RefusalKind, SnapshotOptions, Target};

use crate::fixture::{Tab, kind, target};
use crate::support::site::{Route, Site};

fn document(kind: &str, body: &str) -> Route {
    Route::Raw(200, vec![format!("Content-Type: {kind}")], body.as_bytes().to_vec())
}

#[tokio::test]
async fn documents_that_are_not_html() {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'><title>Map</title><a href='/x'><text y='20'>Link</text></a></svg>";
    let site = Site::start()
        .await
        .page("/", "")
        .route("/svg", document("image/svg+xml", svg))
        .route("/xml", document("application/xml", "<a><b>text</b></a>"))
        .route("/text", document("text/plain", "plain text"));
    let tab = Tab::visit(site).await;
    tab.goto("/svg").await;
    assert!(tab.controls().await.contains("link \"Link\""), "{}", tab.controls().await);
    tab.goto("/xml").await;
    assert!(tab.tree().await.contains("text"));
    tab.goto("/text").await;
    assert_eq!(tab.tree().await, "- \"plain text\"");
    assert_eq!(tab.engine.text(None).await.unwrap(), "plain text");
}

#[tokio::test]
async fn a_document_without_anything() {
    let tab = Tab::show("<p>x</p>").await;
    tab.js("document.documentElement.remove()").await;
    assert_eq!(tab.tree().await, "");
    assert_eq!(tab.engine.text(None).await.unwrap(), "");
    assert_eq!(kind(tab.try_click("text=x").await).0, RefusalKind::NotFound);
}

#[tokio::test]
async fn a_tree_that_is_very_deep() {
    let tab = Tab::show("<script>let at = document.body || document.documentElement.appendChild(document.createElement('body')); for (let i = 0; i < 1200; i++) at = at.appendChild(document.createElement('div')); at.innerHTML = '<button>Deep</button>'</script>").await;
    assert!(tab.controls().await.contains("button \"Deep\""));
    tab.click("text=Deep").await.unwrap();
}

#[tokio::test]
async fn a_document_that_is_written_anew() {
    let tab = Tab::show("<button id=a onclick='document.title=1'>Old</button>").await;
    let old = tab.reference("Old").await;
    tab.js("document.open(); document.write('<button onclick=\"document.title=2\">New</button>'); document.close()").await;
    assert_eq!(kind(tab.click(&old).await).0, RefusalKind::RefStale);
    let new = tab.reference("New").await;
    tab.click(&new).await.unwrap();
    assert_eq!(tab.js("document.title").await, "2");
}

#[tokio::test]
async fn a_frame_that_hangs_does_not_hide_the_page() {
    let site = Site::start()
        .await
        .page("/", "<button>Here</button><iframe title=Ad src='http://localhost:{port}/hang'></iframe>")
        .page("/hang", "<button>There</button><script>onload = () => setTimeout(() => { while (true); }, 100)</script>");
    let tab = Tab::visit(site).await;
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    let begun = Instant::now();
    let (text, reading) = tokio::join!(tab.tree(), tab.engine.read_text(None, false));
    assert!(begun.elapsed().as_millis() < 3_500, "{:?}", begun.elapsed());
    assert_eq!(reading.unwrap().unresponsive_frames, 1);
    assert!(
        text.contains("button \"Here\"") && text.contains("iframe \"Ad\" [no answer]"),
        "{text}"
    );
}

#[tokio::test]
async fn after_a_failure_the_page_of_the_browser_is_there() {
    let tab = Tab::show("<button>Here</button>").await;
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nowhere = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    for _ in 0..3 {
        assert!(tab.tree().await.contains("Here"));
        tab.page.navigate(&nowhere).await.unwrap_err();
        assert_eq!(tab.page.url(), "chrome-error://chromewebdata/");
        assert!(!tab.tree().await.contains("Here"));
        tab.goto("/").await;
    }
}

#[tokio::test]
async fn a_list_that_was_opened_is_no_trap() {
    let tab = Tab::show("<select id=s><option>One<option>Two</select><button id=b onclick='document.title=1'>B</button><input type=file id=f>").await;
    tab.click("#s").await.unwrap();
    tab.click("#b").await.unwrap();
    assert_eq!(tab.js("document.title").await, "1");
    tab.click("#f").await.unwrap();
    tab.click("#b").await.unwrap();
}

#[tokio::test]
async fn a_modal_dialog_is_all_there_is() {
    let tab = Tab::show("<button>Behind</button><dialog id=d aria-label=Ask><button>Yes</button></dialog><script>d.showModal()</script>").await;
    let text = tab.tree().await;
    assert!(
        text.contains("dialog \"Ask\"") && text.contains("\"Yes\"") && !text.contains("Behind"),
        "{text}"
    );
    let (kind, message) = kind(tab.try_click("text=Behind").await);
    assert_eq!(kind, RefusalKind::Covered, "{message}");
}

#[tokio::test]
async fn selectors_look_in_the_chosen_frame() {
    let site = Site::start()
        .await
        .page("/", "<iframe src=/in></iframe>")
        .page("/in", "<button onclick='top.document.title=1'>In</button>");
    let tab = Tab::visit(site).await;
    let button: Target = target("button");
    assert_eq!(tab.engine.count(&button).await.unwrap(), 0);
    let frame = tab.page.frames().into_iter().find(|frame| frame.parent.is_some()).unwrap();
    tab.engine.select_frame(Some(&frame));
    assert_eq!(tab.engine.count(&button).await.unwrap(), 1);
    tab.click("button").await.unwrap();
    assert_eq!(tab.js("document.title").await, "1");
    tab.goto("/").await;
    // It is reported once that the frame has gone; then the main frame is meant.
    let (kind, message) = kind(tab.engine.count(&button).await);
    assert_eq!(kind, RefusalKind::FrameGone, "{message}");
    assert_eq!(tab.engine.count(&button).await.unwrap(), 0);
}

#[tokio::test]
async fn lone_surrogates_and_control_characters_do_not_break_a_snapshot() {
    let tab = Tab::show("<script>const b = document.createElement('button'); b.textContent = 'a\\ud800b\\u0000\\u2028\"'; document.documentElement.append(b)</script>").await;
    let snapshot = tab.snapshot(&SnapshotOptions::default()).await;
    assert_eq!(snapshot.nodes.len(), 1, "{}", snapshot.text);
}
