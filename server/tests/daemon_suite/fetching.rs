//! What the daemon fetches itself, and what it refuses to.

use std::time::{Duration, Instant};

use browse_net::HostPolicy;
use browse_policy::Scopes;
use browse_proto::{Scope, metadata, v1};
use tonic::Status;

use super::{
    process::reason,
    support::site::{Route, Site},
    world::{World, by, within},
};

const ALLOW: &str = "--fetch-allow=127.0.0.1";

fn request(url: &str) -> v1::FetchRequest {
    v1::FetchRequest { url: url.to_owned(), ..Default::default() }
}

async fn fetch(world: &World, request: v1::FetchRequest) -> Result<v1::Fetched, Status> {
    let answer = world.browser().fetch(world.root(request)).await?;
    Ok(answer.into_inner().answer.unwrap())
}

fn raw(status: u16, headers: &[&str], body: impl Into<Vec<u8>>) -> Route {
    Route::Raw(status, headers.iter().map(|header| (*header).to_owned()).collect(), body.into())
}

#[tokio::test]
async fn an_answer_has_its_status_headers_and_body() {
    let world = World::with_flags(&[ALLOW]).await;
    let site = Site::start()
        .await
        .route("/a", raw(201, &["Set-Cookie: id=hunter2; Path=/", "X-Api-Key: k"], "grüße"))
        .redirect("/to", "http://127.0.0.1:{port}/a")
        .route(
            "/json",
            raw(200, &["Content-Type: application/json"], "{\"n\": 12345678901234567890}"),
        )
        .route("/bytes", raw(200, &[], vec![0, 255, 1]))
        .route("/big", raw(200, &[], vec![b'x'; 500_001]))
        .route("/loop", raw(302, &["Location: /loop"], ""));
    let answer = fetch(&world, request(&site.url("/to"))).await.unwrap();
    assert_eq!((answer.status, answer.url, answer.body), (201, site.url("/a"), "grüße".to_owned()));
    let cookie = answer.headers.iter().find(|header| header.name == "set-cookie").unwrap();
    assert_eq!(cookie.value, "id=[redacted]; Path=/");
    assert!(answer.headers.iter().any(|header| header.value == "[redacted]"));
    let parse = |path: &str| v1::FetchRequest { parse: true, ..request(&site.url(path)) };
    let answer = fetch(&world, parse("/json")).await.unwrap();
    assert_eq!(
        (answer.value.as_str(), answer.body.as_str()),
        ("{\"n\": 12345678901234567890}", "")
    );
    let answer = fetch(&world, parse("/big")).await.unwrap();
    assert!(answer.truncated && answer.body.len() == 2048, "{}", answer.note);
    assert!(answer.note.starts_with("the body was cut, and is not JSON"), "{}", answer.note);
    let answer = fetch(&world, request(&site.url("/big"))).await.unwrap();
    assert!(answer.truncated && answer.size == 500_000 && answer.body.len() == 500_000);
    let answer = fetch(&world, request(&site.url("/bytes"))).await.unwrap();
    assert!(answer.base64 && answer.body == "AP8B", "{answer:?}");
    let error = fetch(&world, request(&site.url("/loop"))).await.unwrap_err();
    assert_eq!(reason(&error), "FETCH_FAILED", "{error}");
}

#[tokio::test]
async fn no_redirect_leads_to_where_a_fetch_may_not_go() {
    let site = Site::start()
        .await
        .redirect("/localhost", "http://localhost:{port}/secret")
        .redirect("/metadata", "http://[::ffff:169.254.169.254]/latest")
        .redirect("/private", "http://0x0a000001/")
        .redirect("/file", "file:///etc/passwd")
        .page("/secret", "secret");
    let rules = format!(
        "--chromium-args='--host-resolver-rules=MAP site.example 127.0.0.1:{}'",
        site.port()
    );
    let world = World::with_flags(&["--fetch-allow=site.example", &rules]).await;
    let at = |path: &str| site.url_on("site.example", path);
    for (path, wanted) in [
        ("/localhost", "FETCH_DENIED"),
        ("/metadata", "ADDRESS_DENIED"),
        ("/private", "FETCH_DENIED"),
    ] {
        let error = fetch(&world, request(&at(path))).await.unwrap_err();
        assert_eq!(reason(&error), wanted, "{path}: {error}");
    }
    assert_eq!(fetch(&world, request(&at("/file"))).await.unwrap().status, 302);
    assert!(site.hits().iter().all(|hit| !hit.contains("/secret")), "{:?}", site.hits());
    let closed = World::new().await;
    for url in [site.url("/secret"), format!("http://localhost:{}/secret", site.port())] {
        let error = fetch(&closed, request(&url)).await.unwrap_err();
        assert_eq!(reason(&error), "FETCH_DENIED", "{error}");
    }
    assert!(site.hits().iter().all(|hit| !hit.contains("/secret")), "{:?}", site.hits());
}

#[tokio::test]
async fn credentials_stay_with_their_origin() {
    let site = Site::start()
        .await
        .redirect("/away", "http://other.example:{port}/end")
        .redirect("/near", "http://site.example:{port}/end")
        .page("/end", "end");
    let rules =
        format!("--chromium-args='--host-resolver-rules=MAP *.example 127.0.0.1:{}'", site.port());
    let world = World::with_flags(&["--fetch-allow=*.example", &rules]).await;
    for path in ["/away", "/near"] {
        let request = v1::FetchSendRequest {
            url: format!("http://site.example:{}{path}", site.port()),
            header: vec!["Authorization: Bearer hunter2".to_owned(), "X-Plain: 1".to_owned()],
            body: Some("text".to_owned()),
            ..Default::default()
        };
        let answer = world.browser().fetch_send(world.root(request)).await.unwrap();
        assert_eq!(answer.into_inner().answer.unwrap().status, 200);
    }
    let ends: Vec<_> = site.hits().into_iter().filter(|hit| hit.ends_with("/end")).collect();
    assert_eq!(ends.len(), 2, "{ends:?}");
    assert!(ends.iter().all(|hit| hit.starts_with("GET ")), "a POST becomes a GET: {ends:?}");
    let seen = site.heads();
    let with = |host: &str| {
        let of =
            |head: &&Vec<String>| head.iter().any(|line| line.contains(&format!("{host}.example")));
        let head = seen.iter().rfind(of).unwrap();
        head.iter().any(|line| line.contains("hunter2"))
    };
    assert!(with("site") && !with("other"), "{seen:?}");
    assert!(seen.iter().flatten().all(|line| !line.to_lowercase().starts_with("cookie")));
}

#[tokio::test]
async fn a_new_host_waits_for_the_owner_unless_the_owner_asks() {
    let site = Site::start().await.page("/", "hello");
    let rules =
        format!("--chromium-args='--host-resolver-rules=MAP *.example 127.0.0.1:{}'", site.port());
    let allow = format!("--fetch-allow=b.example:{}", site.port());
    let world = World::with_flags(&[&allow, &rules]).await;
    let url = format!("http://a.example:{}/", site.port());
    let hosts = HostPolicy::from_patterns(["a.example"]).unwrap();
    let minted = world.mint_for("agent", Scopes::of(&[Scope::Read]), hosts);
    let ask = |url: &str| by(minted.token(), request(url));
    let error = world.browser().fetch(ask(&url)).await.unwrap_err();
    assert_eq!(reason(&error), "APPROVAL_NEEDED", "{error}");
    let other = format!("http://b.example:{}/", site.port());
    let error = world.browser().fetch(ask(&other)).await.unwrap_err();
    assert_eq!(reason(&error), "HOST_DENIED", "{error}");
    assert!(site.hits().is_empty(), "nothing is sent before: {:?}", site.hits());

    let approve = |id: Option<String>| world.root(v1::ApproveRequest { id, ..Default::default() });
    let waiting = world.browser().approve(approve(None)).await.unwrap().into_inner().approvals;
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].action, format!("fetch a.example:{}", site.port()));
    let id = Some(waiting[0].id.clone());
    let theirs = by(minted.token(), v1::ApproveRequest { id: id.clone(), ..Default::default() });
    assert_eq!(reason(&world.browser().approve(theirs).await.unwrap_err()), "SCOPE_DENIED");
    world.browser().approve(approve(id.clone())).await.unwrap();
    let error = world.browser().approve(approve(id)).await.unwrap_err();
    assert_eq!(reason(&error), "APPROVAL_NOT_FOUND");
    // The approval is honoured, and opens nothing that is not public.
    let error = world.browser().fetch(ask(&url)).await.unwrap_err();
    assert_eq!(reason(&error), "FETCH_DENIED", "{error}");
    assert!(site.hits().is_empty(), "nothing was sent: {:?}", site.hits());

    let answer = world.browser().fetch(world.root(request(&other))).await.unwrap();
    let source = answer.metadata().get(metadata::UNTRUSTED).unwrap().to_str().unwrap().to_owned();
    assert!(source.ends_with(" b.example"), "{source}");
    assert_eq!(answer.into_inner().answer.unwrap().body, "hello", "root needs none");
}

#[tokio::test]
async fn a_server_that_never_answers_ends_with_the_call() {
    let world = World::with_flags(&[ALLOW]).await;
    let site = Site::start().await.hang("/");
    let begun = Instant::now();
    let request = within(Duration::from_millis(300), world.root(request(&site.url("/"))));
    let error = world.browser().fetch(request).await.unwrap_err();
    assert_eq!(reason(&error), "DEADLINE_EXCEEDED", "{error}");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}
