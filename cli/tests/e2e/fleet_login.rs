//! `browse login` against an issuer and a gateway that are played: what a person sees, what is
//! stored, and what is not.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio_rustls::rustls::{ServerConfig, crypto::ring, pki_types::PrivatePkcs8KeyDer};
use tonic::Code;

use crate::{
    gateway::{PlayedGateway, SeenCall},
    issuer::{Form, PlayedIssuer},
    project::{Output, Project},
};

/// What a gateway with a sign-in at `issuer` says.
fn document(issuer: &PlayedIssuer) -> Value {
    json!({
        "name": "fleet",
        "issuer": issuer.url(),
        "client_id": "browse-cli",
        "audience": "browse",
        "scopes": ["openid", "offline_access"],
    })
}

pub fn error(name: &str) -> (u16, Value) {
    (400, json!({ "error": name }))
}

fn granted(token: &str) -> (u16, Value) {
    (200, json!({ "access_token": token, "token_type": "Bearer", "expires_in": 3600 }))
}

/// An issuer and a gateway that accepts tokens which begin with `good`.
pub fn world(
    answer: impl FnMut(&Form) -> (u16, Value) + Send + 'static,
) -> (PlayedIssuer, PlayedGateway) {
    let issuer = PlayedIssuer::start(answer);
    let gateway = PlayedGateway::start(document(&issuer), "good");
    (issuer, gateway)
}

/// The remotes that a project keeps.
fn remotes(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(project.home().join("remotes")).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub fn stored(project: &Project) -> Value {
    let path = project.home().join("remotes/fleet.json");
    let mode = fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    serde_json::from_str(&fs::read_to_string(&path).expect("a file")).expect("JSON")
}

#[test]
fn a_person_signs_in_and_calls_carry_the_token() {
    let mut answers = [error("authorization_pending"), error("slow_down")].into_iter();
    let (issuer, gateway) = world(move |_| answers.next().unwrap_or(granted("good.a.b")));
    let person = Project::new();
    let login = person.run(&["login", &gateway.url()]);
    assert_eq!(login.code, Some(0), "{login:?}");
    assert_eq!(login.stdout, format!("signed in to fleet: {}\n", gateway.url()));
    assert!(login.stderr.contains(&format!("Open {}/activate\n", issuer.url())), "{login:?}");
    assert!(login.stderr.contains("the code ABCD-EFGH"), "{login:?}");
    assert!(!format!("{login:?}").contains("good."), "no token is printed");
    let (begun, _) = issuer.forms("/device").remove(0);
    assert_eq!(begun["client_id"], "browse-cli");
    assert_eq!((&*begun["scope"], &*begun["audience"]), ("openid offline_access", "browse"));
    let asked = issuer.forms("/token");
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0].0["grant_type"], "urn:ietf:params:oauth:grant-type:device_code");
    assert_eq!(asked[0].0["device_code"], "device-1");
    // The interval of a second, and the five more that `slow_down` asks for.
    assert!(asked[2].1 - asked[1].1 >= Duration::from_secs(6), "it slows down");
    assert_eq!(stored(&person)["token"], "good.a.b");
    // It was checked before it was kept.
    assert_eq!(gateway.calls().len(), 1);

    person.ok(&["--remote", "fleet", "--session", "work", "tabs"]);
    let of_environment = Project::new();
    fs::create_dir_all(of_environment.home().join("remotes")).expect("a folder");
    let copy = of_environment.home().join("remotes/prod.json");
    fs::copy(person.home().join("remotes/fleet.json"), &copy).expect("a copy");
    let mut named = of_environment.command(&["tabs"]);
    named.env("BROWSE_REMOTE", "prod").env("BROWSE_SESSION", "night");
    assert!(named.output().expect("browse is built").status.success());
    let call = |session: &str| SeenCall {
        path: browse_proto::Command::by_name("tabs").expect("a command").path.to_owned(),
        token: "good.a.b".to_owned(),
        session: Some(session.to_owned()),
        scopes: None,
    };
    assert_eq!(gateway.calls()[1..], [call("work"), call("night")]);
    assert_eq!(person.daemon_pid(), None, "no daemon is started here");

    let unknown = person.run(&["--remote", "other", "tabs"]);
    assert!(unknown.stderr.contains("there is `fleet`"), "{unknown:?}");
    // That calls in JSON, which this gateway does not answer in.
    assert_eq!(person.fail(&["--remote", "fleet", "dashboard"]).0, "REMOTE_FOREIGN");
    assert!(gateway.calls().pop().is_some_and(|call| call.path.ends_with("/GetIdentity")));
    assert_eq!(person.ok(&["logout", "fleet"]), "removed fleet\n");
    assert_eq!(person.fail(&["logout", "fleet"]), ("REMOTE_UNKNOWN".to_owned(), 2));
    assert_eq!(remotes(&person), [""; 0]);
}

#[test]
fn errors_of_the_gateway_come_through_with_their_hint() {
    let (_issuer, gateway) = world(|_| granted("good"));
    let person = Project::new();
    person.ok(&["login", &gateway.url()]);
    gateway.fail(Code::ResourceExhausted, "FLEET_BUSY", "Try again in 700 ms");
    let busy = person.run(&["--remote", "fleet", "session", "new", "work"]);
    assert_eq!(busy.code, Some(3), "{busy:?}");
    assert!(busy.stderr.contains("hint: Try again in 700 ms"), "{busy:?}");
    gateway.fail(Code::Unauthenticated, "TOKEN_EXPIRED", "Get a new token from your issuer");
    let ended = person.run(&["--remote", "fleet", "tabs"]);
    let again = format!("hint: Run `browse login {} --name fleet` again", gateway.url());
    assert!(ended.code == Some(3) && ended.stderr.contains(&again), "{ended:?}");
}

#[test]
fn what_an_issuer_or_a_gateway_refuses_stores_nothing() {
    let (issuer, gateway) = world(|_| error("access_denied"));
    let person = Project::new();
    for (answer, reason) in [
        (error("access_denied"), "LOGIN_REFUSED"),
        (error("invalid_client"), "LOGIN_REFUSED"),
        (error("expired_token"), "LOGIN_EXPIRED"),
        ((200, json!({})), "ISSUER_UNUSABLE"),
        ((200, json!({ "access_token": "a\nb" })), "ISSUER_UNUSABLE"),
        ((404, json!([])), "ISSUER_UNUSABLE"),
        // As of another audience.
        (granted("bad"), "TOKEN_INVALID"),
    ] {
        let shown = answer.1.to_string();
        issuer.answer_tokens(move |_| answer.clone());
        assert_eq!(person.fail(&["login", &gateway.url()]).0, reason, "{shown}");
        assert_eq!(remotes(&person), [""; 0], "{shown}");
    }
    let refused = person.run(&["login", &gateway.url()]);
    assert!(refused.stderr.contains("for the audience `browse`"), "{refused:?}");
    for (path, status, body) in [
        ("/device", 400, r#"{"error":"unauthorized_client"}"#),
        ("/device", 404, "<html>"),
        ("/device", 200, r#"{"device_code":"d","user_code":"u","expires_in":600}"#),
        ("/.well-known/openid-configuration", 200, r#"{"issuer":"https://evil.example"}"#),
        ("/.well-known/openid-configuration", 200, "<html>"),
        ("/.well-known/openid-configuration", 302, ""),
    ] {
        issuer.set(path, status, body);
        let (reason, _) = person.fail(&["login", &gateway.url()]);
        let is_named = ["ISSUER_UNUSABLE", "LOGIN_REFUSED"].contains(&reason.as_str());
        assert!(is_named, "{path} {body}: {reason}");
        assert_eq!(remotes(&person), [""; 0], "{path} {body}");
    }
}

#[test]
fn a_code_that_nobody_confirms_ends_with_the_deadline() {
    let (issuer, gateway) = world(|_| error("authorization_pending"));
    let person = Project::new();
    let begun = Instant::now();
    let (reason, _) = person.fail(&["--timeout", "2s", "login", &gateway.url()]);
    assert_eq!(reason, "DEADLINE_EXCEEDED");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    // And with the code.
    let url = issuer.url();
    let short = json!({
        "device_code": "d", "user_code": "u", "verification_uri": url, "expires_in": 2,
        "interval": 1,
    });
    issuer.set("/device", 200, &short.to_string());
    assert_eq!(person.fail(&["login", &gateway.url()]).0, "LOGIN_EXPIRED");
    assert_eq!(remotes(&person), [""; 0]);
}

#[test]
fn a_fleet_without_a_sign_in_takes_a_token() {
    let gateway = PlayedGateway::start(json!({ "name": "keys" }), "good");
    let person = Project::new();
    assert_eq!(person.fail(&["login", &gateway.url()]).0, "LOGIN_UNAVAILABLE");
    let login = |token: &str, more: &[&str]| {
        let url = gateway.url();
        person.feed(&[&["login", &url, "--token-stdin"], more].concat(), token)
    };
    let wrong = login("bad", &[]);
    assert!(wrong.code == Some(3) && wrong.stderr.contains("nothing was stored"), "{wrong:?}");
    assert_eq!(login("two words", &[]).code, Some(2));
    assert_eq!(remotes(&person), [""; 0]);
    let right = login("good-key\n", &[]);
    assert_eq!(right.code, Some(0), "{right:?}");
    assert!(!format!("{right:?}").contains("good-key"), "no token is printed");
    let file = person.write("token", "good-file\n").display().to_string();
    person.ok(&["login", &gateway.url(), "--name", "second", "--token-file", &file]);
    assert_eq!(remotes(&person), ["keys.json", "second.json"]);
    person.ok(&["--remote", "second", "tabs"]);
    assert_eq!(gateway.calls().last().expect("a call").token, "good-file");
    // The name of a fleet does not replace what another one has.
    let other = PlayedGateway::start(json!({ "name": "keys" }), "good");
    let taken = person.feed(&["login", &other.url(), "--token-stdin"], "good");
    assert!(taken.code == Some(2) && taken.stderr.contains("--name"), "{taken:?}");

    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound");
    let foreign = PlayedGateway::start(Value::Null, "good");
    for (url, reason) in [
        (format!("http://{nobody}"), "DAEMON_UNREACHABLE"),
        (foreign.url(), "REMOTE_FOREIGN"),
        ("http://browse.example.com".to_owned(), "ARGUMENT_INVALID"),
        (format!("{}/path", gateway.url()), "ARGUMENT_INVALID"),
    ] {
        assert_eq!(person.fail(&["login", &url]).0, reason, "{url}");
    }
}

/// Grants tokens that have ended already, each with the refresh token that gives the next one; a
/// refresh token is good once.
pub fn single_use_tokens() -> impl FnMut(&Form) -> (u16, Value) + Send {
    let mut count = 0;
    move |form: &Form| {
        let expected = format!("refresh-{count}");
        if form["grant_type"] == "refresh_token" && form["refresh_token"] != expected {
            return error("invalid_grant");
        }
        count += 1;
        let refresh = format!("refresh-{count}");
        let token = format!("good-{count}");
        (200, json!({ "access_token": token, "refresh_token": refresh, "expires_in": 0 }))
    }
}

#[test]
fn a_token_is_renewed_by_one_command_at_a_time() {
    let (issuer, gateway) = world(single_use_tokens());
    let person = Project::new();
    person.ok(&["login", &gateway.url()]);
    assert_eq!(stored(&person)["refresh_token"], "refresh-1");
    let calls: Vec<_> = (0..4)
        .map(|_| {
            let mut command = person.command(&["--remote", "fleet", "tabs"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("browse is built")
        })
        .collect();
    for call in calls {
        let output = Output::of(call.wait_with_output().expect("it ends"));
        assert_eq!(output.code, Some(0), "{output:?}");
    }
    assert_eq!(stored(&person)["refresh_token"], "refresh-5");
    let tokens: Vec<_> = gateway.calls().into_iter().map(|call| call.token).collect();
    assert_eq!(tokens.len(), 5);
    assert!(tokens[1..].iter().all(|token| token != "good-1"), "{tokens:?}");
    assert_eq!(remotes(&person), ["fleet.json"]);
    // The issuer has ended the sign-in.
    issuer.answer_tokens(|_| error("invalid_grant"));
    let ended = person.run(&["--remote", "fleet", "tabs"]);
    let again = format!("Run `browse login {} --name fleet` again", gateway.url());
    assert!(ended.code == Some(3) && ended.stderr.contains(&again), "{ended:?}");
    // It is not there, and the token has ended.
    issuer.answer_tokens(|_| (503, json!({})));
    assert_eq!(person.fail(&["--remote", "fleet", "tabs"]).0, "ISSUER_UNUSABLE");
    assert_eq!(stored(&person)["refresh_token"], "refresh-5");
}

#[test]
fn a_gateway_is_known_by_a_certificate_of_an_authority() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let tls = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("TLS")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .expect("they fit");
    let gateway = PlayedGateway::start_with(json!({}), "good", Some(tls));
    let person = Project::new();
    let token = person.write("token", "good").display().to_string();
    let ca = person.write("ca.pem", &made.cert.pem()).display().to_string();
    let url = format!("https://localhost:{}", gateway.port);
    let unknown = person.fail(&["login", &url, "--token-file", &token]);
    assert_eq!(unknown.0, "DAEMON_UNREACHABLE");
    person.ok(&["login", &url, "--token-file", &token, "--ca", &ca]);
    person.ok(&["--remote", "fleet", "tabs"]);
    let other = format!("https://127.0.0.1:{}", gateway.port);
    let wrong_name = person.fail(&["login", &other, "--token-file", &token, "--ca", &ca]);
    assert_eq!(wrong_name.0, "DAEMON_UNREACHABLE");
    // Another key at the same address.
    let next = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    fs::write(&ca, next.cert.pem()).expect("written");
    assert_eq!(person.fail(&["--remote", "fleet", "tabs"]).0, "CERTIFICATE_UNUSABLE");
    fs::remove_file(&ca).expect("it was there");
    assert_eq!(person.fail(&["--remote", "fleet", "tabs"]).0, "CERTIFICATE_UNUSABLE");
}
