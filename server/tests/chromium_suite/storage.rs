//! Cookies and storage of a context, and the tab that nobody sees.

use browse_chromium::{Cookie, Event, SameSite, StorageText, StorageWriteOutcome};

use crate::support::{browser::Fixture, site::Site};

fn cookie(name: &str, domain: &str) -> Cookie {
    Cookie {
        name: name.to_owned(),
        value: "a value".to_owned(),
        domain: domain.to_owned(),
        path: "/".to_owned(),
        ..Cookie::default()
    }
}

#[tokio::test]
async fn cookies_come_back_as_they_were_put() {
    let fixture = Fixture::start().await;
    let jar = fixture.page.cookies();
    let plain = cookie("plain", "example.test");
    let below = Cookie {
        expires: Some(4_000_000_000.0),
        secure: true,
        http_only: true,
        same_site: Some(SameSite::None),
        path: "/a".to_owned(),
        ..cookie("below", ".example.test")
    };
    let bad = cookie("__Host-x", ".example.test");
    jar.set(&[plain.clone(), below.clone(), bad]).await.unwrap();
    let mut all = jar.all().await.unwrap();
    all.sort_by(|a, b| b.name.cmp(&a.name));
    let below = Cookie { expires: all[1].expires, ..below };
    assert_eq!(all, [plain.clone(), below]);
    jar.remove(&plain).await.unwrap();
    assert_eq!(jar.all().await.unwrap().len(), 1);
    jar.clear().await.unwrap();
    assert!(jar.all().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_blank_tab_reads_storage_without_being_seen_or_asking_the_network() {
    let site = Site::start().await.page("/", "<script>localStorage.a = '1'</script>");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let origin = site.url("");
    assert_eq!(fixture.page.visited_origins(), std::slice::from_ref(&origin));
    let (pages, hits) = (fixture.browser.pages().len(), site.hits().len());
    let tab = fixture.browser.blank_tab(fixture.context.id()).await.unwrap();
    let storage = tab.open_origin(&origin).await.unwrap();
    assert!(
        storage.read().await.unwrap()
            == Some(vec![(StorageText::plain("a"), StorageText::plain("1"))])
    );
    // Half a surrogate pair, as compressors write them.
    let items = vec![(StorageText::plain("b"), StorageText::Utf16(vec![0xd800, 0x41]))];
    let storage = tab.open_origin("https://elsewhere.test").await.unwrap();
    assert_eq!(storage.write(&items, true).await.unwrap(), Some(StorageWriteOutcome::Complete));
    assert!(tab.open_origin("http://169.254.169.254").await.is_err());
    assert_eq!((fixture.browser.pages().len(), site.hits().len()), (pages, hits));
    let opened = fixture.recorder.all(|event| match event {
        Event::PageOpened(page) => Some(page.target_id().clone()),
        _ => None,
    });
    assert_eq!(opened, [fixture.page.target_id().clone()]);
    drop(tab);
    let tab = fixture.browser.blank_tab(fixture.context.id()).await.unwrap();
    let storage = tab.open_origin("https://elsewhere.test").await.unwrap();
    assert!(storage.read().await.unwrap() == Some(items));
}

#[tokio::test]
async fn two_who_ask_at_once_what_a_document_keeps_both_hear_it() {
    let site = Site::start().await.page("/", "<script>localStorage.a = '1'</script>");
    let fixture = Fixture::start().await;
    fixture.goto(&site.url("/")).await;
    let ask = || fixture.page.document_snapshots();
    let (first, second) = tokio::join!(ask(), ask());
    for answer in [first, second] {
        assert_eq!(answer[0].local.as_deref(), Some("[[\"a\",\"1\"]]"));
    }
}
