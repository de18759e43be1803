//! Style sheets of other origins, which no script may read.

use browse_server::engine::{ENGINE_SCRIPT, SnapshotOptions, UNCHECKED_KEY};

use crate::fixture::Tab;
use crate::support::site::{Route, Site};

/// A sheet that is to be loaded anew each time.
fn css(text: &str) -> Route {
    let headers = ["Content-Type: text/css", "Cache-Control: no-store"];
    Route::Raw(200, headers.map(str::to_owned).to_vec(), text.as_bytes().to_vec())
}

#[tokio::test]
async fn sheets_of_other_origins_hide_as_well() {
    let site = Site::start()
        .await
        .route("/hide.css", css(".x { opacity: 0 } @media all { .y { font-size: 0 } }"))
        .route("/import.css", css("@import 'hide.css'; .z { color: red }"))
        .route("/escaped.css", css("@\\69mport 'hide.css';"))
        .page(
            "/",
            "<link rel=stylesheet href='http://localhost:{port}/hide.css'>\
             <link rel=stylesheet href='http://localhost:{port}/none.css'>\
             <p>seen</p><p class=x>secret</p><p class=y>secret</p>",
        )
        .page(
            "/import",
            "<link rel=stylesheet href='http://localhost:{port}/import.css'>\
             <p>seen</p><p class=x>secret</p>",
        );
    let site = site.page(
        "/escaped",
        "<link rel=stylesheet href='http://localhost:{port}/escaped.css'><p>seen</p><p class=x>secret</p>",
    );
    let tab = Tab::visit(site).await;
    for path in ["/", "/import", "/escaped"] {
        tab.goto(path).await;
        for _ in 0..2 {
            let reading = tab.engine.read_text(None, true).await.unwrap();
            assert_eq!(reading.text, "seen", "{path}");
            let options = SnapshotOptions { visible_only: true, ..SnapshotOptions::default() };
            assert_eq!(tab.snapshot(&options).await.text, "- \"seen\"", "{path}");
        }
    }
}

#[tokio::test]
async fn a_sheet_counts_as_it_was_applied_and_is_not_loaded_again() {
    let link = "<link id=link rel=stylesheet href='http://localhost:{port}/one.css'>";
    let site = Site::start()
        .await
        .route("/one.css", css(".x { opacity: 0 }"))
        .page("/", &format!("{link}<p>seen</p><p class=x>first</p><p class=y>second</p>"));
    let tab = Tab::visit(site).await;
    let text = async || tab.engine.read_text(None, true).await.unwrap().text;
    // Whoever asks again is told another story.
    tab.site.set("/one.css", css("b { color: red }"));
    assert_eq!(text().await, "seen\n\nsecond");
    assert_eq!(text().await, "seen\n\nsecond");
    assert_eq!(tab.site.hits().iter().filter(|hit| hit.ends_with("/one.css")).count(), 1);
    // The same address again, in another sheet with other words.
    tab.site.set("/one.css", css(".y { opacity: 0 }"));
    let again = "new Promise(done => { const next = link.cloneNode(); next.onload = done; link.replaceWith(next); }).then(() => 1)";
    assert_eq!(tab.js(again).await, 1);
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert_eq!(reading.text, "seen\n\nfirst");
    // Which of the two the browser has is not known.
    assert!(reading.hidden_parts.contains_key("excess (shown)"), "{:?}", reading.hidden_parts);
}

#[tokio::test]
async fn a_reading_is_not_begun_before_the_sheets_were_asked_for() {
    let site = Site::start()
        .await
        .route("/hide.css", css(".x { opacity: 0 }"))
        .page(
            "/",
            "<link rel=stylesheet href='http://localhost:{port}/hide.css'><p>seen</p><p class=x>secret</p>",
        );
    let tab = Tab::visit(site).await;
    let world = tab.page.world(&tab.page.main_frame().id, &ENGINE_SCRIPT).await.unwrap();
    let ask = async || {
        let call = "browseEngine.call('text', { seen: true })";
        world.evaluate::<String>(call).await.unwrap()
    };
    let wanted = ask().await;
    assert!(wanted.starts_with("{\"wanted\":[") && wanted.contains("hide.css"), "{wanted}");
    assert!(!wanted.contains("secret"), "{wanted}");
    let reading = tab.engine.read_text(None, true).await.unwrap();
    assert_eq!(reading.text, "seen");
    assert!(!reading.hidden_parts.contains_key(UNCHECKED_KEY), "{:?}", reading.hidden_parts);
    // They are known now.
    let answer = ask().await;
    assert!(answer.starts_with("{\"art\":") && !answer.contains("secret"), "{answer}");
}
