//! Responses in each form that the gateway passes on.

use browse_policy::layer::error_reply;
use http_body_util::BodyExt as _;
use tonic::{Status, body::Body};

use super::*;

/// What is read of a response whose body comes in parts of `step` bytes.
async fn read(response: Response<Body>, step: usize) -> GrpcOutcome {
    let mut reader = OutcomeReader::new(&response);
    let whole = response.into_body().collect().await.expect("a body");
    let trailers = whole.trailers().cloned();
    whole.to_bytes().chunks(step).for_each(|part| reader.read_data(part));
    if let Some(trailers) = trailers {
        reader.read_trailers(&trailers);
    }
    reader.outcome()
}

fn response(kind: &'static str, status: u16, body: &[u8]) -> Response<Body> {
    let body = Body::new(http_body_util::Full::from(body.to_vec()));
    let builder = Response::builder().status(status).header(header::CONTENT_TYPE, kind);
    builder.body(body).expect("a response")
}

fn frame(flags: u8, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("short").to_be_bytes();
    [&[flags][..], &length[..], message].concat()
}

#[tokio::test]
async fn an_error_has_its_code_and_reason_in_each_form() {
    let stale = || Error::new(Reason::RefStale, "it is gone");
    let expected = GrpcOutcome::of_error(&stale());
    assert_eq!((expected.reason, expected.is_server_error()), (Some("REF_STALE"), false));
    for kind in ["application/json", "application/grpc", "application/grpc-web+proto"] {
        let headers =
            HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]);
        for step in [1, 1000] {
            assert_eq!(read(error_reply(&headers, stale()), step).await, expected, "{kind}");
        }
    }
    let mut trailers = HeaderMap::new();
    Status::from(stale()).add_header(&mut trailers).expect("headers");
    let line = |(name, value): (&HeaderName, &HeaderValue)| {
        format!("{name}: {}\r\n", value.to_str().expect("ASCII"))
    };
    let lines: String = trailers.iter().map(line).collect();
    let body = [frame(0, b"message"), frame(END_OF_GRPC_WEB, lines.as_bytes())].concat();
    let reply = error_reply(&HeaderMap::new(), stale()).into_body().collect().await;
    let error = reply.expect("a body").to_bytes();
    let end = [&b"{\"error\":"[..], &error[..], &b"}"[..]].concat();
    let stream = [frame(0, b"{}"), frame(END_OF_CONNECT, &end)].concat();
    for step in [1, 7, 1000] {
        let web = response("application/grpc-web+proto", 200, &body);
        assert_eq!(read(web, step).await, expected, "{step}");
        let stream = response("application/connect+json", 200, &stream);
        assert_eq!(read(stream, step).await, expected, "{step}");
    }
}

#[tokio::test]
async fn what_ends_well_is_ok() {
    let end = frame(END_OF_GRPC_WEB, b"grpc-status:0\r\n");
    for (kind, body) in [
        ("application/json", b"{}".to_vec()),
        ("image/png", vec![1, 2, 3]),
        ("application/grpc-web", end),
        ("application/connect+json", frame(END_OF_CONNECT, b"{}")),
    ] {
        assert_eq!(read(response(kind, 200, &body), 2).await, GrpcOutcome::OK, "{kind}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_has_no_reason() {
    let unknown_reason = br#"{"code":"internal","details":[{"debug":{"reason":"<b>"}}]}"#;
    let cases: [(&'static str, u16, &[u8], i32); 6] = [
        ("application/json", 403, b"nonsense", 7),
        ("text/plain", 404, b"error: gone", 5),
        ("application/json", 500, unknown_reason, 13),
        ("application/grpc", 200, b"", UNKNOWN),
        ("application/grpc-web", 200, &[0, 0, 0, 0, 9, 1], UNKNOWN),
        ("application/connect+json", 200, &[2, 0, 0, 0, 1, b'x'], UNKNOWN),
    ];
    for (kind, status, body, code) in cases {
        let outcome = read(response(kind, status, body), 3).await;
        assert_eq!(outcome, GrpcOutcome { code, reason: None }, "{kind} {status}");
    }
    // Details that are not base64.
    let mut headers = HeaderMap::new();
    headers.insert("grpc-status", HeaderValue::from_static("5"));
    headers.insert("grpc-status-details-bin", HeaderValue::from_static("?"));
    assert_eq!(GrpcOutcome::of_grpc(&headers), Some(GrpcOutcome { code: 5, reason: None }));
}
