//! The side panel of a browser that a person sees.

#[path = "../../../cli/tests/support/screen.rs"]
mod screen;

use std::path::Path;
use std::time::Duration;

use browse_chromium::Browser;
use serde_json::{Value, json};

use super::support::browser::options;

const WAIT_TIMEOUT: Duration = Duration::from_secs(20);

fn exchange(rows: &Value) -> String {
    format!("browsePanel.exchange({})", json!({ "asked": "<b>sign in", "rows": rows }))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_side_panel_shows_rows_and_takes_notes() {
    let Some(screen) = screen::Screen::start() else { return };
    let mut options = options();
    options.launch.headed = true;
    options.launch.executable = None;
    options.launch.display_variables = vec![("DISPLAY".to_owned(), screen.name().into())];
    let browser = Browser::launch(options).await.unwrap();
    let (context, _page) = browser.default_context().await.unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/window/panel");
    let mut panel = browser.open_side_panel(&folder, WAIT_TIMEOUT).await.unwrap();
    assert_eq!(context.pages().len(), 1, "neither the panel nor what opened it is a tab");

    let first: Value = panel.evaluate(&exchange(&json!([]))).await.unwrap().unwrap();
    assert_eq!(first, json!({ "notes": [], "fresh": true }));
    let row = json!({
        "time": "2026-01-01T00:00:00Z",
        "client": "root",
        "command": "click",
        "target": "<img src=x>",
        "outcome": "NOT_FOUND",
    });
    let send = "(note.value = ' Look at the second one ', form.requestSubmit())";
    panel.evaluate::<Value>(send).await.unwrap().unwrap();
    let second: Value = panel.evaluate(&exchange(&json!([row]))).await.unwrap().unwrap();
    assert_eq!(second, json!({ "notes": ["Look at the second one"], "fresh": false }));
    let shown = "[asked.innerText, rows.lastChild.innerText, document.images.length]";
    let shown: Value = panel.evaluate(shown).await.unwrap().unwrap();
    assert_eq!(shown[0], "<b>sign in");
    assert!(shown[1].as_str().unwrap().ends_with("click <img src=x> NOT_FOUND"), "{shown}");
    assert_eq!(shown[2], 0, "what a page says is text");
    let third: Value = panel.evaluate(&exchange(&json!([]))).await.unwrap().unwrap();
    assert_eq!(third["notes"], json!([]), "a note is taken once");

    // A person closes it; nobody waits for an answer then.
    let _ = panel.evaluate::<Value>("void setTimeout(close)").await;
    while panel.evaluate::<Value>("1").await.unwrap().is_some() {}
    browser.close().await;
}
