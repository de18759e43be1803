//! `browse login` at a real gateway, with tokens that an issuer signs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use browse_gate::login::LoginSettings;
use http::{StatusCode, header};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, jwk::Jwk};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    issuer::{Form, PlayedIssuer},
    mcp_client::McpClient,
    real_pods::{PAGE, RealPod},
    site::Site,
    skills::Workspace,
    support::{LIMIT, World},
};

/// An issuer that signs, with its keys in a file.
struct SigningIssuer {
    issuer: PlayedIssuer,
    folder: TempDir,
    signer: Arc<Mutex<Signer>>,
    /// Seconds that its tokens are good.
    lifetime: Arc<AtomicU64>,
}

struct Signer {
    key: EncodingKey,
    key_id: String,
    audience: String,
}

/// A home of the command line.
pub struct Client(TempDir);

impl SigningIssuer {
    fn start() -> Self {
        let signer =
            Signer { key: new_key(), key_id: "1".to_owned(), audience: "browse-fleet".to_owned() };
        let signer = Arc::new(Mutex::new(signer));
        let lifetime = Arc::new(AtomicU64::new(3600));
        let issuer = PlayedIssuer::start(|_| (400, json!({ "error": "invalid_grant" })));
        let (url, signing, seconds) = (issuer.url(), Arc::clone(&signer), Arc::clone(&lifetime));
        issuer.answer_tokens(move |form| {
            let lifetime = seconds.load(Ordering::Relaxed);
            let token = signing.lock().expect("no panic").sign(&url, lifetime);
            answer(form, &token, lifetime)
        });
        let folder = tempfile::tempdir().expect("a folder");
        let issuer = Self { issuer, folder, signer, lifetime };
        issuer.publish();
        issuer
    }

    /// A fleet that accepts its tokens.
    async fn world(&self) -> World {
        let jwks = self.folder.path().join("jwks.json").display().to_string();
        let auth = format!(
            "issuer = \"{}\"\naudience = \"browse-fleet\"\njwks_file = \"{jwks}\"",
            self.issuer.url()
        );
        let client_id = Some("browse-cli".to_owned());
        let login = LoginSettings { client_id, ..LoginSettings::default() };
        World::with_login(10, &auth, login).await
    }

    /// Signs for another audience from now on.
    fn set_audience(&self, audience: &str) {
        self.signer.lock().expect("no panic").audience = audience.to_owned();
    }

    /// Signs with another key from now on; the one before is good no more.
    fn rotate(&self) {
        let mut signer = self.signer.lock().expect("no panic");
        signer.key = new_key();
        signer.key_id = "2".to_owned();
        drop(signer);
        self.publish();
    }

    /// Replaces the keys, as a mounted Secret is replaced.
    fn publish(&self) {
        let signer = self.signer.lock().expect("no panic");
        let jwk = Jwk::from_encoding_key(&signer.key, Algorithm::ES256).expect("a public key");
        let mut jwk = serde_json::to_value(jwk).expect("JSON");
        jwk["kid"] = json!(signer.key_id);
        let (new, path) = (self.folder.path().join("new"), self.folder.path().join("jwks.json"));
        fs::write(&new, json!({ "keys": [jwk] }).to_string()).expect("written");
        fs::rename(&new, &path).expect("renamed");
    }
}

impl Signer {
    fn sign(&self, issuer: &str, lifetime: u64) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
        let claims = json!({
            "iss": issuer,
            "aud": self.audience,
            "sub": "ann",
            "tenant": "acme",
            "scope": "openid read write meta control",
            "exp": now + lifetime,
        });
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(self.key_id.clone());
        encode(&header, &claims, &self.key).expect("a token")
    }
}

fn answer(form: &Form, token: &str, lifetime: u64) -> (u16, Value) {
    let is_known = match form["grant_type"].as_str() {
        "refresh_token" => form["refresh_token"] == "refresh",
        _ => form["device_code"] == "device-1",
    };
    if !is_known {
        return (400, json!({ "error": "invalid_grant" }));
    }
    (200, json!({ "access_token": token, "refresh_token": "refresh", "expires_in": lifetime }))
}

fn new_key() -> EncodingKey {
    let pair = rcgen::KeyPair::generate().expect("a key");
    EncodingKey::from_ec_der(&pair.serialize_der())
}

impl Client {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// The working directory, which is the home of the user, too.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Prepares `browse` with `args`.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(browse());
        command.args(args).env_clear().stdin(Stdio::null()).current_dir(self.folder());
        command.env("HOME", self.folder()).env("BROWSE_HOME", self.home());
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("browse is built")
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    /// The reason of a command that fails, and its hint; `ok` when it does not fail.
    fn reason(&self, args: &[&str]) -> (String, String) {
        let output = self.run(&[&["--json"], args].concat());
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let text = |name: &str| document["error"][name].as_str().unwrap_or("ok").to_owned();
        (text("reason"), text("hint"))
    }

    /// Waits until a command ends so.
    fn reason_becomes(&self, args: &[&str], reason: &str) -> (String, String) {
        let begun = std::time::Instant::now();
        loop {
            let found = self.reason(args);
            if found.0 == reason || begun.elapsed() > LIMIT {
                return found;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// The command line that was built beside this test.
fn browse() -> PathBuf {
    let test = std::env::current_exe().expect("a program");
    let path = test.parent().and_then(Path::parent).expect("a folder").join("browse");
    assert!(path.exists(), "build the workspace first: {} is missing", path.display());
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_and_drives_the_fleet() {
    let issuer = SigningIssuer::start();
    let world = issuer.world().await;
    let client = Client::new();
    let url = format!("http://{}", world.replicas[0].address);
    // The tenant has no pod yet: the token is checked all the same.
    let login = client.run(&["login", &url, "--name", "fleet"]);
    assert!(login.status.success(), "{login:?}");
    assert!(String::from_utf8_lossy(&login.stderr).contains("ABCD-EFGH"), "{login:?}");
    let open = ["--remote", "fleet", "--timeout", "1s", "session", "new", "work"];
    let (reason, hint) = client.reason(&open);
    assert_eq!(reason, "FLEET_BUSY");
    assert!(hint.starts_with("Try again in"), "{hint}");
    let pod = world.add_pod().await;
    let opened = client.run(&["--remote", "fleet", "session", "new", "work"]);
    assert!(opened.status.success(), "{opened:?}");
    let read = client.run(&["--remote", "fleet", "--session", "work", "tabs"]);
    assert!(read.status.success(), "{read:?}");
    assert_eq!(pod.tenant().as_deref(), Some("acme"));
    assert_eq!(pod.calls(), ["work session new", "work tabs"]);
    assert_eq!(client.reason(&["--remote", "fleet", "pair", "list"]).0, "FLEET_DENIED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_for_another_audience_is_not_kept() {
    let issuer = SigningIssuer::start();
    issuer.set_audience("another");
    let world = issuer.world().await;
    let client = Client::new();
    let url = format!("http://{}", world.replicas[1].address);
    let (reason, hint) = client.reason(&["login", &url]);
    assert_eq!(reason, "TOKEN_INVALID");
    assert!(hint.contains("for the audience `browse-fleet`"), "{hint}");
    let kept = fs::read_dir(client.home().join("remotes")).expect("a folder").count();
    assert_eq!(kept, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn when_keys_are_rotated_the_next_token_is_good() {
    let issuer = SigningIssuer::start();
    let world = issuer.world().await;
    let _pod = world.add_pod().await;
    let url = format!("http://{}", world.replicas[2].address);
    let (lasting, renewing) = (Client::new(), Client::new());
    assert!(lasting.run(&["login", &url, "--name", "fleet"]).status.success());
    // So short that each call renews it.
    issuer.lifetime.store(20, Ordering::Relaxed);
    assert!(renewing.run(&["login", &url, "--name", "fleet"]).status.success());
    issuer.rotate();
    let call = ["--remote", "fleet", "tabs"];
    assert_eq!(renewing.reason_becomes(&call, "ok").0, "ok");
    let (reason, hint) = lasting.reason_becomes(&call, "TOKEN_INVALID");
    assert_eq!(reason, "TOKEN_INVALID");
    assert_eq!(hint, format!("Run `browse login {url} --name fleet` again"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_is_renewed_while_a_skill_runs() {
    let (issuer, site) = (SigningIssuer::start(), Site::page(PAGE));
    let world = issuer.world().await;
    let hosts = ("BROWSE_POD_HOSTS", format!("127.0.0.1:{}", site.port()));
    let pod = RealPod::start("renewing-1", &world.pod_identity, &[hosts]).await;
    world.cluster.add_pod(pod.record.clone());
    // So short that each call renews it.
    issuer.lifetime.store(20, Ordering::Relaxed);
    let workspace = Workspace::new();
    let url = format!("http://{}", world.replicas[0].address);
    let login = workspace.run(&["login", &url, "--name", "fleet"]);
    assert!(login.status.success(), "{login:?}");
    workspace.flows(&site);
    let before = issuer.issuer.forms("/token").len();
    let url = format!("url={}", site.url("/"));
    let run = ["--remote", "fleet", "skill", "run", "python", "--arg", &url];
    assert_eq!(workspace.json(&run)["title"], "Sold");
    // The command line has done so once, before it called the daemon.
    let renewals = issuer.issuer.forms("/token").len() - before;
    assert!(renewals > 3, "{renewals}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_mcp_learns_where_to_sign_in() {
    let issuer = SigningIssuer::start();
    let world = issuer.world().await;
    let _pod = world.add_pod().await;
    let address = world.replicas[1].address;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let anonymous = McpClient::new("");
    let refused = anonymous.post(address, &[("authorization", "")], ping).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{refused:?}");
    let challenge = refused.headers[header::WWW_AUTHENTICATE].to_str().expect("ASCII");
    let url = challenge.split('"').nth(1).expect(challenge);
    assert_eq!(challenge, format!("Bearer resource_metadata=\"{url}\""));
    let at_root = url.strip_suffix("/mcp").expect(url);
    for url in [url, at_root] {
        let metadata = McpClient::fetch(url).await;
        assert_eq!(metadata.status, StatusCode::OK, "{url}: {metadata:?}");
        assert_eq!(metadata.body["resource"], format!("http://{address}/mcp"));
        assert_eq!(metadata.body["authorization_servers"], json!([issuer.issuer.url()]));
    }
    let token = issuer.signer.lock().expect("no panic").sign(&issuer.issuer.url(), 60);
    let agent = McpClient::begin(address, &token).await;
    agent.ok(address, "tabs", json!({ "action": "list" })).await;

    // A fleet with API keys has no issuer to name.
    let world = World::new(10).await;
    let at_root =
        format!("http://{}/.well-known/oauth-protected-resource", world.replicas[0].address);
    let refused = McpClient::fetch(&at_root).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{refused:?}");
}
