//! The program against a service of ngrok that is played on loopback, and a
//! listener of TLS 1.3.

#![allow(clippy::unwrap_used)]

#[path = "../../../cli/tests/support/ngrok.rs"]
mod ngrok;

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use ngrok::Ngrok;
use rcgen::PublicKeyData as _;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        self, ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer},
    },
};

/// Longer than anything takes on a busy machine.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);

/// What the account is known by.
const TOKEN: &str = "2abcDEF0123456789_s3cretOfTheAccount";

const REQUEST: &str = "GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/// A listener that says hello over TLS 1.3.
struct Listener {
    address: SocketAddr,
    pin: String,
    _runtime: tokio::runtime::Runtime,
}

impl Listener {
    fn start() -> Self {
        let made = rcgen::generate_simple_self_signed(["x".to_owned()]).unwrap();
        let pin = Sha256::digest(made.signing_key.subject_public_key_info());
        let pin = pin.iter().map(|byte| format!("{byte:02x}")).collect();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let chain = vec![CertificateDer::from(made.cert.der().to_vec())];
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key));
        let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let mut stream = acceptor.accept(stream).await?;
                    let mut request = vec![0; REQUEST.len()];
                    stream.read_exact(&mut request).await?;
                    let good = request == REQUEST.as_bytes();
                    let answer = format!("HTTP/1.1 200 OK\r\n\r\nhello {good}");
                    stream.write_all(answer.as_bytes()).await?;
                    stream.shutdown().await
                });
            }
        });
        Self { address, pin, _runtime: runtime }
    }
}

/// The program, and the lines that it prints.
struct Program {
    child: Child,
    lines: mpsc::Receiver<String>,
    reported: Vec<String>,
}

impl Program {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, lines, reported: Vec::new() }
    }

    /// Waits for the next line.
    #[track_caller]
    fn next(&mut self) -> String {
        let line = self.lines.recv_timeout(WAIT_TIMEOUT).expect("it says something");
        self.reported.push(line.clone());
        line
    }

    /// Waits for its end, and answers all that it has reported, on both pipes.
    fn end(mut self) -> String {
        assert_ne!(self.child.wait().unwrap().code(), Some(0));
        let mut all: Vec<_> = std::mem::take(&mut self.reported);
        all.extend(self.lines.iter());
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        format!("{}\n{errors}", all.join("\n"))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct World {
    service: Ngrok,
    listener: Listener,
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (service, listener) = (Ngrok::start(TOKEN), Listener::start());
        fs::write(folder.path().join("ca.pem"), service.authority()).unwrap();
        Self { service, listener, folder }
    }

    fn authority(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_browse-ngrok"));
        command.arg(self.listener.address.to_string()).arg(&self.listener.pin).env_clear();
        command.env("NGROK_AUTHTOKEN", TOKEN).env("NGROK_SERVER_ADDR", self.service.service());
        command.env("NGROK_ROOT_CAS", self.authority()).stdin(Stdio::null());
        command
    }

    /// Runs the program to its end, which it comes to by itself.
    fn fail(&self, change: impl FnOnce(&mut Command)) -> String {
        let mut command = self.command();
        change(&mut command);
        let Output { status, stdout, .. } = command.output().unwrap();
        assert_eq!(status.code(), Some(1));
        String::from_utf8(stdout).unwrap()
    }

    /// Asks until somebody answers.
    fn ask(&self) -> String {
        let last = Instant::now() + WAIT_TIMEOUT;
        loop {
            match self.service.exchange(REQUEST) {
                Some(answer) if answer.contains("hello") => return answer,
                other => assert!(Instant::now() < last, "{other:?}"),
            }
            thread::yield_now();
        }
    }
}

#[test]
fn what_comes_to_the_endpoint_arrives_at_the_listener() {
    let world = World::new();
    let mut command = world.command();
    command.env("NGROK_DOMAIN", "mine.example");
    let mut program = Program::start(command);
    assert_eq!(program.next(), format!("url=https://{}", world.service.public()));
    assert!(world.ask().ends_with("hello true"));
    // The token goes where it belongs, once, and nothing about this machine.
    let requests = world.service.requests();
    let [auth, bind] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(auth["Extra"]["AuthToken"], TOKEN);
    assert!(auth["Extra"]["UserAgent"].as_str().unwrap().starts_with("browse/"), "{auth}");
    assert!(!bind.to_string().contains(TOKEN));
    assert_eq!(
        [&bind["Proto"], &bind["ForwardsTo"], &bind["Opts"]["Domain"]],
        ["https", "browse", "mine.example"]
    );
    #[cfg(target_os = "linux")]
    {
        let read = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", program.child.id()));
        assert!(!read("cmdline").unwrap().contains(TOKEN));
        assert!(read("status").unwrap().contains("NoNewPrivs:\t1"), "it is confined");
    }

    // A connection that breaks is made anew, and so is a service that was away.
    world.service.break_off();
    assert!(program.next().starts_with("away: "), "{:?}", program.reported);
    assert!(world.ask().ends_with("hello true"));
    assert_eq!(program.next(), "back");
    world.service.go_away();
    assert!(program.next().starts_with("away: "), "{:?}", program.reported);
    assert_eq!(world.service.exchange(REQUEST), None);
    world.service.come_back();
    assert!(world.ask().ends_with("hello true"));
    assert_eq!(program.next(), "back");
    // What it signs in for again can be gone.
    world.service.refuse_agents(&format!("Your authtoken {TOKEN} was reset.\n\nERR_NGROK_107"));
    world.service.break_off();
    let reported = program.end();
    let why = "failed token: ngrok says: Your authtoken [redacted] was reset. (ERR_NGROK_107)";
    assert!(reported.contains(why), "{reported}");
    assert!(!reported.contains(TOKEN), "{reported}");
}

#[test]
fn each_trouble_has_its_word() {
    let world = World::new();
    let wrong = world.fail(|command| {
        command.env("NGROK_AUTHTOKEN", "wrong-token-1");
    });
    assert!(wrong.starts_with("failed token: ngrok says: The authtoken you"), "{wrong}");
    assert!(wrong.ends_with("Your authtoken: [redacted] (ERR_NGROK_105)\n"), "{wrong}");
    let none = world.fail(|command| {
        command.env_remove("NGROK_AUTHTOKEN");
    });
    assert_eq!(none, "failed token: NGROK_AUTHTOKEN is not set\n");
    let unknown_peer = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    fs::write(world.folder.path().join("other.pem"), unknown_peer.cert.pem()).unwrap();
    let asked = world.service.requests().len();
    for roots in [world.folder.path().join("other.pem"), "trusted".into()] {
        let untrusted = world.fail(|command| {
            command.env("NGROK_ROOT_CAS", &roots);
        });
        assert!(untrusted.starts_with("failed untrusted: `127.0.0.1:"), "{untrusted}");
    }
    assert_eq!(world.service.requests().len(), asked, "no token goes to an unknown peer");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let gone = world.fail(|command| {
        command.env("NGROK_SERVER_ADDR", free.to_string());
    });
    assert!(gone.starts_with(&format!("failed unreachable: `{free}` cannot be reached")), "{gone}");
    world.service.refuse_endpoints("The domain 'x' is in use.\n\nERR_NGROK_334");
    let refused = world.fail(|_| ());
    assert_eq!(refused, "failed refused: ngrok says: The domain 'x' is in use. (ERR_NGROK_334)\n");
    let usage = Command::new(env!("CARGO_BIN_EXE_browse-ngrok")).output().unwrap();
    assert_eq!((usage.status.code(), usage.stdout.len()), (Some(2), 0));
}

#[test]
fn nothing_goes_to_a_listener_with_another_key() {
    let world = World::new();
    let other = Listener::start();
    let mut command = Command::new(env!("CARGO_BIN_EXE_browse-ngrok"));
    command.args([&other.address.to_string(), &world.listener.pin]).env_clear();
    command.env("NGROK_AUTHTOKEN", TOKEN).env("NGROK_SERVER_ADDR", world.service.service());
    command.env("NGROK_ROOT_CAS", world.authority()).stdin(Stdio::null());
    let mut program = Program::start(command);
    assert!(program.next().starts_with("url="));
    assert_eq!(world.service.exchange(REQUEST).as_deref(), Some(""));
    world.service.end_tunnel("it was\nstopped");
    let reported = program.end();
    let why = "failed refused: ngrok closed the tunnel: it was stopped (ERR_NGROK_9)";
    assert!(reported.contains(why), "{reported}");
    assert!(reported.contains("a connection broke: "), "{reported}");
}

#[test]
fn what_makes_no_sense_ends_the_program_and_is_said() {
    let world = World::new();
    for (length, word) in [(-1, "failed other: it has a bug: "), (1 << 44, "memory allocation")] {
        let mut program = Program::start(world.command());
        assert!(program.next().starts_with("url="));
        world.service.announce(length);
        let reported = program.end();
        assert!(reported.contains(word) && !reported.contains(TOKEN), "{reported}");
    }
}
