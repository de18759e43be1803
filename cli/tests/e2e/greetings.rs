//! What stands at the address of a pairing and is not a daemon of it: each says what
//! it is, to the command line and to the SDK for Rust.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt as _,
    sync::Arc,
    thread,
};

use sha2::{Digest as _, Sha256};
use tokio_rustls::rustls::{
    ServerConfig, ServerConnection, StreamOwned, crypto::ring, pki_types::PrivatePkcs8KeyDer,
    server::ParsedCertificate, version,
};

use crate::project::Project;

/// A server that does the same to everybody; its address.
fn serve(each: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound").to_string();
    thread::spawn(move || listener.incoming().flatten().for_each(each));
    address
}

/// Speaks TLS with a key of its own, and protocols that are not ours.
fn unknown_peer(protocols: &[&[u8]]) -> (String, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a key");
    let certificate = made.cert.der().clone();
    let parsed = ParsedCertificate::try_from(&certificate).expect("it is whole");
    let pin = Sha256::digest(parsed.subject_public_key_info().as_ref());
    let pin = pin.iter().map(|byte| format!("{byte:02x}")).collect();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&version::TLS13])
        .expect("it is spoken")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .expect("they fit");
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    let config = Arc::new(config);
    let address = serve(move |stream| {
        let server = ServerConnection::new(Arc::clone(&config)).expect("good settings");
        let mut stream = StreamOwned::new(server, stream);
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(b"\0\x01 no HTTP\r\n\r\n");
    });
    (address, pin)
}

#[test]
fn what_stands_elsewhere_is_told_in_time() {
    let (agent, any) = (Project::new(), "0a".repeat(32));
    let hear = |stream: &mut TcpStream| drop(stream.read(&mut [0; 4096]));
    let plain = serve(move |mut stream| {
        hear(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let ends = serve(move |mut stream| hear(&mut stream));
    let silent = serve(std::mem::forget);
    let closed = "127.0.0.1:1".to_owned();
    let (other, pin) = unknown_peer(&[]);
    let (refuses, _) = unknown_peer(&[b"imap"]);
    fs::create_dir_all(agent.home().join("remotes")).expect("a folder");
    let file = agent.home().join("remotes/x.json");
    for (address, pin, time, reason, word) in [
        (&closed, &any, "60s", "DAEMON_UNREACHABLE", "refused"),
        (&ends, &any, "60s", "DAEMON_UNREACHABLE", "ends it before a word"),
        (&silent, &any, "1s", "DAEMON_UNREACHABLE", "within"),
        (&plain, &any, "60s", "REMOTE_FOREIGN", "does not speak TLS 1.3"),
        (&refuses, &any, "60s", "REMOTE_FOREIGN", "refuses the greeting"),
        (&other, &any, "60s", "REMOTE_MISMATCH", "another public key"),
        (&other, &pin, "60s", "REMOTE_FOREIGN", "does not speak HTTP"),
    ] {
        let link = format!("browse-pair://{address}/setup-00/pin-{pin}");
        let text = format!(r#"{{"address":"{address}","pin":"{pin}","token":"t"}}"#);
        fs::write(&file, text).expect("it is written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a mode");
        for words in [&["redeem", &link][..], &["--remote", "x", "whoami"]] {
            let reported = agent.run(&[&["--timeout", time], words].concat());
            let reason_of = agent.fail(&[&["--timeout", time], words].concat()).0;
            assert_eq!(reason_of, reason, "{word}: {words:?}: {reported:?}");
            assert!(reported.stderr.contains(word), "{word}: {words:?}: {reported:?}");
            assert!(reported.stderr.contains("sk the owner"), "{words:?}: {reported:?}");
        }
        // Its greeting has ten seconds, which are tested above.
        if *address != silent {
            let error =
                browse_sdk::redeem(&link, None).map(|_| ()).expect_err("it is not a daemon");
            assert_eq!((error.reason.as_str(), error.hint.is_empty()), (reason, false), "{error}");
            assert!(error.message.contains(word) || reason == "REMOTE_MISMATCH", "{error}");
        }
    }
    // No key was spent, and nothing is left of the drafts.
    let left: Vec<_> = fs::read_dir(agent.home().join("remotes")).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
