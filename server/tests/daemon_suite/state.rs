//! States: what is saved comes back, in any session and without the network.

use std::{fs, os::unix::fs::PermissionsExt as _};

use browse_proto::{metadata, v1};
use tonic::Request;

use super::{support::site::Site, world::World};

const PAGE: &str = "<title>Shop</title><script>
    document.cookie = 'sid=hunter2-hunter2; max-age=1000';
    localStorage.user = 'Ada \\ud800';
</script>";

/// A call by root in a session.
fn within<T>(world: &World, session: &str, message: T) -> Request<T> {
    let mut request = world.root(message);
    request.metadata_mut().insert(metadata::SESSION, session.parse().unwrap());
    request
}

async fn open(world: &World, session: &str) {
    let request = v1::NewSessionRequest { name: session.to_owned(), keep: false };
    world.control().new_session(world.root(request)).await.unwrap();
}

async fn goto(world: &World, session: &str, url: String) {
    let request = v1::GotoRequest { url, wait: 0 };
    world.browser().goto(within(world, session, request)).await.unwrap();
}

async fn js(world: &World, session: &str, expression: &str) -> String {
    let request = v1::JsRequest { expression: expression.to_owned() };
    let answer = world.browser().js(within(world, session, request)).await.unwrap();
    answer.into_inner().value
}

async fn save(world: &World, session: &str, name: &str) -> v1::SaveStateResponse {
    let request = v1::SaveStateRequest { name: name.to_owned() };
    let answer = world.browser().save_state(within(world, session, request)).await;
    answer.unwrap().into_inner()
}

fn load(name: &str) -> v1::LoadStateRequest {
    v1::LoadStateRequest { name: name.to_owned(), ..Default::default() }
}

async fn loaded(
    world: &World,
    session: &str,
    request: v1::LoadStateRequest,
) -> v1::LoadStateResponse {
    let answer = world.browser().load_state(within(world, session, request)).await;
    answer.unwrap().into_inner()
}

async fn refused(world: &World, name: &str) -> String {
    let status = world.browser().load_state(world.root(load(name))).await.unwrap_err();
    assert!(!status.message().contains("hunter2"), "{status:?}");
    let info = tonic_types::StatusExt::get_details_error_info(&status).unwrap();
    info.reason
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_saved_comes_back_in_another_session() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", PAGE).page("/two", "<title>Two</title>");
    goto(&world, "default", site.url_on("localhost", "/")).await;
    // Its origin is not open any more when the state is saved.
    goto(&world, "default", site.url("/two")).await;
    js(&world, "default", "localStorage.theme = 'dark'").await;
    world.load("<title>Written</title>").await;
    goto(&world, "default", site.url("/two?token=hunter2#top")).await;
    let saved = save(&world, "default", "work").await;
    assert_eq!((saved.cookies, saved.origins, saved.tabs), (1, 2, 1), "{}", saved.summary);
    assert_eq!(saved.key, "file");

    open(&world, "other").await;
    let hits = site.hits().len();
    let request = v1::LoadStateRequest { no_tabs: true, ..load("work") };
    let answer = loaded(&world, "other", request).await;
    assert_eq!((answer.cookies, answer.origins, answer.tabs), (1, 2, 0), "{}", answer.summary);
    assert_eq!(site.hits().len(), hits, "storage was restored through the network");
    goto(&world, "other", site.url_on("localhost", "/two")).await;
    assert_eq!(js(&world, "other", "localStorage.user === 'Ada \\ud800'").await, "true");
    assert_eq!(js(&world, "other", "document.cookie").await, "\"sid=hunter2-hunter2\"");

    open(&world, "third").await;
    let answer = loaded(&world, "third", load("work")).await;
    assert_eq!((answer.tabs, answer.problems.len()), (1, 0), "{}", answer.summary);
    let tabs = world.browser().list_tabs(within(&world, "third", v1::ListTabsRequest {})).await;
    let tabs = tabs.unwrap().into_inner().tabs;
    assert_eq!(
        (tabs.len(), tabs[0].url.as_str()),
        (1, site.url("/two?token=hunter2#top").as_str())
    );
    assert_eq!(js(&world, "third", "localStorage.theme").await, "\"dark\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn replace_leaves_nothing_of_before_and_the_default_adds() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", "<title>Blank</title>");
    goto(&world, "default", site.url("/")).await;
    js(&world, "default", "localStorage.a = '1', document.cookie = 'a=1'").await;
    save(&world, "default", "one").await;
    let after = "localStorage.clear(), localStorage.b = '2', document.cookie = 'b=2'";
    js(&world, "default", after).await;
    let keys = "Object.keys(localStorage).sort().join() + ' ' + document.cookie";
    let request = v1::LoadStateRequest { no_tabs: true, ..load("one") };
    loaded(&world, "default", request.clone()).await;
    assert_eq!(js(&world, "default", keys).await, "\"a,b a=1; b=2\"");
    loaded(&world, "default", v1::LoadStateRequest { replace: true, ..request }).await;
    goto(&world, "default", site.url("/")).await;
    assert_eq!(js(&world, "default", keys).await, "\"a a=1\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_save_and_load_side_by_side() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", "<title>Blank</title>");
    let round = async |name: &str| {
        open(&world, name).await;
        goto(&world, name, site.url("/")).await;
        js(&world, name, &format!("localStorage.who = '{name}'")).await;
        save(&world, name, name).await;
        let close = v1::CloseSessionRequest { name: name.to_owned(), forget: false };
        world.control().close_session(world.root(close)).await.unwrap();
        open(&world, name).await;
        loaded(&world, name, load(name)).await;
        js(&world, name, "localStorage.who").await
    };
    let (one, two) = tokio::join!(round("one"), round("two"));
    assert_eq!((one.as_str(), two.as_str()), ("\"one\"", "\"two\""));
    let tabs = world.browser().list_tabs(world.root(v1::ListTabsRequest {})).await.unwrap();
    assert!(tabs.into_inner().tabs.is_empty(), "a hidden tab was seen");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_opened_is_told_apart() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", PAGE);
    goto(&world, "default", site.url("/")).await;
    save(&world, "default", "work").await;
    let folder = world.daemon.settings().home.join("state");
    let file = folder.join("work.state");
    let bytes = fs::read(&file).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!bytes.windows(7).any(|part| part == b"hunter2"), "the state is not sealed");
    assert_eq!(refused(&world, "none").await, "STATE_NOT_FOUND");
    assert_eq!(refused(&world, "../work").await, "ARGUMENT_INVALID");
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(folder.join("changed.state"), changed).unwrap();
    assert_eq!(refused(&world, "changed").await, "STATE_CORRUPT");
    fs::write(folder.join("plain.state"), "{\"cookies\": []}").unwrap();
    assert_eq!(refused(&world, "plain").await, "STATE_CORRUPT");
    let mut newer = bytes.clone();
    newer[8] = 9;
    fs::write(folder.join("newer.state"), newer).unwrap();
    assert_eq!(refused(&world, "newer").await, "STATE_NEWER");
    fs::remove_file(folder.join("key")).unwrap();
    assert_eq!(refused(&world, "work").await, "STATE_FOREIGN");
    save(&world, "default", "anew").await;
    assert_eq!(refused(&world, "work").await, "STATE_FOREIGN");

    let list = world.browser().list_states(world.root(v1::ListStatesRequest {})).await;
    let states = list.unwrap().into_inner().states;
    let open: Vec<_> = states.iter().filter(|state| state.problem.is_empty()).collect();
    assert_eq!((states.len(), open.len(), open[0].name.as_str()), (5, 1, "anew"));
    let request = v1::RemoveStateRequest { name: "work".to_owned() };
    world.browser().remove_state(world.root(request)).await.unwrap();
    assert!(!file.exists());
}
