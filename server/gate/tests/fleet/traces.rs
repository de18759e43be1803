//! Traces of calls, as a collector gets them.

use std::collections::BTreeSet;

use browse_fleet::{CallSpans, PhaseSpan, RequestSpan};
use http::StatusCode;

use crate::{
    collector::{Collector, ReceivedSpan},
    support::{World, eventually},
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const GOTO: &str = "browse.v1.BrowserService/Goto";

/// A `traceparent` of a caller.
fn traceparent(flags: &str) -> String {
    format!("00-{TRACE}-{PARENT}-{flags}")
}

/// What a pod reports of a call with as many requests of its page.
fn reported(requests: usize) -> String {
    let request = RequestSpan {
        method: "GET".to_owned(),
        kind: "document".to_owned(),
        status: Some(200),
        start_us: 10,
        duration_us: Some(20),
        is_failed: false,
        origin: Some("https://private.example".to_owned()),
    };
    let handler = PhaseSpan { name: "handler".to_owned(), start_us: 5, duration_us: 40 };
    let spans = CallSpans {
        duration_us: 50,
        phases: vec![handler],
        requests: vec![request; requests],
        left_out: 0,
    };
    spans.encode().expect("it fits")
}

fn named<'a>(spans: &'a [ReceivedSpan], service: &str, name: &str) -> &'a ReceivedSpan {
    let is_it = |span: &&ReceivedSpan| span.service == service && span.name() == name;
    spans.iter().find(is_it).unwrap_or_else(|| panic!("{service} {name}: {spans:#?}"))
}

/// A count of `browse_gate_spans_total` of the first replica.
fn counted(world: &World, result: &str) -> usize {
    let text = world.replicas[0].gateway.metrics_text();
    let line = format!("browse_gate_spans_total{{result=\"{result}\"}} ");
    let count = text.lines().find_map(|found| found.strip_prefix(&line));
    count.expect("a metric").parse().expect("a number")
}

#[tokio::test]
async fn a_call_is_a_trace_from_the_gateway_to_the_requests_of_its_page() {
    let collector = Collector::start().await;
    let world = World::with_traces(10, &collector.settings("")).await;
    let pod = world.add_pod().await;
    pod.report_spans(&reported(1));
    let answer = world.call(0, "acme", "work", "goto").await;
    assert_eq!(answer.reason(), "ok", "{answer:?}");
    assert!(!answer.headers.contains_key("browse-spans"), "it is for the gateway: {answer:?}");
    let spans = collector.trace(|_| true).await;
    let root = spans.iter().find(|span| span.is_root()).expect("the call");
    assert_eq!((root.name(), root.text("parentSpanId")), (GOTO, ""));
    for (key, value) in [
        ("rpc.system", "connect_rpc"),
        ("rpc.service", "browse.v1.BrowserService"),
        ("rpc.method", "Goto"),
        ("rpc.grpc.status_code", "0"),
        ("http.response.status_code", "200"),
        ("browse.reason", "ok"),
        ("browse.pod", pod.name.as_str()),
        ("browse.tenant", ""),
    ] {
        assert_eq!(root.attribute(key), value, "{key}");
    }
    let client = spans.iter().find(|span| span.name() == GOTO && span.span["kind"] == 3);
    let client = client.expect("the send");
    let server = named(&spans, "browsed", GOTO);
    let handler = named(&spans, "browsed", "handler");
    let request = named(&spans, "browsed", "GET");
    for (span, parent) in [
        (named(&spans, "browse-gate", "place"), root),
        (client, root),
        (server, client),
        (handler, server),
        (request, server),
    ] {
        assert_eq!(span.text("parentSpanId"), parent.text("spanId"), "{span:?}");
        let times = |key: &str| (span.text(key).len(), span.text(key).to_owned());
        assert!(times("startTimeUnixNano") <= times("endTimeUnixNano"), "{span:?}");
    }
    assert_eq!(spans.len(), 6, "{spans:#?}");
    let ids: BTreeSet<_> = spans.iter().map(|span| span.text("spanId")).collect();
    assert_eq!(ids.len(), 6);
    assert_eq!(request.attribute("http.response.status_code"), "200");
    // The pod was given the place of the send.
    let given = format!("00-{}-{}-01", root.text("traceId"), client.text("spanId"));
    assert_eq!(answer.body["traceparent"], given);
    for private in ["acme", "work", "private.example", "ann"] {
        assert!(!collector.text().contains(private), "{private}: {}", collector.text());
    }
}

#[tokio::test]
async fn the_trace_of_a_caller_is_taken_up() {
    let collector = Collector::start().await;
    let world =
        World::with_traces(10, &collector.settings("").replace("sample = 1.0", "sample = 0.0"))
            .await;
    let _pod = world.add_pod().await;
    let sampled = traceparent("01");
    let headers = [("traceparent", sampled.as_str()), ("tracestate", "vendor=x")];
    let answer = world.call_with(0, "acme", "work", "goto", &headers).await;
    let spans = collector.trace(|_| true).await;
    let root = spans.iter().find(|span| span.is_root()).expect("the call");
    assert_eq!((root.text("traceId"), root.text("parentSpanId")), (TRACE, PARENT));
    assert_eq!(root.text("traceState"), "vendor=x");
    let given = answer.body["traceparent"].as_str().expect("text");
    assert!(given.starts_with(&format!("00-{TRACE}-")) && given.ends_with("-01"), "{given}");
    assert!(!given.contains(PARENT), "a span of the gateway comes between: {given}");
    assert!(!answer.body["headers"].to_string().contains("tracestate"), "{answer:?}");
}

#[tokio::test]
async fn a_call_that_is_not_sampled_is_not_exported() {
    let collector = Collector::start().await;
    let world =
        World::with_traces(10, &collector.settings("").replace("sample = 1.0", "sample = 0.0"))
            .await;
    let pod = world.add_pod().await;
    pod.report_spans(&reported(1));
    let plain = world.call(0, "acme", "work", "goto").await;
    assert_eq!(plain.body["traceparent"], "", "it is in no trace");
    let unsampled = traceparent("00");
    let headers = [("traceparent", unsampled.as_str())];
    let answer = world.call_with(0, "acme", "work", "goto", &headers).await;
    let given = answer.body["traceparent"].as_str().expect("text");
    assert!(given.starts_with(&format!("00-{TRACE}-")) && given.ends_with("-00"), "{given}");
    assert!(!answer.headers.contains_key("browse-spans"), "{answer:?}");
    // The first that is sampled is the first that comes.
    let sampled = traceparent("01");
    let headers = [("traceparent", sampled.as_str())];
    world.call_with(0, "acme", "work", "snapshot", &headers).await;
    collector.trace(|root| root.name().ends_with("/Snapshot")).await;
    assert_eq!(collector.spans().iter().filter(|span| span.is_root()).count(), 1);
}

#[tokio::test]
async fn what_is_malformed_or_of_anybody_begins_a_trace_of_its_own() {
    let collector = Collector::start().await;
    let world = World::with_traces(10, &collector.settings("")).await;
    let _pod = world.add_pod().await;
    let good = traceparent("01");
    for garbage in ["garbage", "", &good.to_uppercase(), &format!("{good}-more"), &good[..54]] {
        let headers = [("traceparent", garbage)];
        assert_eq!(world.call_with(0, "acme", "work", "goto", &headers).await.reason(), "ok");
    }
    let headers = [("traceparent", good.as_str()), ("authorization", "Bearer nobody")];
    let refused = world.call_with(0, "acme", "work", "snapshot", &headers).await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    let spans = collector.trace(|root| root.name().ends_with("/Snapshot")).await;
    let root = &spans[0];
    assert_eq!(
        (root.attribute("browse.reason"), root.attribute("rpc.grpc.status_code")),
        ("TOKEN_INVALID", "16")
    );
    let roots = || collector.spans().into_iter().filter(ReceivedSpan::is_root).collect::<Vec<_>>();
    let roots = eventually(|| Some(roots()).filter(|roots| roots.len() == 6)).await;
    for root in roots {
        assert_eq!(root.text("parentSpanId"), "", "{root:?}");
        assert_ne!(root.text("traceId"), TRACE, "{root:?}");
    }
}

#[tokio::test]
async fn a_caller_cannot_report_spans_and_a_pod_cannot_report_what_it_wants() {
    let collector = Collector::start().await;
    let world = World::with_traces(10, &collector.settings("")).await;
    let pod = world.add_pod().await;
    let spans = reported(1);
    let headers = [("browse-spans", spans.as_str()), ("browse-span-hosts", "1")];
    let answer = world.call_with(0, "acme", "work", "goto", &headers).await;
    let seen = answer.body["headers"].to_string();
    assert!(!seen.contains("browse-span"), "{seen}");
    collector.trace(|_| true).await;
    for nonsense in ["nonsense", "{\"d\":1,\"p\":[{\"n\":\"<script>\",\"s\":1,\"d\":1}]}"] {
        pod.report_spans(nonsense);
        let answer = world.call(0, "acme", "work", "snapshot").await;
        assert!(answer.reason() == "ok" && !answer.headers.contains_key("browse-spans"));
    }
    let snapshots = || {
        let spans = collector.spans();
        spans.iter().filter(|span| span.is_root() && span.name().ends_with("/Snapshot")).count()
    };
    eventually(|| (snapshots() == 2).then_some(())).await;
    assert!(collector.spans().iter().all(|span| span.service == "browse-gate"));
    assert!(!collector.text().contains("script"), "{}", collector.text());
}

#[tokio::test]
async fn tenants_and_hosts_are_named_when_the_settings_ask_for_it() {
    let collector = Collector::start().await;
    let settings = collector.settings("tenant = true\nhosts = true");
    let world = World::with_traces(10, &settings).await;
    let pod = world.add_pod().await;
    pod.report_spans(&reported(1));
    let answer = world.call(0, "acme", "work", "goto").await;
    assert!(answer.body["headers"].to_string().contains("browse-span-hosts"), "{answer:?}");
    let spans = collector.trace(|_| true).await;
    let root = spans.iter().find(|span| span.is_root()).expect("the call");
    assert_eq!(root.attribute("browse.tenant"), "acme");
    let request = named(&spans, "browsed", "GET");
    assert_eq!(request.attribute("url.scheme"), "https");
    assert_eq!(request.attribute("server.address"), "private.example");
    assert!(!collector.text().contains("work"), "sessions are never named");
}

#[tokio::test]
async fn a_collector_that_does_not_answer_holds_up_no_call() {
    // It takes connections, and reads nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("an address");
    let settings =
        format!("endpoint = 'http://{address}'\nsample = 1\nqueue = 256\ninterval = '10ms'");
    let world = World::with_traces(10, &settings).await;
    let pod = world.add_pod().await;
    pod.report_spans(&reported(40));
    for _ in 0..10 {
        assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    }
    // A call has more than 40 spans, and less than 60.
    eventually(|| (counted(&world, "dropped") > 160).then_some(())).await;
    assert!(counted(&world, "dropped") <= 600, "some are queued");
    assert_eq!((counted(&world, "exported"), counted(&world, "failed")), (0, 0));
}

#[tokio::test]
async fn spans_are_sent_again_when_the_collector_may_take_them_later() {
    let collector = Collector::start().await;
    let world = World::with_traces(10, &collector.settings("")).await;
    let _pod = world.add_pod().await;
    collector.fail_next(&[503, 429]);
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    let spans = collector.trace(|_| true).await;
    eventually(|| (counted(&world, "exported") == spans.len()).then_some(())).await;
    assert_eq!((collector.requests(), counted(&world, "failed")), (3, 0));
    collector.fail_next(&[400]);
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    eventually(|| (counted(&world, "failed") > 0).then_some(())).await;
    assert_eq!(collector.requests(), 4, "what is refused is not sent again");
}
