//! The table codec against the generated types: what one writes, the other
//! reads.

use browse_proto::{Command, v1, wire};
use prost::Message as _;
use serde_json::json;

#[test]
fn requests_encode_as_prost_does() {
    let command = Command::by_name("fill").expect("`fill` is a command");
    let value = json!({"target": "@e4", "text": "Ada"});
    let bytes = wire::encode(command.request, value.as_object().expect("an object"));
    let typed =
        v1::FillRequest { target: "@e4".to_owned(), text: "Ada".to_owned(), ..Default::default() };
    assert_eq!(bytes, Ok(typed.encode_to_vec()));
}

#[test]
fn responses_decode_with_zero_values_and_absent_options() {
    let command = Command::by_name("goto").expect("`goto` is a command");
    let typed = v1::GotoResponse { url: "http://a/".to_owned(), ..Default::default() };
    let value = wire::decode(command.response, &typed.encode_to_vec());
    let expected = json!({"url": "http://a/", "title": "", "suggested_skills": []});
    assert_eq!(value.map(serde_json::Value::Object), Ok(expected));
}

#[test]
fn steps_pack_their_requests() {
    let command = Command::by_name("chain").expect("`chain` is a command");
    let step = json!({"tab": 3, "request": {"@type": "browse.v1.PressRequest", "key": "Enter"}});
    let value = json!({"steps": [step]});
    let bytes = wire::encode(command.request, value.as_object().expect("an object"));
    let decoded = v1::ChainRequest::decode(bytes.expect("it fits").as_slice()).expect("a message");
    assert_eq!(decoded.steps[0].tab, Some(3));
    let any = decoded.steps[0].request.clone().expect("a request");
    let press = v1::PressRequest::decode(any.value.as_slice()).expect("a message");
    assert_eq!(
        (any.type_url.as_str(), press.key.as_str()),
        ("type.googleapis.com/browse.v1.PressRequest", "Enter")
    );
}

#[test]
fn unknown_fields_and_wrong_types_are_refused() {
    let command = Command::by_name("click").expect("`click` is a command");
    let encode = |value: serde_json::Value| {
        let error = wire::encode(command.request, value.as_object().expect("an object"));
        error.expect_err("it does not fit").to_string()
    };
    assert_eq!(encode(json!({"taget": "a"})), "unknown field `taget`");
    assert_eq!(encode(json!({"target": 3})), "`target` wants text");
    assert_eq!(encode(json!({"button": "top"})), "`button` wants one of left, right, middle");
}

#[test]
fn torn_bytes_are_malformed() {
    let command = Command::by_name("url").expect("`url` is a command");
    assert_eq!(
        wire::decode(command.response, &[0x0a, 0x09, b'x']),
        Err(wire::WireError::Malformed)
    );
}

#[test]
fn bytes_are_found_without_decoding_the_rest() {
    let typed = v1::ScreenshotResponse { image: vec![1, 2, 3], width: 7, ..Default::default() };
    assert_eq!(wire::bytes_field(&typed.encode_to_vec(), 1), Ok(&[1, 2, 3][..]));
    assert_eq!(wire::bytes_field(&[], 1), Ok(&[][..]));
}

#[test]
fn error_details_are_read_as_tonic_types_writes_them() {
    use tonic_types::{ErrorDetails, StatusExt as _};
    let metadata = [("tab".to_owned(), "4".to_owned()), ("role".to_owned(), "button".to_owned())];
    let details = ErrorDetails::with_error_info("REF_STALE", "browse", metadata.clone());
    let status = tonic::Status::with_error_details(tonic::Code::NotFound, "gone", details);
    let info = wire::error_info(status.details()).expect("an ErrorInfo");
    assert_eq!((info.reason.as_str(), info.domain.as_str()), ("REF_STALE", "browse"));
    assert_eq!(info.metadata, metadata.into_iter().collect());
    assert_eq!(wire::error_info(b"\xff\xff"), None);
}

fn members(message: &browse_proto::MessageType, bytes: &[u8]) -> String {
    let mut out = String::new();
    wire::write_members(&mut out, message, bytes).expect("a message");
    format!("{{{out}}}")
}

#[test]
fn json_that_travels_has_large_numbers_as_strings_and_bytes_as_base64() {
    let command = Command::by_name("newtab").expect("`newtab` is a command");
    let typed = v1::NewTabResponse { tab_id: u64::MAX, ..Default::default() };
    let json = members(command.response, &typed.encode_to_vec());
    assert!(json.contains("\"tab_id\":\"18446744073709551615\""), "{json}");
    let command = Command::by_name("screenshot").expect("`screenshot` is a command");
    let image = vec![0, 0xfb, 0xff];
    let typed = v1::ScreenshotResponse { image, width: 7, ..Default::default() };
    let json = members(command.response, &typed.encode_to_vec());
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let expected = json!({"image": "APv/", "mime": "", "width": 7, "height": 0, "note": ""});
    assert_eq!(value, expected);
}

#[test]
fn the_two_forms_of_json_differ_in_nothing_else() {
    let step = v1::StepResult {
        command: "text".to_owned(),
        tab: Some(3),
        outcome: Some(v1::step_result::Outcome::Error(v1::StepError {
            reason: "REF_STALE".to_owned(),
            metadata: [("a".to_owned(), "\"1\"".to_owned())].into(),
            ..Default::default()
        })),
    };
    let typed = v1::BatchResponse { results: vec![step.clone(), step] };
    let command = Command::by_name("batch").expect("`batch` is a command");
    let bytes = typed.encode_to_vec();
    let mut plain = wire::decode(command.response, &bytes).expect("a message");
    for result in plain["results"].as_array_mut().expect("a list") {
        result["tab"] = json!("3");
    }
    let json: serde_json::Value =
        serde_json::from_str(&members(command.response, &bytes)).expect("JSON");
    assert_eq!(json, serde_json::Value::Object(plain));
}

#[test]
fn requests_may_be_written_as_protobuf_writes_json() {
    let same = |name: &str, one: serde_json::Value, other: serde_json::Value| {
        let command = Command::by_name(name).expect("a command");
        let encode = |value: serde_json::Value| {
            wire::encode(command.request, value.as_object().expect("an object"))
        };
        assert_eq!(encode(one), encode(other), "{name}");
    };
    same("click", json!({"noWait": true}), json!({"no_wait": true}));
    same("click", json!({"button": 2}), json!({"button": "right"}));
    same("click", json!({"count": "3"}), json!({"count": 3}));
    same("closetab", json!({"id": "9007199254740993"}), json!({"id": 9007199254740993_u64}));
    same("mouse wheel", json!({"dy": "1.5"}), json!({"dy": 1.5}));
    let [padded, bare] = ["+/8=", "-_8"]
        .map(|text| json!({"target": "a", "file": [{"name": "x", "content": text}]}));
    same("upload", padded, bare);
}
