//! Clients of the DevTools protocol, through the gateway to the pod of their session.

use futures::FutureExt as _;
use http::StatusCode;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::{
    real_pods::RealPod,
    support::{World, eventually, send},
    websockets::{CAPABILITY, Client, FLOOD},
};

const ACME: (&str, &str) = ("authorization", "Bearer acme-key");

/// Looks at a count that does not change any more before that is believed.
const QUIET_LOOKS: u32 = 50;

/// More than the buffers of all sockets between a pod and its client hold.
const BUFFERED_BYTES: usize = 64 << 20;

/// Headers of a request.
type Headers<'a> = &'a [(&'static str, &'a str)];

impl World {
    async fn client(
        &self,
        replica: usize,
        path: &str,
        headers: Headers<'_>,
    ) -> Result<Client, StatusCode> {
        Client::connect(self.replicas[replica].address, path, headers).await
    }
}

#[tokio::test]
async fn a_client_comes_to_the_pod_of_its_session_by_any_replica() {
    let world = World::new(1).await;
    let _pods = world.add_pods(3).await;
    let work = world.call(0, "acme", "work", "goto").await;
    let other = world.call(0, "acme", "other", "goto").await;
    assert_ne!(work.pod(), other.pod());
    for replica in 0..3 {
        let mut client = world.client(replica, "/cdp/work", &[ACME]).await.expect("it is taken");
        client.send("hello").await;
        assert_eq!(client.text().await, format!("{} work: hello", work.pod()));
    }
    // A header names the session where the path does not.
    let named = [ACME, ("browse-session", "other")];
    let mut client = world.client(1, "/cdp", &named).await.expect("it is taken");
    client.send("hello").await;
    assert_eq!(client.text().await, format!("{} other: hello", other.pod()));
    let counts = |count: usize| {
        let text = world.replicas[1].gateway.metrics_text();
        let line = format!("browse_gate_devtools_clients {count}");
        text.lines().any(|found| found == line).then_some(())
    };
    eventually(|| counts(1)).await;
    drop(client);
    eventually(|| counts(0)).await;
}

#[tokio::test]
async fn who_may_not_connect_is_refused() {
    let world = World::new(10).await;
    let _pods = world.add_pods(2).await;
    for session in ["work", "one"] {
        assert_eq!(world.call(0, "acme", session, "goto").await.reason(), "ok");
    }
    let page = ("origin", "https://evil.example");
    let cases: [(&str, Headers<'_>, StatusCode); 9] = [
        ("/cdp/work", &[], StatusCode::UNAUTHORIZED),
        ("/cdp/work", &[("authorization", "Bearer other")], StatusCode::UNAUTHORIZED),
        // The session of another tenant, and one that is not open.
        ("/cdp/work", &[("authorization", "Bearer beta-key")], StatusCode::NOT_FOUND),
        ("/cdp/closed", &[ACME], StatusCode::NOT_FOUND),
        // It reads in one session.
        ("/cdp/one", &[("authorization", "Bearer narrow-key")], StatusCode::FORBIDDEN),
        ("/cdp/work", &[ACME, page], StatusCode::FORBIDDEN),
        ("/cdp/a%20b", &[ACME], StatusCode::BAD_REQUEST),
        // What does not lead to an address of a pod.
        ("/cdp/uid-pod-1/cdp_ff", &[ACME], StatusCode::NOT_FOUND),
        ("/cdp/uid-pod-9/cdp_ff", &[ACME], StatusCode::NOT_FOUND),
    ];
    for (path, headers, status) in cases {
        let refused = world.client(0, path, headers).await.map(drop);
        assert_eq!(refused, Err(status), "{path} {headers:?}");
    }
    assert_eq!(world.replicas[0].gateway.session_count(), 2, "none was opened");
}

#[tokio::test]
async fn an_address_leads_to_its_pod_without_a_token() {
    let world = World::new(10).await;
    let pod = world.add_pod().await;
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    // The caller has no say in where the address is.
    let posing = [("browse-fleet-address", "ws://evil.example")];
    let given = world.call_with(0, "acme", "work", "cdp-url", &posing).await;
    let gateway = world.replicas[0].address;
    assert_eq!(given.body["address"], format!("ws://{gateway}/cdp/{}", pod.uid()), "{given:?}");
    let other = world.call_with(0, "acme", "work", "goto", &posing).await;
    assert_eq!(other.body["address"], "");
    let path = format!("/cdp/{}/{CAPABILITY}", pod.uid());
    let mut client = world.client(2, &path, &[]).await.expect("it is taken");
    client.send("hello").await;
    assert_eq!(client.text().await, format!("{} by address: hello", pod.uid()));
}

#[tokio::test]
async fn a_client_of_a_session_that_has_moved_comes_to_its_next_pod() {
    let world = World::restoring(1).await;
    let pods = world.add_pods(2).await;
    let first = world.call(0, "acme", "work", "goto").await;
    let before = pods.iter().find(|pod| pod.uid() == first.pod()).expect("it is one of them");
    let next = pods.iter().find(|pod| pod.uid() != first.pod()).expect("there is another");
    before.move_sessions();
    let mut client = world.client(1, "/cdp/work", &[ACME]).await.expect("it is taken");
    client.send("hello").await;
    assert_eq!(client.text().await, format!("{} work: hello", next.uid()));
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_up_its_pod() {
    let world = World::new(10).await;
    let pod = world.add_pod().await;
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    let mut client = world.client(0, "/cdp/work", &[ACME]).await.expect("it is taken");
    client.send(FLOOD).await;
    let (mut last, mut looks) = (0, 0);
    let stopped_at = eventually(|| {
        let sent = pod.sent_bytes();
        looks = if sent == last && sent > 0 { looks + 1 } else { 0 };
        last = sent;
        (looks >= QUIET_LOOKS).then_some(sent)
    })
    .await;
    assert!(stopped_at < BUFFERED_BYTES, "{stopped_at}");
    // It goes on when the client reads.
    let mut read = 0;
    while pod.sent_bytes() <= stopped_at + (1 << 20) {
        read += usize::from(client.text().await.ends_with("bytes"));
    }
    assert!(read > 0);
}

#[tokio::test]
async fn a_client_ends_with_its_token() {
    let world = World::new(10).await;
    let _pods = world.add_pods(2).await;
    for tenant in ["acme", "beta"] {
        assert_eq!(world.call(0, tenant, "work", "goto").await.reason(), "ok");
    }
    let beta = ("authorization", "Bearer beta-key");
    let mut ended = world.client(0, "/cdp/work", &[ACME]).await.expect("it is taken");
    let mut other = world.client(0, "/cdp/work", &[beta]).await.expect("it is taken");
    world.revoke_key("acme");
    ended.closed().await;
    other.send("hello").await;
    assert!(other.text().await.ends_with(" work: hello"));
}

/// The result of a call that works.
#[track_caller]
fn ok(answer: Value) -> Value {
    assert!(answer["error"].is_null(), "{answer}");
    answer["result"].clone()
}

/// Attaches to the tab of a session, which has one; answers the session of the protocol.
async fn attach(client: &mut Client) -> String {
    let targets = ok(client.call(None, "Target.getTargets", json!({})).await);
    let targets = targets["targetInfos"].as_array().expect("a list").clone();
    assert_eq!(targets.len(), 1, "the tabs of other sessions are not there: {targets:?}");
    let params = json!({ "targetId": targets[0]["targetId"], "flatten": true });
    let attached = ok(client.call(None, "Target.attachToTarget", params).await);
    attached["sessionId"].as_str().expect("a session").to_owned()
}

async fn evaluate(client: &mut Client, tab: &str, expression: &str) -> Value {
    let params = json!({ "expression": expression, "returnByValue": true });
    ok(client.call(Some(tab), "Runtime.evaluate", params).await)["result"]["value"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_drive_a_session_of_a_pod_and_end_with_it() {
    let world = World::new(10).await;
    let pod = RealPod::start("devtools-1", &world.pod_identity, &[]).await;
    world.cluster.add_pod(pod.record.clone());
    let gateway = world.replicas[0].address;
    for session in ["work", "other"] {
        let page = json!({ "html": "<title>Shop</title><input id=f type=file>" });
        let opened = send(gateway, "acme", session, "load-html", &page, &[]).await;
        assert_eq!(opened.reason(), "ok", "{opened:?}");
    }
    let mut client = world.client(1, "/cdp/work", &[ACME]).await.expect("it is taken");
    let tab = attach(&mut client).await;
    assert_eq!(evaluate(&mut client, &tab, "document.title").await, "Shop");
    // Files of the pod are not given to pages.
    let input = json!({ "expression": "document.querySelector('#f')" });
    let input = ok(client.call(Some(&tab), "Runtime.evaluate", input).await);
    let files = json!({ "files": ["/etc/hostname"], "objectId": input["result"]["objectId"] });
    let refused = client.call(Some(&tab), "DOM.setFileInputFiles", files).await;
    assert!(refused["error"]["message"].to_string().contains("contents"), "{refused}");
    // A folder on the machine of the client is ignored.
    let folder = json!({ "behavior": "allowAndName", "downloadPath": "/tmp/not-of-the-pod" });
    ok(client.call(None, "Browser.setDownloadBehavior", folder).await);
    for url in ["http://169.254.169.254/", "file:///etc/passwd"] {
        let answer = client.call(Some(&tab), "Page.navigate", json!({ "url": url })).await;
        assert!(answer["error"].is_object(), "{url}: {answer}");
    }
    // What is not of the public internet is out of reach.
    let private = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", private.local_addr().expect("an address"));
    client.call(Some(&tab), "Page.navigate", json!({ "url": url })).await;
    let fetching = format!("fetch('{url}').then(() => 'in', () => 'out')");
    let fetching = json!({ "expression": fetching, "awaitPromise": true });
    let fetched = ok(client.call(Some(&tab), "Runtime.evaluate", fetching).await);
    assert_eq!(fetched["result"]["value"], "out", "{fetched}");
    assert!(private.accept().now_or_never().is_none(), "nothing reached it");
    ok(client.call(Some(&tab), "Page.navigate", json!({ "url": "about:blank" })).await);
    let title = "document.title = 'Set by the client'; document.title";
    assert_eq!(evaluate(&mut client, &tab, title).await, "Set by the client");
    let read = json!({ "property": "title" });
    let title = send(gateway, "acme", "work", "get", &read, &[]).await;
    assert!(title.body.to_string().contains("Set by the client"), "{title:?}");
    // Another one comes by an address.
    let given = send(gateway, "acme", "work", "cdp-url", &json!({ "ttl": "5m" }), &[]).await;
    let url = given.body["url"].as_str().unwrap_or_else(|| panic!("{given:?}")).to_owned();
    let base = format!("ws://{gateway}");
    let path = url.strip_prefix(&base).unwrap_or_else(|| panic!("{url}"));
    assert!(path.starts_with("/cdp/uid-devtools-1/cdp_"), "{url}");
    let mut by_address = world.client(2, path, &[]).await.expect("it is taken");
    assert!(!attach(&mut by_address).await.is_empty());
    // Both end with the session, and their addresses.
    let closed = world.call(0, "acme", "work", "session close").await;
    assert_eq!(closed.reason(), "ok", "{closed:?}");
    for client in [&mut client, &mut by_address] {
        let reason = client.closed().await;
        assert!(reason.contains("session has ended"), "{reason:?}");
    }
    let later = world.client(0, path, &[]).await.map(drop);
    assert_eq!(later, Err(StatusCode::NOT_FOUND));
}
