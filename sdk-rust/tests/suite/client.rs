//! The client, against a daemon that answers as told.

use std::time::Duration;

use crate::support::{Fake, Reply, failure};
use browse_sdk::{Any, Browse, GotoRequest, Json, ReloadRequest, Step, WaitUntil};

fn url(text: &str) -> Reply {
    Reply::Messages(vec![format!(r#"{{"url":"{text}"}}"#)])
}

#[test]
fn a_method_sends_its_arguments_its_context_and_a_deadline() {
    let goto = r#"{"status":200,"url":"http://a/","title":"Ä","newer":{"x":[1]}}"#;
    let fake = Fake::tcp(move |_| Reply::Messages(vec![goto.to_owned()]));
    let browse = Browse::new(&fake.address, "secret").tab(3).session("work");
    let request =
        GotoRequest { url: "http://a".to_owned(), wait: WaitUntil::None, ..Default::default() };
    let page =
        browse.with_timeout(Duration::from_millis(1500)).goto_with(request).expect("it goes");
    assert_eq!(
        (page.url.as_str(), page.title.as_str(), page.status),
        ("http://a/", "Ä", Some(200))
    );
    let call = &fake.seen()[0];
    assert_eq!(call.path, "/browse.v1.BrowserService/Goto");
    assert_eq!(call.message, r#"{"url":"http://a","wait":"none"}"#);
    let header = |name: &str| call.headers[name].as_str();
    assert_eq!((header("authorization"), header("browse-content")), ("Bearer secret", "raw"));
    assert_eq!((header("browse-tab"), header("browse-session")), ("3", "work"));
    assert_eq!(header("connect-timeout-ms"), "1500");
}

#[test]
fn calls_share_a_connection_and_take_their_own_when_at_the_same_time() {
    let fake = Fake::tcp(|call| url(&call.connection.to_string()));
    let browse = Browse::new(&fake.address, "t");
    for _ in 0..3 {
        assert_eq!(browse.url().expect("a URL"), "0");
    }
    std::thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| browse.url().expect("a URL"));
        }
    });
    assert_eq!(fake.seen().len(), 8);
}

#[test]
fn a_unix_socket_is_an_address_in_both_spellings() {
    let path = std::env::temp_dir().join(format!("browse-sdk-rust-{}.sock", std::process::id()));
    let fake = Fake::unix(&path, |_| url("u"));
    assert_eq!(Browse::new(&fake.address, "t").url().expect("a URL"), "u");
    std::fs::remove_file(&path).expect("removed");
    let fake = Fake::unix(&path, |_| url("v"));
    let spelled = fake.address.replace("unix:", "unix://");
    assert_eq!(Browse::new(&spelled, "t").url().expect("a URL"), "v");
    assert_eq!(fake.seen()[0].headers["host"], "localhost");
    std::fs::remove_file(&path).expect("removed");
}

#[test]
fn a_length_instead_of_chunks_is_read_and_an_end_is_no_reuse() {
    let fake = Fake::tcp(|_| Reply::Plain(r#"{"url":"a"}"#.to_owned()));
    let browse = Browse::new(&fake.address, "t");
    for _ in 0..2 {
        assert_eq!(browse.url().expect("a URL"), "a");
    }
    let connections: Vec<_> = fake.seen().iter().map(|call| call.connection).collect();
    assert_eq!(connections, [0, 1]);
}

#[test]
fn an_error_has_reason_hint_metadata_and_code() {
    let debug = r#"{"reason":"REF_STALE","hint":"h","domain":"browse","metadata":{"ref":"@e3"}}"#;
    let fake = Fake::tcp(|_| failure("failed_precondition", "it is “gone” 5%", debug));
    let error = Browse::new(&fake.address, "t").click("@e3").expect_err("it is gone");
    assert_eq!((error.reason.as_str(), error.hint.as_str(), error.code), ("REF_STALE", "h", 9));
    assert_eq!(error.message, "it is “gone” 5%");
    assert_eq!(error.metadata["ref"], "@e3");
    assert!(!error.retryable());
}

#[test]
fn the_error_of_a_stream_stands_at_its_end() {
    let debug = r#"{"reason":"BROWSER_GONE"}"#;
    let fake = Fake::tcp(|_| failure("unavailable", "gone", debug));
    let error = Browse::new(&fake.address, "t").download("http://x", None).expect_err("gone");
    assert_eq!((error.reason.as_str(), error.code), ("BROWSER_GONE", 14));
    assert_eq!(fake.seen()[0].headers["content-type"], "application/connect+json");
}

#[test]
fn large_numbers_and_bytes_are_read() {
    let tab = r#"{"tab_id":"9007199254740993"}"#;
    let fake = Fake::tcp(|_| Reply::Messages(vec![tab.to_owned()]));
    let tab = Browse::new(&fake.address, "t").new_tab(None).expect("a tab");
    assert_eq!(tab.tab_id, 9_007_199_254_740_993);
    let image = r#"{"image":"AAH7/w==","mime":"image/png"}"#;
    let fake = Fake::tcp(|_| Reply::Messages(vec![image.to_owned()]));
    let shot = Browse::new(&fake.address, "t").screenshot(None).expect("an image");
    assert_eq!(shot.image, [0, 1, 0xfb, 0xff]);
    let js = r#"{"value":"{\"a\":[1,null]}"}"#;
    let fake = Fake::tcp(|_| Reply::Messages(vec![js.to_owned()]));
    let value = Browse::new(&fake.address, "t").js("1").expect("a value");
    assert_eq!(value, Json::parse(r#"{"a":[1,null]}"#).expect("JSON"));
}

#[test]
fn whoever_is_silent_gone_torn_or_no_daemon_is_told() {
    let reason = |reply: Reply| {
        let fake = Fake::tcp(move |_| reply.clone());
        let browse = Browse::new(&fake.address, "t");
        browse.with_timeout(Duration::ZERO).url().expect_err("no answer").reason
    };
    let of_stream = |reply: Reply| {
        let fake = Fake::tcp(move |_| reply.clone());
        Browse::new(&fake.address, "t").download("x", None).expect_err("no answer").reason
    };
    assert_eq!(reason(Reply::Silent), "DEADLINE_EXCEEDED");
    assert_eq!(reason(Reply::Broken), "DAEMON_UNREACHABLE");
    assert_eq!(reason(Reply::Bytes(b"SSH-2.0-OpenSSH\r\n\r\n")), "DAEMON_UNREACHABLE");
    assert_eq!(
        reason(Reply::Bytes(
            b"HTTP/1.1 403 No\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"
        )),
        "DAEMON_UNREACHABLE"
    );
    assert_eq!(of_stream(Reply::Broken), "DAEMON_UNREACHABLE");
    let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<!DOCTYPE";
    assert_eq!(reason(Reply::Bytes(page)), "DAEMON_UNREACHABLE");
    assert_eq!(of_stream(Reply::Endless), "TOO_LARGE");
    for nonsense in ["{", "[]", "\"a\"", ""] {
        assert_eq!(reason(Reply::Plain(nonsense.to_owned())), "DAEMON_UNREACHABLE");
    }
    let fake = Fake::tcp(|_| Reply::Failure(r#"{"code":"internal"}"#.to_owned()));
    let error = Browse::new(&fake.address, "t").url().expect_err("it broke");
    assert!(error.reason == "BUG" && !error.message.is_empty() && !error.hint.is_empty());
    let error = Browse::new("127.0.0.1:1", "t").url().expect_err("nobody is there");
    assert_eq!((error.reason.as_str(), error.retryable()), ("DAEMON_UNREACHABLE", true));
}

#[test]
fn what_is_worth_another_try_is_told_by_code_and_metadata() {
    let retryable = |code: i32, key: &str, value: &str| {
        let mut error = browse_sdk::Error::new("X", "x", "", code);
        error.metadata.insert(key.to_owned(), value.to_owned());
        error.retryable()
    };
    assert!(retryable(14, "url", "x") && retryable(8, "retry_ms", "20"));
    assert!(!retryable(14, "retryable", "false") && !retryable(9, "url", "x"));
}

#[test]
fn a_command_is_called_by_its_name_too() {
    let fake = Fake::tcp(|_| url("u"));
    let browse = Browse::new(&fake.address, "t");
    assert_eq!(browse.call("url", &Json::object::<&str>([])).expect("a URL"), "u".into());
    let args = Json::object([("url", "http://a".into()), ("wait", "none".into())]);
    assert_eq!(browse.call("goto", &args).expect("a page")["url"], "u".into());
    assert_eq!(fake.seen()[1].message, r#"{"url":"http://a","wait":"none"}"#);
    let wrong = |command: &str, args: &str| {
        let args = Json::parse(args).expect("JSON");
        browse.call(command, &args).expect_err("it is refused").message
    };
    assert_eq!(wrong("nothing", "{}"), "this SDK knows no command `nothing`");
    assert_eq!(wrong("goto", r#"{"adress": "x"}"#), "`GotoRequest` has no field `adress`");
    assert_eq!(wrong("goto", r#"{"url": 1}"#), "`url` wants text");
    assert!(wrong("goto", r#"{"wait": "never"}"#).starts_with("`wait` wants one of"));
    assert_eq!(fake.seen().len(), 2);
}

#[test]
fn a_step_packs_its_request() {
    let fake = Fake::tcp(|_| Reply::Messages(vec![]));
    let browse = Browse::new(&fake.address, "t");
    let request = Any::of(&ReloadRequest { wait: WaitUntil::Load, ..Default::default() });
    let steps = vec![Step { tab: Some(0), request: Some(request) }];
    assert!(browse.chain(steps).expect("it runs").is_empty());
    let any = r#"{"@type":"type.googleapis.com/browse.v1.ReloadRequest","wait":"load"}"#;
    assert_eq!(fake.seen()[0].message, format!(r#"{{"steps":[{{"tab":0,"request":{any}}}]}}"#));
    let json = Json::parse(
        r#"{"steps": [{"tab": 0, "request": {"@type": "ReloadRequest", "wait": "load"}}]}"#,
    );
    browse.call("chain", &json.expect("JSON")).expect("it runs");
    assert_eq!(fake.seen()[1].message, fake.seen()[0].message);
}
