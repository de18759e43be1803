//! Refs are identities.

use std::time::Instant;

use browse_engine::{ElementStateKind, Engine, RefusalKind};

use crate::fixture::{Tab, kind, target};
use crate::support::site::Site;

#[tokio::test]
async fn a_ref_stays_with_its_element() {
    let tab = Tab::show("<ul><li><button onclick='document.title=this.id' id=a>A</button></li><li><button onclick='document.title=this.id' id=b>B</button></li></ul>").await;
    let a = tab.reference("button \"A\"").await;
    tab.js("document.querySelector('ul').append(document.querySelector('li')); a.textContent = 'B'; b.textContent = 'A'").await;
    tab.click(&a).await.unwrap();
    assert_eq!(tab.js("document.title").await, "a");
    assert_eq!(tab.reference("button \"B\"").await, a);
}

#[tokio::test]
async fn a_removed_element_is_stale_and_its_ref_never_given_again() {
    let tab = Tab::show("<button id=a>Alpha</button>").await;
    let a = tab.reference("Alpha").await;
    tab.js("a.outerHTML = '<button id=a>Alpha</button>'").await;
    let (kind, message) = kind(tab.click(&a).await);
    assert_eq!(kind, RefusalKind::RefStale);
    assert_eq!(
        message,
        format!("`{a}` is stale: its element left the page; was: button \"Alpha\"")
    );
    assert_ne!(tab.reference("Alpha").await, a);
    assert!(tab.engine.has_state(&target(&a), ElementStateKind::Hidden).await.unwrap());
}

#[tokio::test]
async fn a_dead_ref_fails_at_once() {
    let tab = Tab::visit(
        Site::start().await.page("/", "<button>One</button>").page("/two", "<button>Two</button>"),
    )
    .await;
    let one = tab.reference("One").await;
    tab.goto("/two").await;
    // An element that may still come is waited for; this one is not.
    let begun = Instant::now();
    assert_eq!(kind(tab.click(&one).await).0, RefusalKind::RefStale);
    assert!(begun.elapsed().as_millis() < 1_000, "{:?}", begun.elapsed());
}

async fn two_pages() -> Site {
    let one = "<button onclick='document.title=1'>One</button>";
    Site::start().await.page("/", one).page("/two", "two")
}

#[tokio::test]
async fn a_page_that_the_browser_kept_has_its_refs_again() {
    let tab = Tab::visit_full(two_pages().await).await;
    let one = tab.reference("One").await;
    tab.js("kept = 'kept'; onpageshow = event => restored = event.persisted").await;
    tab.goto("/two").await;
    assert_eq!(kind(tab.click(&one).await).0, RefusalKind::RefStale);
    tab.page.back().await.unwrap();
    assert_eq!(tab.js("`${globalThis.kept} ${globalThis.restored}`").await, "kept true");
    tab.click(&one).await.unwrap();
    assert_eq!(tab.js("document.title").await, "1");
    tab.page.forward().await.unwrap();
    assert_eq!(kind(tab.click(&one).await).0, RefusalKind::RefStale);
}

/// The headless shell keeps no page: its document is a new one after `back`.
#[tokio::test]
async fn a_page_that_was_loaded_again_has_refs_of_its_own() {
    let tab = Tab::visit(two_pages().await).await;
    let one = tab.reference("One").await;
    tab.js("kept = 'kept'").await;
    tab.goto("/two").await;
    tab.page.back().await.unwrap();
    assert_eq!(tab.js("`${globalThis.kept}`").await, "undefined");
    assert_eq!(kind(tab.click(&one).await).0, RefusalKind::RefStale);
    let again = tab.reference("One").await;
    assert_ne!(again, one);
    tab.click(&again).await.unwrap();
}

#[tokio::test]
async fn refs_that_were_never_given_and_refs_of_other_tabs() {
    let tab = Tab::show("<button>One</button>").await;
    let one = tab.reference("One").await;
    assert_eq!(kind(tab.click("@e999").await).0, RefusalKind::RefUnknown);
    let other = Engine::new(tab.context.new_page().await.unwrap(), tab.numbers.clone(), 2);
    let error = other.describe(&target(&one)).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.metadata()["tab"].as_str()),
        (Some(RefusalKind::RefOtherTab), "1")
    );
}

#[tokio::test]
async fn snapshots_at_the_same_time_keep_their_refs_apart() {
    let tab = Tab::show("<button id=a onclick='document.title=this.id'>A</button><button id=b onclick='document.title=this.id'>B</button>").await;
    let both = futures::future::join_all((0..6).map(|_| tab.tree())).await;
    for text in both {
        for line in text.lines() {
            let reference = line.split(' ').next().unwrap();
            tab.click(reference).await.unwrap();
            let id = tab.js("document.title").await;
            assert!(line.contains(&id.as_str().unwrap().to_uppercase()), "{line} {id}");
        }
    }
}
