//! Raw protocol calls and memory.

use std::time::{Duration, Instant};

use browse_proto::{metadata, v1};

use super::{
    process::reason,
    support::site::Site,
    world::{World, within},
};

fn cdp(method: &str, params: &str) -> v1::CdpRequest {
    let (method, params) = (Some(method.to_owned()), Some(params.to_owned()));
    v1::CdpRequest { method, params, data: false }
}

#[tokio::test(flavor = "multi_thread")]
async fn raw_calls_are_alone_in_their_tab_or_say_that_they_are_not() {
    let world = World::with_browser().await;
    world.load("<p>text</p>").await;
    let never = v1::JsRequest { expression: "new Promise(() => {})".to_owned() };
    let mut browser = world.browser();
    let busy = tokio::spawn({
        let request = within(Duration::from_secs(20), world.root(never));
        async move { browser.js(request).await.map(drop) }
    });
    let tab = world.daemon.sessions().tabs()[0].clone();
    while tab.access_lock().try_write().is_ok() {
        tokio::task::yield_now().await;
    }
    for (method, name) in [("Page.getLayoutMetrics", "tab 1"), ("Browser.getVersion", "every tab")]
    {
        let request = within(Duration::from_millis(400), world.root(cdp(method, "{}")));
        let begun = Instant::now();
        let error = world.browser().cdp(request).await.unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert_eq!(reason(&error), "TAB_LOCKED", "{error}");
        assert!(error.message().starts_with(name), "{error}");
        assert!(error.message().contains("budget of 300 ms"), "{error}");
    }
    busy.abort();
    let _ = busy.await;
    for method in ["Page.getLayoutMetrics", "Browser.getVersion"] {
        let answer = world.browser().cdp(world.root(cdp(method, "{}"))).await.unwrap();
        assert!(answer.get_ref().trusted.starts_with('{'), "{answer:?}");
        assert!(!answer.metadata().contains_key(metadata::UNTRUSTED), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn raw_calls_cannot_disturb_what_the_daemon_listens_to() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", "<script>console.log('heard')</script>");
    for (method, params) in
        [("Network.enable", "{}"), ("Network.disable", "{}"), ("DOM.enable", "{}")]
    {
        world.browser().cdp(world.root(cdp(method, params))).await.unwrap();
    }
    let goto = v1::GotoRequest { url: site.url("/"), wait: 0 };
    world.browser().goto(world.root(goto)).await.unwrap();
    let request = world.root(v1::NetworkRequest::default());
    let requests = world.browser().network(request).await.unwrap().into_inner().requests;
    assert!(requests.iter().any(|request| request.url == site.url("/")), "{requests:?}");
    let messages = world.browser().console(world.root(v1::ConsoleRequest::default())).await;
    assert_eq!(messages.unwrap().get_ref().messages[0].text, "heard");
    assert_eq!(world.daemon.sessions().tabs().len(), 1, "the raw session is not a tab");
    let close = world.root(v1::CloseTabRequest { id: None });
    world.browser().close_tab(close).await.unwrap();
    assert!(world.daemon.sessions().tabs().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_denied_stands_in_the_books() {
    let world = World::new().await;
    for (method, wanted) in [
        ("Runtime.evaluate", "CDP_DENIED"),
        ("Target.createTarget", "CDP_DENIED"),
        ("dom.getDocument\u{1b}[2J", "CDP_DENIED"),
    ] {
        let error = world.browser().cdp(world.root(cdp(method, "{}"))).await.unwrap_err();
        assert_eq!(reason(&error), wanted);
        assert!(!error.message().contains('\u{1b}'), "{error}");
        let (entries, _) = world.daemon.activity().subscribe();
        let entry = entries.last().unwrap();
        assert_eq!((entry.command.as_str(), entry.outcome.as_str()), ("cdp", wanted));
        assert!(method.starts_with(&entry.target[..10]), "{entry:?}");
    }
    let error = world.browser().cdp(world.root(cdp("DOM.getDocument", "[1]"))).await.unwrap_err();
    assert_eq!(reason(&error), "ARGUMENT_INVALID");
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_answers_at_once_while_a_page_hangs() {
    let world = World::with_browser().await;
    world.load("<button onclick='while (true) {}'>loop</button>").await;
    let open = world.root(v1::NewTabRequest::default());
    world.browser().new_tab(open).await.unwrap();
    let click = v1::ClickRequest { target: "text=loop".to_owned(), ..Default::default() };
    let mut click = within(Duration::from_millis(300), world.root(click));
    click.metadata_mut().insert(metadata::TAB, "1".parse().unwrap());
    let _ = world.browser().click(click).await;
    let begun = Instant::now();
    let memory = world.control().memory(world.root(v1::MemoryRequest {})).await.unwrap();
    assert!(begun.elapsed() < Duration::from_millis(900), "{:?}", begun.elapsed());
    let memory = memory.into_inner();
    let states: Vec<_> = memory.tabs.iter().map(|tab| tab.state.as_str()).collect();
    assert_eq!(states, ["hung", "idle"], "{memory:?}");
    assert!(memory.tabs[1].heap_used_bytes.unwrap() > 0 && memory.tabs[1].nodes.is_some());
    let kinds: Vec<_> = memory.processes.iter().map(|process| process.kind.as_str()).collect();
    assert!(kinds.starts_with(&["daemon"]) && kinds.contains(&"browser"), "{kinds:?}");
    assert!(memory.total_bytes > memory.daemon_bytes, "{memory:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_envelope_names_the_hosts_that_its_entries_come_from() {
    let world = World::with_browser().await;
    let page = "<img src='http://localhost:{port}/a.png'><script src=/x.js></script>";
    let site = Site::start().await.page("/", page);
    let goto = v1::GotoRequest { url: site.url("/"), wait: 0 };
    world.browser().goto(world.root(goto)).await.unwrap();
    let answer = world.browser().network(world.root(v1::NetworkRequest::default())).await.unwrap();
    let untrusted = answer.metadata().get(metadata::UNTRUSTED).unwrap().to_str().unwrap();
    assert!(untrusted.ends_with(" 127.0.0.1,localhost"), "{untrusted}");
    let url = Some("about:blank".to_owned());
    world.browser().new_tab(world.root(v1::NewTabRequest { url })).await.unwrap();
    let answer = world.browser().list_tabs(world.root(v1::ListTabsRequest {})).await.unwrap();
    let untrusted = answer.metadata().get(metadata::UNTRUSTED).unwrap().to_str().unwrap();
    assert!(untrusted.ends_with(" 127.0.0.1"), "{untrusted}");
}
