//! Style sheets of other origins, which no script may read.

use browse_engine::SnapshotOptions;

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
