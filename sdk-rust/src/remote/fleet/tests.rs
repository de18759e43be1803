//! Fleets in files, gateways that answer as a test says, and a program in place of the
//! command line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use rustls::crypto::ring as provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use request::Request;

use super::*;
use crate::client::Browse;

// The suite has it, too, and uses all of it.
#[allow(dead_code)]
mod request;

/// The headers of a call, and the number of its connection.
type SeenCall = (BTreeMap<String, String>, usize);

/// Status and body of an answer to a call with this token.
type Answer = Arc<dyn Fn(&str) -> (u16, String) + Send + Sync>;

const URL_ANSWER: &str = r#"{"url":"u"}"#;
const ENDED: &str = r#"{"code":"unauthenticated","message":"it has ended","details":[{"type":"google.rpc.ErrorInfo","value":"","debug":{"reason":"TOKEN_EXPIRED","hint":"h"}}]}"#;

struct PlayedGateway {
    url: String,
    calls: Arc<Mutex<Vec<SeenCall>>>,
}

impl PlayedGateway {
    /// One that accepts these tokens alone.
    fn accepting(tokens: &[&str], tls: Option<Arc<ServerConfig>>) -> Self {
        let tokens: Vec<String> = tokens.iter().map(|token| format!("Bearer {token}")).collect();
        let answer = move |token: &str| match tokens.iter().any(|known| known == token) {
            true => (200, URL_ANSWER.to_owned()),
            false => (401, ENDED.to_owned()),
        };
        Self::start(Arc::new(answer), tls)
    }

    fn start(answer: Answer, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let url = match tls {
            Some(_) => format!("https://localhost:{port}"),
            None => format!("http://127.0.0.1:{port}"),
        };
        let calls: Arc<Mutex<Vec<SeenCall>>> = Arc::default();
        let seen = Arc::clone(&calls);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let (answer, seen, tls) = (Arc::clone(&answer), Arc::clone(&seen), tls.clone());
                thread::spawn(move || match tls {
                    None => serve(stream, number, &answer, &seen),
                    Some(tls) => {
                        let server = ServerConnection::new(tls).expect("a configuration");
                        serve(StreamOwned::new(server, stream), number, &answer, &seen);
                    }
                });
            }
        });
        Self { url, calls }
    }

    fn tokens(&self) -> Vec<String> {
        lock(&self.calls).iter().map(|(headers, _)| headers["authorization"].clone()).collect()
    }
}

fn serve(stream: impl Read + Write, number: usize, answer: &Answer, seen: &Mutex<Vec<SeenCall>>) {
    let mut reader = BufReader::new(stream);
    while let Some(Request { headers, .. }) = Request::read(&mut reader) {
        let (status, text) = answer(&headers["authorization"]);
        lock(seen).push((headers, number));
        let kind = if text.is_empty() { "text/plain" } else { "application/json" };
        let length = text.len();
        let answer = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{text}"
        );
        let writer = reader.get_mut();
        if writer.write_all(answer.as_bytes()).and_then(|()| writer.flush()).is_err() {
            return;
        }
    }
}

/// A home of browse, with certificates and a program.
struct World(PathBuf);

impl World {
    fn new(name: &str) -> Self {
        let home = std::env::temp_dir().join(format!("browse-sdk-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(home.join("remotes")).expect("a folder");
        Self(home)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str, mode: u32) {
        let path = self.0.join(name);
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
    }

    /// Keeps a fleet as `browse login` does.
    fn keep(&self, document: &str) {
        self.write("remotes/prod.json", document, 0o600);
    }

    /// A client of what is kept.
    fn open(&self) -> Browse {
        let path = self.0.join("remotes/prod.json");
        let state = read_fleet("prod", &path).expect("a fleet");
        let program = Some(self.0.join("browse").into_os_string());
        let fleet = Fleet::new("prod", &path, state, program).expect("a gateway");
        let fleet = Arc::new(fleet);
        Browse::with_endpoint(fleet.stored_endpoint(), Some(fleet))
    }

    /// What `browse login --renew` does here; `runs` has its arguments and what it reads.
    fn program(&self, lines: &str) {
        let runs = self.path("runs");
        let text =
            format!("#!/bin/sh\necho \"$* [$BROWSE_TOKEN] <$(cat)>\" >> \"{runs}\"\n{lines}\n");
        // Renamed into its place: no thread that starts a program holds it open for writing.
        let copy = format!(
            "cat > \"{0}.new\" && chmod 700 \"{0}.new\" && mv \"{0}.new\" \"{0}\"",
            self.path("browse")
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &copy]).stdin(std::process::Stdio::piped());
        let mut child = shell.spawn().expect("a shell");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(text.as_bytes()).expect("written");
        drop(input);
        assert!(child.wait().expect("it ends").success());
    }

    /// Has the program put `token` into the file.
    fn renews_to(&self, url: &str, token: &str) {
        self.write("next.json", &document(url, token, 3600), 0o600);
        let (next, kept) = (self.path("next.json"), self.path("remotes/prod.json"));
        self.program(&format!("cp \"{next}\" \"{kept}\""));
    }

    fn runs(&self) -> Vec<String> {
        let text = fs::read_to_string(self.0.join("runs")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// A server with a certificate for `host` of an authority whose file is `<name>.pem`.
    fn certificate(&self, name: &str, host: &str) -> Arc<ServerConfig> {
        let run = |line: &str| {
            let mut openssl = Command::new("openssl");
            let output = openssl.args(line.split(' ')).current_dir(&self.0).output();
            let output = output.expect("openssl is installed");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
        let extensions =
            "-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign";
        run(&format!(
            "req -x509 {key} -days 2 -subj /CN={name} -keyout {name}-ca.key -out {name}.pem {extensions}"
        ));
        run(&format!("req {key} -subj /CN=server -keyout {name}.key -out {name}.csr"));
        self.write(&format!("{name}.ext"), &format!("subjectAltName=DNS:{host}\n"), 0o600);
        run(&format!(
            "x509 -req -in {name}.csr -CA {name}.pem -CAkey {name}-ca.key -CAcreateserial -days 2 -extfile {name}.ext -out {name}.crt"
        ));
        let read = |end: &str| fs::read(self.0.join(format!("{name}{end}"))).expect("a file");
        let certificate = CertificateDer::from_pem_slice(&read(".crt")).expect("a certificate");
        let key = PrivateKeyDer::from_pem_slice(&read(".key")).expect("a key");
        let builder = ServerConfig::builder_with_provider(Arc::new(provider::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().expect("versions");
        let config = builder.with_no_client_auth().with_single_cert(vec![certificate], key);
        Arc::new(config.expect("they match"))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The document of a fleet whose token ends in so many seconds.
fn document(url: &str, token: &str, seconds: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs();
    let end = i64::try_from(now).expect("a time") + seconds;
    format!(
        r#"{{"kind":"fleet","url":"{url}","token":"{token}","expires_at":{end},"issuer":"https://login.example.com","client_id":"browse-cli","refresh_token":"r"}}"#
    )
}

#[test]
fn a_gateway_is_called_for_which_the_authority_of_the_file_vouches() {
    let world = World::new("vouched");
    let gateway = PlayedGateway::accepting(&["good"], Some(world.certificate("ca", "localhost")));
    let (url, ca) = (&gateway.url, world.path("ca.pem"));
    world.keep(&format!(r#"{{"kind":"fleet","url":"{url}","ca":"{ca}","token":"good"}}"#));
    let browse = world.open();
    assert_eq!(browse.session("work").url().expect("a URL"), "u");
    assert_eq!(browse.url().expect("a URL"), "u");
    let calls = lock(&gateway.calls);
    let header = |name: &str| calls[0].0[name].as_str();
    assert_eq!((header("authorization"), header("browse-session")), ("Bearer good", "work"));
    assert_eq!(header("host"), url.trim_start_matches("https://"));
    assert_eq!((calls[0].1, calls[1].1), (0, 0), "they share a connection");
}

#[test]
fn a_gateway_of_another_authority_or_name_gets_nothing() {
    let world = World::new("untrusted");
    let of_ca = world.certificate("ca", "localhost");
    let of_name = world.certificate("name", "browse.example.com");
    for (ca, tls) in [("name.pem", &of_ca), ("name.pem", &of_name), ("", &of_ca)] {
        let gateway = PlayedGateway::accepting(&["good"], Some(Arc::clone(tls)));
        let ca = if ca.is_empty() { String::new() } else { world.path(ca) };
        let url = &gateway.url;
        world.keep(&format!(r#"{{"kind":"fleet","url":"{url}","ca":"{ca}","token":"good"}}"#));
        let error = match machine_has_authorities() || !ca.is_empty() {
            true => world.open().url().expect_err("it is not trusted"),
            false => continue,
        };
        assert_eq!(error.reason, "CERTIFICATE_UNUSABLE", "{error}");
        assert!(error.hint.contains("--ca <file>"), "{error}");
        assert!(gateway.tokens().is_empty());
    }
    world.write("empty.pem", "words", 0o600);
    for name in ["empty.pem", "missing.pem"] {
        let path = world.path(name);
        world.keep(&format!(
            r#"{{"kind":"fleet","url":"https://localhost:1","ca":"{path}","token":"good"}}"#
        ));
        let file = world.0.join("remotes/prod.json");
        let state = read_fleet("prod", &file).expect("a fleet");
        let error = Fleet::new("prod", &file, state, None).err().expect("no authority");
        assert_eq!(
            (error.reason.as_str(), &error.metadata["path"]),
            ("CERTIFICATE_UNUSABLE", &path)
        );
    }
}

fn machine_has_authorities() -> bool {
    !rustls_native_certs::load_native_certs().certs.is_empty()
}

#[test]
fn a_token_that_is_about_to_end_is_renewed_once_for_all_calls() {
    let world = World::new("due");
    let gateway = PlayedGateway::accepting(&["new"], None);
    world.keep(&document(&gateway.url, "old", 20));
    world.renews_to(&gateway.url, "new");
    let browse = world.open();
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| browse.url().expect("a URL"));
        }
    });
    assert_eq!(world.runs(), ["login --renew prod --json [] <>"]);
    assert_eq!(gateway.tokens(), ["Bearer new"; 6]);
}

#[test]
fn a_token_that_is_not_accepted_is_renewed_and_the_call_is_sent_again_once() {
    let world = World::new("refused");
    let gateway = PlayedGateway::accepting(&["new"], None);
    world.keep(&document(&gateway.url, "old", 3600));
    world.renews_to(&gateway.url, "new");
    let browse = world.open().session("work");
    assert_eq!(browse.url().expect("a URL"), "u");
    assert_eq!(gateway.tokens(), ["Bearer old", "Bearer new"]);
    let sessions: BTreeSet<String> =
        lock(&gateway.calls).iter().map(|(headers, _)| headers["browse-session"].clone()).collect();
    assert_eq!(sessions.into_iter().collect::<Vec<_>>(), ["work"]);

    // It has not ended by the clock: the program has to know that it was rejected.
    assert_eq!(world.runs(), ["login --renew prod --json --rejected-stdin [] <old>"]);

    let refusing = PlayedGateway::accepting(&[], None);
    world.keep(&document(&refusing.url, "old", 3600));
    world.renews_to(&refusing.url, "newer");
    let browse = world.open();
    let error = browse.url().expect_err("it is refused");
    let login = format!("Run `browse login {} --name prod` again", refusing.url);
    assert_eq!((error.reason.as_str(), error.code, &error.hint), ("TOKEN_EXPIRED", 16, &login));
    assert_eq!(refusing.tokens(), ["Bearer old", "Bearer newer"]);
    // The same token again is not worth another call.
    browse.url().expect_err("it is refused");
    assert_eq!(refusing.tokens().len(), 3);
    assert_eq!(world.runs()[2], "login --renew prod --json --rejected-stdin [] <newer>");
}

#[test]
fn a_token_that_another_command_has_stored_counts() {
    let world = World::new("stored");
    let gateway = PlayedGateway::accepting(&["new"], None);
    let keep = |token: &str| {
        let url = &gateway.url;
        world.keep(&format!(r#"{{"kind":"fleet","url":"{url}","token":"{token}"}}"#));
    };
    keep("old");
    let browse = world.open();
    keep("new");
    assert_eq!(browse.url().expect("a URL"), "u");
    assert_eq!(gateway.tokens(), ["Bearer old", "Bearer new"]);
    assert!(world.runs().is_empty());
}

#[test]
fn the_token_goes_to_the_gateway_of_its_file() {
    let world = World::new("moved");
    let (old, new) =
        (PlayedGateway::accepting(&[], None), PlayedGateway::accepting(&["new"], None));
    world.keep(&document(&old.url, "old", 3600));
    world.renews_to(&new.url, "new");
    assert_eq!(world.open().url().expect("a URL"), "u");
    assert_eq!(
        (old.tokens(), new.tokens()),
        (vec!["Bearer old".into()], vec!["Bearer new".into()])
    );
    let redirecting = PlayedGateway::start(Arc::new(|_: &str| (307, String::new())), None);
    world.keep(&document(&redirecting.url, "new", 3600));
    let error = world.open().url().expect_err("nothing is followed");
    assert_eq!(error.reason, "REMOTE_FOREIGN", "{error}");
    assert!(error.hint.contains("address of the fleet"), "{error}");
}

#[test]
fn a_renewal_that_fails_is_an_error_when_the_token_has_ended() {
    let world = World::new("failing");
    let gateway = PlayedGateway::accepting(&["old"], None);
    let again = format!("un `browse login {} --name prod` again", gateway.url);
    let reported =
        r#"echo '{"error":{"reason":"ISSUER_UNUSABLE","message":"m","hint":"Check it"}}'; exit 4"#;
    for (lines, reason, hint) in [
        (reported, "ISSUER_UNUSABLE", "Check it".to_owned()),
        ("echo 'error: no such flag' >&2; exit 2", "TOKEN_EXPIRED", format!("R{again}")),
        ("", "TOKEN_EXPIRED", format!("Set BROWSE_CLI to the program `browse`, or r{again}")),
    ] {
        match lines {
            "" => fs::remove_file(world.0.join("browse")).expect("it is there"),
            lines => world.program(lines),
        }
        world.keep(&document(&gateway.url, "old", -1));
        let error = world.open().url().expect_err("it has ended");
        assert_eq!((error.reason.as_str(), &error.hint), (reason, &hint), "{error}");
        assert!(gateway.tokens().is_empty());
    }
    // Its last seconds may do.
    world.keep(&document(&gateway.url, "old", 20));
    assert_eq!(world.open().url().expect("a URL"), "u");
}
