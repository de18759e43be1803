use super::{CborError, message_id, message_length, to_json, write};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

fn written(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(value, &mut bytes);
    bytes
}

fn read(bytes: &[u8]) -> String {
    String::from_utf8(to_json(bytes).expect("is read")).expect("is UTF-8")
}

#[test]
fn what_is_written_is_read_the_same() {
    let message = json!({
        "id": 7, "method": "Runtime.evaluate", "sessionId": "A1",
        "params": {
            "expression": "'é' + \"\\n\" + '\u{1f600}'", "none": null, "yes": true, "no": false,
            "numbers": [0, 23, 24, 255, 256, 65_535, 65_536, i32::MAX, -1, -24, -25, i32::MIN],
            "large": [4_294_967_296_i64, -2_147_483_649_i64, 1.5, -0.25, 1e300],
            "empty": [{}, [], ""], "long": "x".repeat(70_000),
        },
    });
    let bytes = written(&message);
    assert_eq!(message_length(&bytes), Ok(Some(bytes.len())));
    assert_eq!(serde_json::from_str::<Value>(&read(&bytes)).expect("is JSON"), message);
}

#[test]
fn texts_are_utf_8_or_utf_16() {
    assert_eq!(read(b"\x63a\"\n"), r#""a\"\n""#);
    assert_eq!(read(b"\x63\xc3\xa9!"), "\"é!\"");
    assert_eq!(read(b"\x46\xe9\0!\0\0\x20"), "\"é!\u{2000}\"");
    // A pair, and half of one.
    assert_eq!(read(b"\x46\x3d\xd8\0\xde\x3d\xd8"), "\"\u{1f600}\u{fffd}\"");
}

#[test]
fn binary_data_is_base64() {
    assert_eq!(read(b"\xd6\x43\x00\xff\x10"), r#""AP8Q""#);
    assert!(to_json(b"\xd6\x63abc").is_err());
}

#[test]
fn whole_doubles_are_whole_numbers() {
    let double = |number: f64| read(&[&[0xfb], &number.to_be_bytes()[..]].concat());
    assert_eq!(double(1234.0), "1234");
    assert_eq!(double(-3.0), "-3");
    assert_eq!(double(0.1), "0.1");
    assert_eq!(double(1e21).parse(), Ok(1e21));
    assert_eq!(double(f64::NAN), "null");
}

#[test]
fn the_length_is_known_from_the_head() {
    for bytes in [&b""[..], b"\xd8", b"\xd8\x18", b"\xd8\x18\x5a\0\0\0", b"\xd8\x5a\0\0\0"] {
        assert_eq!(message_length(bytes), Ok(None), "{bytes:x?}");
    }
    assert_eq!(message_length(b"\xd8\x18\x5a\0\0\x01\x02"), Ok(Some(7 + 258)));
    assert_eq!(message_length(b"\xd8\x5a\0\0\0\x02\xbf\xff"), Ok(Some(8)));
    assert!(message_length(b"{\"id\"").is_err() && message_length(b"\xd8\x19").is_err());
}

#[test]
fn what_is_cut_off_or_unknown_is_a_fault() {
    let message = written(&json!({ "a": [1, "two", { "three": 3.5 }] }));
    for end in 0..message.len() {
        assert!(to_json(&message[..end]).is_err(), "{end}");
    }
    let twice = [&message[..], &message[..]].concat();
    let fault = CborError { problem: "more than one value", offset: message.len() };
    assert_eq!(to_json(&twice), Err(fault));
    for bytes in
        [&b"\xf7"[..], b"\x5f", b"\x1b\0\0\0\0\0\0\0\0", b"\x41a", b"\x61\xff", b"\xbf\x01\x01\xff"]
    {
        assert!(to_json(bytes).is_err(), "{bytes:x?}");
    }
    assert!(to_json(&[0x9f].repeat(100_000)).is_err());
}

proptest! {
    #[test]
    fn nonsense_is_json_or_a_fault(bytes in vec(any::<u8>(), 0..80)) {
        if let Ok(json) = to_json(&bytes) {
            prop_assert!(serde_json::from_slice::<Value>(&json).is_ok());
        }
        let _ = message_length(&bytes);
    }
}

#[test]
fn an_answer_that_cannot_be_read_has_its_number() {
    let deep = (0..600).fold(json!(1), |inner, _| json!([inner]));
    for number in [7, 70_000] {
        let message = written(&json!({ "id": number, "result": deep }));
        assert!(to_json(&message).is_err());
        assert_eq!(message_id(&message), Some(number));
    }
    assert_eq!(message_id(&written(&json!({ "method": "x" }))), None);
    assert_eq!(message_id(&written(&json!({ "id": "x" }))), None);
    assert_eq!(message_id(b"\xd8\x18\x5a\0\0\0\x04\xbf\x62id"), None);
}
