//! Clients of the DevTools protocol: what they reach, and what they do not.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use browse_net::HostPolicy;
use browse_policy::{ClientId, Scopes};
use browse_proto::v1;
use browse_sessions::SessionRules;
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest as _, http::HeaderValue},
};
use tonic::Request;

use crate::{
    process::reason,
    support::site::{Route, Site},
    world::{World, by},
};

/// What takes longer does not come.
const LIMIT: Duration = Duration::from_secs(10);

/// A small client of the protocol.
struct Client {
    socket: WebSocketStream<TcpStream>,
    events: VecDeque<Value>,
    last_id: i64,
}

async fn address(world: &World, request: v1::CdpUrlRequest) -> String {
    let mut control = world.control();
    control.cdp_url(world.root(request)).await.unwrap().into_inner().url.unwrap()
}

/// The host and port of an address, and its path.
fn parts(url: &str) -> (String, String) {
    let rest = url.strip_prefix("ws://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    (host.to_owned(), format!("/{path}"))
}

/// The status and body of a plain request.
async fn get(host: &str, path: &str, headers: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(host).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let status = text.split(' ').nth(1).unwrap().parse().unwrap();
    (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
}

impl Client {
    async fn connect(url: &str) -> Self {
        Self::try_connect(url, None).await.unwrap()
    }

    async fn try_connect(url: &str, bearer: Option<&str>) -> Result<Self, String> {
        let stream = TcpStream::connect(parts(url).0).await.map_err(|error| error.to_string())?;
        let mut request = url.into_client_request().unwrap();
        if let Some(token) = bearer {
            let value = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
            request.headers_mut().insert("authorization", value);
        }
        let opened = client_async(request, stream).await;
        let (socket, _) = opened.map_err(|error| error.to_string())?;
        Ok(Self { socket, events: VecDeque::new(), last_id: 0 })
    }

    async fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    async fn next(&mut self) -> Option<Value> {
        loop {
            match timeout(LIMIT, self.socket.next()).await.expect("a message comes")? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The answer to a call, a result or an error.
    async fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.send(&message.to_string()).await;
        loop {
            let message = self.next().await.expect("an answer");
            if message["id"] == self.last_id {
                return message;
            }
            self.events.push_back(message);
        }
    }

    /// The result of a call that works.
    #[track_caller]
    fn ok(answer: Value) -> Value {
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// The next event of this name that fits, from those that came too.
    async fn event(&mut self, method: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let fit = |event: &Value| event["method"] == method && fits(event);
            if let Some(at) = self.events.iter().position(fit) {
                return self.events.remove(at).unwrap();
            }
            let message = self.next().await.expect("an event");
            self.events.push_back(message);
        }
    }

    /// Attaches to all targets as Playwright does; the session of the first tab.
    async fn attach(&mut self, waits: bool) -> (String, String) {
        let params =
            json!({ "autoAttach": true, "waitForDebuggerOnStart": waits, "flatten": true });
        Self::ok(self.call(None, "Target.setAutoAttach", params).await);
        let is_known = |event: &&Value| event["method"] == "Target.attachedToTarget";
        let event = self.events.iter().find(is_known).expect("the tab that is there").clone();
        self.events.clear();
        let session = event["params"]["sessionId"].as_str().unwrap().to_owned();
        let target = event["params"]["targetInfo"]["targetId"].as_str().unwrap().to_owned();
        (session, target)
    }

    /// The value of an expression.
    async fn js(&mut self, session: &str, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call(Some(session), "Runtime.evaluate", params).await;
        Self::ok(answer)["result"]["value"].clone()
    }

    async fn goto(&mut self, session: &str, url: &str) {
        Self::ok(self.call(Some(session), "Page.enable", json!({})).await);
        Self::ok(self.call(Some(session), "Page.navigate", json!({ "url": url })).await);
        self.event("Page.loadEventFired", |event| event["sessionId"] == session).await;
    }

    /// The reason of the end.
    async fn closed(&mut self) -> String {
        loop {
            match timeout(LIMIT, self.socket.next()).await.expect("the end comes") {
                Some(Ok(Message::Close(Some(frame)))) => return frame.reason.to_string(),
                Some(Ok(_)) => {}
                Some(Err(error)) => return error.to_string(),
                None => return String::new(),
            }
        }
    }
}

/// What the activity log says of clients: outcome and target.
async fn activity(world: &World) -> Vec<(String, String)> {
    let (entries, _) = world.daemon.activity().subscribe();
    let own = entries.into_iter().filter(|entry| entry.client.starts_with("cdp:"));
    own.map(|entry| (entry.outcome, entry.target)).collect()
}

async fn wait_for(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !holds().await {
        assert!(start.elapsed() < 6 * LIMIT, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_drives_the_tabs_of_its_session() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", "<title>one</title><h1>Hello</h1>");
    let mut client = Client::connect(&address(&world, v1::CdpUrlRequest::default()).await).await;
    let version = Client::ok(client.call(None, "Browser.getVersion", json!({})).await);
    assert!(version["product"].as_str().unwrap().contains("Chrom"), "{version}");
    let (session, target) = client.attach(true).await;
    client.goto(&session, &site.url("/")).await;
    assert_eq!(client.js(&session, "document.title").await, "one");
    // The CLI sees the same tab.
    let url = world.browser().get_url(world.root(v1::GetUrlRequest {})).await.unwrap();
    assert_eq!(url.into_inner().url, site.url("/"));
    let targets = Client::ok(client.call(None, "Target.getTargets", json!({})).await);
    assert_eq!(targets["targetInfos"].as_array().unwrap().len(), 1, "{targets}");
    assert_eq!(targets["targetInfos"][0]["targetId"], target);
    // A tab of the client is one of the session, and the other way round.
    let made = client.call(None, "Target.createTarget", json!({ "url": "about:blank" })).await;
    let made = Client::ok(made)["targetId"].as_str().unwrap().to_owned();
    let attached = client.events.iter().any(|event| {
        event["method"] == "Target.attachedToTarget"
            && event["params"]["targetInfo"]["targetId"] == made
    });
    assert!(attached, "it is attached before the answer");
    assert_eq!(world.daemon.sessions().tabs().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_waits_for_the_daemon_and_each_client() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", "<title>new</title>");
    let url = address(&world, v1::CdpUrlRequest::default()).await;
    let (mut one, mut two) = (Client::connect(&url).await, Client::connect(&url).await);
    one.attach(true).await;
    two.attach(true).await;
    let request = v1::NewTabRequest { url: Some(site.url("/")) };
    let request = world.root(request);
    let mut browser = world.browser();
    let opening = tokio::spawn(async move { browser.new_tab(request).await });
    let mut sessions = Vec::new();
    for client in [&mut one, &mut two] {
        let event = client.event("Target.attachedToTarget", |_| true).await;
        assert_eq!(event["params"]["waitingForDebugger"], true, "{event}");
        sessions.push(event["params"]["sessionId"].as_str().unwrap().to_owned());
    }
    let run = "Runtime.runIfWaitingForDebugger";
    Client::ok(one.call(Some(&sessions[0]), run, json!({})).await);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!opening.is_finished(), "the second client has not let it run");
    Client::ok(two.call(Some(&sessions[1]), run, json!({})).await);
    opening.await.unwrap().unwrap();
    // One that goes holds nothing.
    let request = world.root(v1::NewTabRequest::default());
    let mut browser = world.browser();
    let opening = tokio::spawn(async move { browser.new_tab(request).await });
    one.event("Target.attachedToTarget", |_| true).await;
    two.event("Target.attachedToTarget", |_| true).await;
    drop((one, two));
    opening.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_a_capability() {
    let world = World::with_browser().await;
    let url = address(&world, v1::CdpUrlRequest::default()).await;
    let (host, path) = parts(&url);
    let named = format!("Host: {host}\r\n");
    let capability = path.strip_prefix("/cdp/").unwrap().to_owned();
    assert_eq!(capability.len(), "cdp_".len() + 32);
    for path in ["/", "/json/version", "/json/list", "/cdp", "/cdp/", "/cdp/json/version"] {
        assert_eq!(get(&host, path, &named).await, (404, String::new()), "{path}");
    }
    let other = format!("/cdp/cdp_{}/json/version", "0".repeat(32));
    assert_eq!(get(&host, &other, &named).await, (404, String::new()));
    for end in ["/json/version", "/json/version/"] {
        let (status, body) = get(&host, &format!("{path}{end}"), &named).await;
        assert_eq!(status, 200, "{body}");
        let version: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(version["webSocketDebuggerUrl"], url.as_str());
    }
    // As a header.
    let bearer = format!("{named}Authorization: Bearer {capability}\r\n");
    let (status, body) = get(&host, "/cdp/json/version", &bearer).await;
    assert!(status == 200 && !body.contains(&capability), "{body}");
    let open = format!("ws://{host}/cdp");
    assert!(Client::try_connect(&open, Some(&capability)).await.is_ok());
    assert!(Client::try_connect(&open, Some("cdp_0")).await.is_err());
    // From pages, and by other names.
    let from_page = format!("{named}Origin: http://{host}\r\n");
    assert_eq!(get(&host, &format!("{path}/json/version"), &from_page).await.0, 403);
    let rebound = "Host: evil.example\r\n";
    assert_eq!(get(&host, &format!("{path}/json/version"), rebound).await.0, 404);
    for (_, target) in activity(&world).await {
        assert!(!target.contains(&capability), "{target}");
    }
    // Activity of other commands masks it, too.
    let goto = v1::GotoRequest { url: url.replace("ws:", "http:"), wait: 0 };
    let _ = world.browser().goto(world.root(goto)).await;
    let (entries, _) = world.daemon.activity().subscribe();
    assert!(entries.iter().all(|entry| !entry.target.contains(&capability)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_ends_by_revocation_time_and_with_its_session() {
    let world = World::with_browser().await;
    let url = address(&world, v1::CdpUrlRequest::default()).await;
    let mut client = Client::connect(&url).await;
    let revoke = v1::CdpUrlRequest { revoke: true, ..Default::default() };
    let revoked = world.control().cdp_url(world.root(revoke)).await.unwrap().into_inner();
    assert_eq!(revoked.outcome.as_deref(), Some("revoked 1 address"));
    assert!(client.closed().await.contains("revoked"));
    assert!(Client::try_connect(&url, None).await.is_err());
    let short = v1::CdpUrlRequest { ttl: Some("1s".to_owned()), ..Default::default() };
    let mut client = Client::connect(&address(&world, short).await).await;
    assert!(client.closed().await.contains("expired"));
    // With the session, however it ends.
    for closes_by_command in [true, false] {
        let name = "work".parse().unwrap();
        let (root, rules) = (ClientId::root(), SessionRules::unrestricted());
        world.daemon.sessions().open(&name, &root, rules).await.unwrap();
        let mut request = world.root(v1::CdpUrlRequest::default());
        request.metadata_mut().insert(browse_proto::metadata::SESSION, "work".parse().unwrap());
        let url = world.control().cdp_url(request).await.unwrap().into_inner().url.unwrap();
        let mut client = Client::connect(&url).await;
        client.attach(false).await;
        if closes_by_command {
            let close = v1::CloseSessionRequest { name: "work".to_owned(), forget: false };
            world.control().close_session(world.root(close)).await.unwrap();
        } else {
            world.daemon.sessions().close("work").await.unwrap();
        }
        let reason = client.closed().await;
        assert!(reason.contains("session has ended") || reason.contains("revoked"), "{reason}");
        assert!(Client::try_connect(&url, None).await.is_err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_root_gets_an_address_and_none_where_egress_blocks() {
    let world = World::with_browser().await;
    for scopes in [Scopes::ALL, Scopes::of(&[browse_proto::Scope::Control])] {
        let token = world.mint("skill", scopes);
        let asked = by(token.token(), v1::CdpUrlRequest::default());
        let refused = world.control().cdp_url(asked).await.unwrap_err();
        assert_eq!(reason(&refused), "SCOPE_DENIED");
        world.daemon.authority().revoke(&ClientId::new("skill").unwrap());
    }
    for ttl in ["0s", "25h", "soon", ""] {
        let request = v1::CdpUrlRequest { ttl: Some(ttl.to_owned()), ..Default::default() };
        let refused = world.control().cdp_url(world.root(request)).await.unwrap_err();
        assert_eq!(reason(&refused), "ARGUMENT_INVALID", "{ttl}");
    }
    let world = World::with_flags(&["--security-egress=block"]).await;
    let request: Request<_> = world.root(v1::CdpUrlRequest::default());
    let refused = world.control().cdp_url(request).await.unwrap_err();
    assert_eq!(reason(&refused), "CDP_URL_DENIED");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_leaves_the_session_is_refused_and_listed() {
    let world = World::with_browser().await;
    // Another session, whose ids are not for the client.
    let name = "other".parse().unwrap();
    let (root, rules) = (ClientId::root(), SessionRules::unrestricted());
    let other = world.daemon.sessions().open(&name, &root, rules).await.unwrap();
    let foreign = other.open_tab(&ClientId::root()).await.unwrap();
    let foreign_target = foreign.page().target_id().to_string();
    let foreign_session = foreign.page().session().id().to_string();
    let foreign_context = foreign.page().context_id().to_string();
    let mut client = Client::connect(&address(&world, v1::CdpUrlRequest::default()).await).await;
    let (session, target) = client.attach(false).await;
    let (in_target, in_browser) = (Some(session.as_str()), None);
    let cookie = json!([{ "name": "a", "value": "1", "url": "http://example.com/" }]);
    let table: Vec<(Option<&str>, &str, Value)> = vec![
        (
            in_browser,
            "Target.attachToTarget",
            json!({ "targetId": foreign_target, "flatten": true }),
        ),
        (
            in_browser,
            "Target.attachToTarget",
            json!({ "targetId": format!("TAB-{foreign_target}"), "flatten": true }),
        ),
        (in_browser, "Target.attachToTarget", json!({ "targetId": target })),
        (in_browser, "Target.getTargetInfo", json!({ "targetId": foreign_target })),
        (in_target, "Target.getTargetInfo", json!({ "targetId": foreign_target })),
        (in_browser, "Target.closeTarget", json!({ "targetId": foreign_target })),
        (in_browser, "Target.activateTarget", json!({ "targetId": foreign_target })),
        (in_browser, "Target.detachFromTarget", json!({ "sessionId": foreign_session })),
        (Some(foreign_session.as_str()), "Runtime.evaluate", json!({ "expression": "1" })),
        (Some("0123456789ABCDEF"), "Runtime.evaluate", json!({ "expression": "1" })),
        (
            in_browser,
            "Target.createTarget",
            json!({ "url": "about:blank", "browserContextId": foreign_context }),
        ),
        (
            in_browser,
            "Target.disposeBrowserContext",
            json!({ "browserContextId": foreign_context }),
        ),
        (
            in_browser,
            "Target.disposeBrowserContext",
            json!({ "browserContextId": world.daemon.sessions().get("default").unwrap().context().unwrap().id().to_string() }),
        ),
        (in_browser, "Storage.getCookies", json!({ "browserContextId": foreign_context })),
        (in_target, "Storage.getCookies", json!({ "browserContextId": foreign_context })),
        (
            in_browser,
            "Storage.setCookies",
            json!({ "browserContextId": foreign_context, "cookies": cookie }),
        ),
        (in_browser, "Storage.clearCookies", json!({ "browserContextId": foreign_context })),
        (
            in_browser,
            "Browser.grantPermissions",
            json!({ "browserContextId": foreign_context, "permissions": [] }),
        ),
        (in_browser, "Browser.getWindowForTarget", json!({ "targetId": foreign_target })),
        (in_browser, "Browser.setWindowBounds", json!({ "windowId": 99, "bounds": {} })),
        (
            in_browser,
            "Browser.setDownloadBehavior",
            json!({ "behavior": "allowAndName", "downloadPath": "/etc" }),
        ),
        (
            in_browser,
            "Browser.setDownloadBehavior",
            json!({ "behavior": "allow", "downloadPath": "/root" }),
        ),
        (
            in_target,
            "Browser.setDownloadBehavior",
            json!({ "behavior": "allow", "downloadPath": "/var/lib" }),
        ),
        (in_browser, "Browser.cancelDownload", json!({ "guid": "x" })),
        (
            in_target,
            "Page.setDownloadBehavior",
            json!({ "behavior": "allow", "downloadPath": "/tmp" }),
        ),
        (in_browser, "Target.createBrowserContext", json!({ "proxyServer": "http://127.0.0.1:1" })),
        (in_browser, "Target.createBrowserContext", json!({ "proxyBypassList": "*" })),
        (
            in_browser,
            "Target.createBrowserContext",
            json!({ "originsWithUniversalNetworkAccess": ["http://a.test"] }),
        ),
        (in_target, "Page.navigate", json!({ "url": "file:///etc/passwd" })),
        (in_target, "Page.navigate", json!({ "url": "chrome://version" })),
        (in_target, "Page.navigate", json!({ "url": "view-source:http://example.com" })),
        (
            in_target,
            "Page.navigate",
            json!({ "url": "devtools://devtools/bundled/inspector.html" }),
        ),
        (in_target, "Page.navigate", json!({ "url": "javascript:alert(1)" })),
        (in_target, "Page.navigate", json!({ "url": "http://169.254.169.254/latest" })),
        (in_browser, "Target.createTarget", json!({ "url": "file:///etc/passwd" })),
        (in_browser, "Target.createTarget", json!({ "url": "chrome://settings" })),
        (in_target, "DOM.setFileInputFiles", json!({ "files": ["/etc/passwd"], "nodeId": 1 })),
        (
            in_target,
            "DOM.setFileInputFiles",
            json!({ "files": ["../../../../etc/shadow"], "nodeId": 1 }),
        ),
        (
            in_target,
            "Input.dispatchDragEvent",
            json!({ "type": "drop", "x": 1, "y": 1, "data": { "items": [], "files": ["/etc/passwd"], "dragOperationsMask": 1 } }),
        ),
        (
            in_target,
            "Fetch.continueRequest",
            json!({ "requestId": "1", "url": "http://evil.example/" }),
        ),
        (in_browser, "Fetch.enable", json!({})),
        (
            in_target,
            "Network.loadNetworkResource",
            json!({ "url": "http://evil.example/", "options": {} }),
        ),
        (in_target, "Network.setRequestInterception", json!({ "patterns": [] })),
        (
            in_target,
            "Network.continueInterceptedRequest",
            json!({ "interceptionId": "1", "url": "http://evil.example/" }),
        ),
        (in_browser, "Target.exposeDevToolsProtocol", json!({ "targetId": target })),
        (
            in_browser,
            "Target.setRemoteLocations",
            json!({ "locations": [{ "host": "127.0.0.1", "port": 1 }] }),
        ),
        (in_browser, "Target.sendMessageToTarget", json!({ "message": "{}" })),
        (
            in_browser,
            "Target.autoAttachRelated",
            json!({ "targetId": foreign_target, "waitForDebuggerOnStart": false }),
        ),
        (in_browser, "Target.openDevTools", json!({ "targetId": target })),
        (in_browser, "Browser.crash", json!({})),
        (in_browser, "Browser.crashGpuProcess", json!({})),
        (in_browser, "Browser.executeBrowserCommand", json!({ "commandId": "closeTabSearch" })),
        (in_browser, "Browser.getBrowserCommandLine", json!({})),
        (in_browser, "Extensions.loadUnpacked", json!({ "path": "/tmp" })),
        (in_browser, "Extensions.getExtensions", json!({})),
        (in_browser, "Tethering.bind", json!({ "port": 9999 })),
        (in_browser, "SystemInfo.getInfo", json!({})),
        (in_browser, "SystemInfo.getProcessInfo", json!({})),
        (in_browser, "Security.setIgnoreCertificateErrors", json!({ "ignore": true })),
        (in_target, "Security.setIgnoreCertificateErrors", json!({ "ignore": true })),
        (in_target, "Security.setOverrideCertificateErrors", json!({ "override": true })),
        (in_browser, "Tracing.start", json!({})),
        (in_target, "Tracing.start", json!({})),
        (in_browser, "IO.read", json!({ "handle": "1" })),
        (in_browser, "Memory.getAllTimeSamplingProfile", json!({})),
        (in_target, "DOM.getFileInfo", json!({ "objectId": "1" })),
        (in_target, "Page.crash", json!({})),
        (in_target, "ServiceWorker.enable", json!({})),
        (in_browser, "Runtime.evaluate", json!({ "expression": "1" })),
        (in_browser, "No.suchMethod", json!({})),
        (in_target, "Page.noSuchMethod", json!({})),
    ];
    let before = activity(&world).await.len();
    for (session, method, params) in &table {
        let answer = client.call(*session, method, params.clone()).await;
        let code = answer["error"]["code"].as_i64();
        assert!(code.is_some_and(|code| code <= -32000), "{method} {params}: {answer}");
    }
    let after = activity(&world).await;
    assert_eq!(after.len() - before, table.len(), "{after:#?}");
    for ((outcome, target), (_, method, _)) in after[before..].iter().zip(&table) {
        assert!(outcome == "CDP_DENIED" && target.contains(method), "{method}: {outcome} {target}");
    }
    // The client and the browser are well.
    assert_eq!(client.js(&session, "6 * 7").await, 42);
    assert!(!foreign.page().is_closed() && foreign.page().url() == "about:blank");
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_answered_and_the_connection_stays() {
    let world = World::with_browser().await;
    let url = address(&world, v1::CdpUrlRequest::default()).await;
    let mut client = Client::connect(&url).await;
    for text in ["", "x", "[]", "{}", "{\"id\":1}", "{\"id\":{},\"method\":7}", "null", "\u{1}"] {
        client.send(text).await;
        let answer = client.next().await.unwrap();
        assert!(answer["error"]["code"].as_i64().is_some(), "{text}: {answer}");
    }
    client.socket.send(Message::binary(vec![0, 159, 146, 150])).await.unwrap();
    assert_eq!(client.next().await.unwrap()["error"]["code"], -32700);
    Client::ok(client.call(None, "Browser.getVersion", json!({})).await);
    // What is too large ends it, and nothing else.
    let mut other = Client::connect(&url).await;
    let _ = client.socket.send(Message::text("x".repeat(49 << 20))).await;
    client.closed().await;
    Client::ok(other.call(None, "Browser.getVersion", json!({})).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_reads_is_closed() {
    let world = World::with_browser().await;
    let url = address(&world, v1::CdpUrlRequest::default()).await;
    let mut client = Client::connect(&url).await;
    let (session, _) = client.attach(false).await;
    for id in 1000..1025 {
        let params = json!({ "expression": "'x'.repeat(4 << 20)", "returnByValue": true });
        let call = json!({ "id": id, "method": "Runtime.evaluate", "params": params, "sessionId": session });
        client.send(&call.to_string()).await;
    }
    wait_for("it is closed", async || {
        activity(&world).await.iter().any(|(_, target)| target.contains("does not read"))
    })
    .await;
    let js = v1::JsRequest { expression: "1".to_owned() };
    world.browser().js(world.root(js)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn contexts_of_a_client_have_the_rules_of_the_session_and_end_with_it() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", "<title>in</title>");
    let hosts = HostPolicy::from_patterns(&[format!("127.0.0.1:{}", site.port())]).unwrap();
    let name = "bound".parse().unwrap();
    let rules = SessionRules { hosts };
    world.daemon.sessions().open(&name, &ClientId::root(), rules).await.unwrap();
    let mut request = world.root(v1::CdpUrlRequest::default());
    request.metadata_mut().insert(browse_proto::metadata::SESSION, "bound".parse().unwrap());
    let url = world.control().cdp_url(request).await.unwrap().into_inner().url.unwrap();
    let mut client = Client::connect(&url).await;
    client.attach(false).await;
    let made = Client::ok(client.call(None, "Target.createBrowserContext", json!({})).await);
    let context = made["browserContextId"].clone();
    let listed = Client::ok(client.call(None, "Target.getBrowserContexts", json!({})).await);
    assert_eq!(listed["browserContextIds"], json!([context]));
    let params = json!({ "url": "about:blank", "browserContextId": context });
    Client::ok(client.call(None, "Target.createTarget", params).await);
    let event = client
        .event("Target.attachedToTarget", |event| {
            event["params"]["targetInfo"]["browserContextId"] == context
        })
        .await;
    let session = event["params"]["sessionId"].as_str().unwrap().to_owned();
    client.goto(&session, &site.url("/")).await;
    assert_eq!(client.js(&session, "document.title").await, "in");
    let before = site.hits().len();
    let foreign = site.url_on("localhost", "/");
    client.call(Some(&session), "Page.navigate", json!({ "url": foreign })).await;
    let fetched =
        client.js(&session, &format!("fetch('{foreign}').then(() => 'in', () => 'out')")).await;
    assert_eq!(fetched, "out");
    assert_eq!(site.hits().len(), before, "nothing reached the other host");
    // It ends with the client.
    let browser = world.daemon.sessions().browser_handle().browser().await.unwrap();
    let id = context.as_str().unwrap().to_owned();
    let has = || browser.pages().iter().any(|page| page.context_id().as_str() == id);
    assert!(has());
    drop(client);
    wait_for("the context ends", async || !has()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_are_answered_by_the_client() {
    let world = World::with_browser().await;
    let mut client = Client::connect(&address(&world, v1::CdpUrlRequest::default()).await).await;
    let (session, _) = client.attach(false).await;
    Client::ok(client.call(Some(&session), "Page.enable", json!({})).await);
    for (expression, accept, expected) in [
        ("confirm('sure?')", true, json!(true)),
        ("confirm('sure?')", false, json!(false)),
        ("prompt('name?')", true, json!("Ada")),
        ("(alert('hi'), 'shown')", true, json!("shown")),
    ] {
        client.last_id += 1;
        let id = client.last_id;
        let params = json!({ "expression": expression, "returnByValue": true });
        let call = json!({ "id": id, "method": "Runtime.evaluate", "params": params, "sessionId": session });
        client.send(&call.to_string()).await;
        client.event("Page.javascriptDialogOpening", |_| true).await;
        let params = json!({ "accept": accept, "promptText": "Ada" });
        let answer = client.call(Some(&session), "Page.handleJavaScriptDialog", params).await;
        Client::ok(answer);
        let at = client.events.iter().position(|event| event["id"] == id);
        let answer = match at {
            Some(at) => client.events.remove(at).unwrap(),
            None => loop {
                let message = client.next().await.unwrap();
                if message["id"] == id {
                    break message;
                }
            },
        };
        assert_eq!(answer["result"]["result"]["value"], expected, "{expression}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_go_to_the_session_and_to_the_client() {
    // A folder in which the session may keep them.
    let state = tempfile::tempdir().unwrap();
    let flag = format!("--state-file={}", state.path().join("daemon.json").display());
    let world = World::with_flags_and_browser(&[&flag]).await;
    let headers = vec!["Content-Disposition: attachment; filename=a.txt".to_owned()];
    let site = Site::start()
        .await
        .page("/", "<a id=a href=/file>get</a>")
        .route("/file", Route::Raw(200, headers, b"hello".to_vec()));
    let mut client = Client::connect(&address(&world, v1::CdpUrlRequest::default()).await).await;
    let (session, _) = client.attach(false).await;
    let folder = tempfile::tempdir().unwrap();
    let params = json!({
        "behavior": "allowAndName",
        "downloadPath": folder.path(),
        "eventsEnabled": true,
    });
    Client::ok(client.call(None, "Browser.setDownloadBehavior", params).await);
    client.goto(&session, &site.url("/")).await;
    let click =
        json!({ "expression": "document.querySelector('#a').click()", "userGesture": true });
    Client::ok(client.call(Some(&session), "Runtime.evaluate", click).await);
    let begins = client.event("Browser.downloadWillBegin", |_| true).await;
    assert_eq!(begins["params"]["suggestedFilename"], "a.txt");
    let done =
        client.event("Browser.downloadProgress", |event| event["params"]["state"] == "completed");
    done.await;
    let guid = begins["params"]["guid"].as_str().unwrap();
    assert_eq!(std::fs::read(folder.path().join(guid)).unwrap(), b"hello");
    wait_for("the session has it", async || {
        let request = world.root(v1::ListDownloadsRequest::default());
        let all = world.browser().list_downloads(request).await.unwrap().into_inner();
        format!("{all:?}").contains("a.txt")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_follow_the_rules_of_upload() {
    let world = World::with_browser().await;
    let site = Site::start().await.page("/", "<input id=f type=file>");
    let mut client = Client::connect(&address(&world, v1::CdpUrlRequest::default()).await).await;
    let (session, _) = client.attach(false).await;
    client.goto(&session, &site.url("/")).await;
    let folder = tempfile::tempdir().unwrap();
    let (good, secret) = (folder.path().join("a.txt"), folder.path().join(".env"));
    std::fs::write(&good, "hello").unwrap();
    std::fs::write(&secret, "KEY=1").unwrap();
    let params = json!({ "expression": "document.querySelector('#f')" });
    let found = client.call(Some(&session), "Runtime.evaluate", params).await;
    let object = Client::ok(found)["result"]["objectId"].clone();
    let refused = json!({ "files": [secret], "objectId": object });
    let refused = client.call(Some(&session), "DOM.setFileInputFiles", refused).await;
    assert_eq!(refused["error"]["code"], -32000, "{refused}");
    let given = json!({ "files": [good], "objectId": object });
    Client::ok(client.call(Some(&session), "DOM.setFileInputFiles", given).await);
    std::fs::write(&good, "changed").unwrap();
    let read = "document.querySelector('#f').files[0].text()";
    assert_eq!(client.js(&session, read).await, "hello", "the page has a copy");
}
