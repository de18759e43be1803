//! The access log.

use std::{
    io,
    sync::{Arc, Mutex},
};

use browse_base::hex;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    mcp_client::McpClient,
    support::{World, eventually},
};

/// A log that is kept.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("text")
    }

    /// The lines of the access log, each as it is without its time.
    fn calls(&self) -> Vec<Value> {
        let text = self.text();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let calls = lines.filter(|line| line["target"] == "access");
        calls.map(|line| line["fields"].clone()).collect()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

// The gateway runs on the thread of the test, so that its log is that of the test alone.
#[tokio::test]
async fn each_call_is_a_line_without_what_is_private() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().json().with_writer(move || writer.clone()).finish();
    let _default = tracing::subscriber::set_default(subscriber);
    let world = World::with_access_log(1).await;
    let pod = world.add_pod().await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = format!("00-{trace}-00f067aa0ba902b7-01");
    let headers = [("traceparent", parent.as_str())];
    assert_eq!(world.call_with(0, "acme", "my-secret", "goto", &headers).await.reason(), "ok");
    let nobody = [("authorization", "Bearer my-token")];
    let refused = world.call_with(0, "acme", "my-secret", "snapshot", &nobody).await;
    assert_eq!(refused.reason(), "TOKEN_INVALID");
    let calls = eventually(|| Some(log.calls()).filter(|calls| calls.len() == 2)).await;
    let served = &calls[0];
    let session = hex(&Sha256::digest("acme/my-secret")[..8]);
    for (field, value) in [
        ("method", "browse.v1.BrowserService/Goto"),
        ("reason", "ok"),
        ("tenant", "acme"),
        ("session", session.as_str()),
        ("pod", pod.name.as_str()),
        ("trace_id", trace),
    ] {
        assert_eq!(served[field], value, "{served}");
    }
    assert_eq!((served["status"].as_u64(), served["code"].as_i64()), (Some(200), Some(0)));
    assert!(served["duration_ms"].as_f64().is_some_and(|time| time > 0.0), "{served}");
    let refused = &calls[1];
    assert_eq!(
        (refused["status"].as_u64(), &refused["reason"]),
        (Some(401), &"TOKEN_INVALID".into())
    );
    for field in ["tenant", "session", "pod", "trace_id"] {
        assert!(refused[field].is_null(), "{field} of a caller who is not known: {refused}");
    }
    for private in ["my-secret", "my-token", "acme-key"] {
        let lines = format!("{calls:?}");
        assert!(!lines.contains(private), "{private}: {lines}");
    }
}

#[tokio::test]
async fn a_request_of_mcp_is_a_line_and_so_is_each_call_that_comes_of_it() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().json().with_writer(move || writer.clone()).finish();
    let _default = tracing::subscriber::set_default(subscriber);
    let world = World::with_access_log(1).await;
    let pod = world.add_pod().await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = format!("00-{trace}-00f067aa0ba902b7-01");
    let address = world.replicas[0].address;
    let agent = McpClient::begin(address, "acme-key").await;
    let list = json!({ "action": "list" });
    let headers = [("traceparent", parent.as_str())];
    let (text, is_error) = agent.call(address, "tabs", list, &headers).await;
    assert!(!is_error, "{text}");
    // Two to begin, one with a call, and the call.
    let calls = eventually(|| Some(log.calls()).filter(|calls| calls.len() == 4)).await;
    let of = |method: &str| {
        let lines: Vec<_> = calls.iter().filter(|call| call["method"] == method).collect();
        assert!(lines.iter().all(|call| call["tenant"] == "acme"), "{lines:?}");
        lines
    };
    assert_eq!(of("mcp").len(), 3, "{calls:?}");
    let call = of("browse.v1.BrowserService/ListTabs")[0];
    let session = hex(&Sha256::digest(format!("acme/{}", agent.session()))[..8]);
    for (field, value) in [
        ("reason", "ok"),
        ("session", session.as_str()),
        ("pod", pod.name.as_str()),
        ("trace_id", trace),
    ] {
        assert_eq!(call[field], value, "{call}");
    }
    assert!(of("mcp").iter().any(|line| line["session"] == session.as_str()), "{calls:?}");
    assert!(!log.text().contains("acme-key"), "{calls:?}");
}
