//! What is reported of a document where a navigation ends.

use browse_proto::v1;

use crate::support::site::{Route, Site};
use crate::world::World;

async fn title(world: &World, url: String) -> String {
    let request = world.root(v1::GotoRequest { url, wait: 0 });
    world.browser().goto(request).await.unwrap().into_inner().title
}

#[tokio::test(flavor = "multi_thread")]
async fn the_title_is_that_of_the_document() {
    let long = "long ".repeat(2_000);
    let long_page = format!("<title>{long}</title>");
    // The browser calls a page without a title by its address, and cuts a long one.
    let table = [
        ("<title>Plain</title>", "Plain"),
        ("<title>{site}</title>", "{site}"),
        ("<title>http://{site}/</title>", "http://{site}/"),
        ("none", ""),
        ("<title></title>empty", ""),
        ("<title>first</title><script>document.title = 'second'</script>", "second"),
        (
            "<script>addEventListener('DOMContentLoaded', () => document.title = 'parsed')</script>",
            "parsed",
        ),
        (
            "<title>a</title><script>addEventListener('load', () => document.title = 'loaded')</script>",
            "loaded",
        ),
        ("<title>gone</title><script>document.title = ''</script>", ""),
        ("<title>{site} - a shop</title>", "{site} - a shop"),
        (&long_page, long.trim_end()),
    ];
    let world = World::with_browser().await;
    let site = Site::start().await;
    let host = site.url("").trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut site = site;
    for (number, (html, _)) in table.iter().enumerate() {
        site = site.page(&format!("/{number}"), &html.replace("{site}", &host));
    }
    // At the root the address is the title that the browser makes up.
    site = site.page("/", &format!("<title>{host}</title>"));
    for (number, (html, expected)) in table.iter().enumerate() {
        let found = title(&world, site.url(&format!("/{number}"))).await;
        assert_eq!(found, expected.replace("{site}", &host), "{:.80}", html);
    }
    assert_eq!(title(&world, site.url("/")).await, host);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_browser_makes_up_is_no_title() {
    let text = Route::Raw(200, vec!["Content-Type: text/plain".to_owned()], b"text".to_vec());
    let site = Site::start()
        .await
        .page("/none", "none")
        .route("/text", text.clone())
        .route("/text?q=%C3%BC%20x", text)
        .page("/spa", "<title>A</title>");
    let world = World::with_browser().await;
    for path in ["/none", "/none#%C3%BC", "/text", "/text?q=%C3%BC%20x"] {
        assert_eq!(title(&world, site.url(path)).await, "", "{path}");
    }
    // Each entry of the history has the title that it was left with.
    assert_eq!(title(&world, site.url("/spa")).await, "A");
    let script = "(history.pushState(0, 0, '/spa2'), document.title = 'B')";
    let request = v1::JsRequest { expression: script.to_owned() };
    world.browser().js(world.root(request)).await.unwrap();
    let back = world.browser().back(world.root(v1::BackRequest { wait: 0 })).await;
    assert_eq!(back.unwrap().into_inner().title, "B");
}
