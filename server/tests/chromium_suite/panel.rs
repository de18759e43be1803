//! The side panel of a browser that a person sees, and the frame around an element.

#[path = "../../../cli/tests/support/screen.rs"]
mod screen;

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use browse_chromium::{
    Browser, CaptureArea, HighlightArea, HighlightOutcome, ImageFormat, PANEL_DOCUMENT,
    PANEL_OPENER, PanelDocument,
};
use serde_json::json;
use tokio::time::timeout;

use super::support::browser::options;

const WAIT_TIMEOUT: Duration = Duration::from_secs(20);

const MANIFEST: &str = r#"{
    "manifest_version": 3, "name": "test", "version": "1.0", "permissions": ["sidePanel"],
    "side_panel": { "default_path": "index.html" }, "background": { "service_worker": "worker.js" },
    "action": {}
}"#;

/// Answers `echo`, and does what else it is asked for.
const SCRIPT: &str = "let send;
const open = () => {
  if (!globalThis.browseSend) return setTimeout(open, 10);
  send = globalThis.browseSend;
  delete globalThis.browseSend;
  send('open');
};
const receive = ({ echo, reload }) => {
  if (echo) send(echo);
  else if (reload) location.reload();
  else close();
};
globalThis.browsePanel = Object.freeze({ receive });
open();";

async fn next(document: &mut PanelDocument) -> Option<String> {
    timeout(WAIT_TIMEOUT, document.next_message()).await.unwrap()
}

/// A browser that a person sees on `screen`.
async fn launch_on(screen: &screen::Screen) -> Arc<Browser> {
    let mut options = options();
    options.launch.headed = true;
    options.launch.executable = None;
    options.launch.display_variables = vec![("DISPLAY".to_owned(), screen.name().into())];
    Browser::launch(options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_side_panel_and_the_daemon_send_to_each_other() {
    let Some(screen) = screen::Screen::start() else { return };
    let browser = launch_on(&screen).await;
    let (context, page) = browser.default_context().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("manifest.json", MANIFEST),
        ("worker.js", ""),
        ("app.js", SCRIPT),
        (PANEL_OPENER, "<!doctype html>"),
        (PANEL_DOCUMENT, "<!doctype html><script src=app.js></script>"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut panel = browser.open_side_panel(folder.path(), WAIT_TIMEOUT).await.unwrap();
    assert_eq!(context.pages().len(), 1, "neither the panel nor what opened it is a tab");
    let mut document = panel.next_document().await.unwrap();
    assert_eq!(next(&mut document).await.as_deref(), Some("open"));
    let poster = document.poster();
    let text = "</script> \u{2028} \" ' ` ${1} \\ ö";
    poster.post(&json!({ "echo": text }));
    assert_eq!(next(&mut document).await.as_deref(), Some(text));
    let kind = json!({ "expression": "typeof browseSend", "returnByValue": true });
    let kind = page.call_raw("Runtime.evaluate", &kind).await.unwrap();
    assert_eq!(kind["result"]["value"], "undefined", "pages do not have the function");
    poster.post(&json!({ "reload": true }));
    assert_eq!(next(&mut document).await.as_deref(), Some("open"), "it has the function again");
    poster.post(&json!({ "close": true }));
    assert_eq!(next(&mut document).await, None, "a person closes it");
    browser.close().await;
    assert!(timeout(WAIT_TIMEOUT, panel.next_document()).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_frame_around_an_element_is_in_no_picture() {
    let Some(screen) = screen::Screen::start() else { return };
    let browser = launch_on(&screen).await;
    let (_context, page) = browser.default_context().await.unwrap();
    let picture = || page.screenshot(CaptureArea::Viewport, ImageFormat::Png);
    let before = picture().await.unwrap().bytes;
    let area = HighlightArea { x: 20.0, y: 20.0, width: 100.0, height: 50.0 };
    let drawn = page.highlight(area, Duration::from_secs(600)).await.unwrap();
    assert_eq!(drawn, HighlightOutcome::Drawn);
    let raw = json!({ "format": "png", "optimizeForSpeed": true });
    let seen = async {
        loop {
            let raw = page.call_raw("Page.captureScreenshot", &raw).await.unwrap();
            let seen = STANDARD.decode(raw["data"].as_str().unwrap()).unwrap();
            if seen != before {
                break;
            }
        }
    };
    timeout(WAIT_TIMEOUT, seen).await.expect("a person sees it");
    assert_eq!(picture().await.unwrap().bytes, before);
    let outside = HighlightArea { x: -500.0, ..area };
    let drawn = page.highlight(outside, Duration::from_secs(600)).await.unwrap();
    assert_eq!(drawn, HighlightOutcome::OutOfSight);
    page.clear_highlight().await;
    browser.close().await;
}
