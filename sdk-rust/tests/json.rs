//! JSON in and out.

use browse_sdk::Json;

fn again(text: &str) -> Option<String> {
    Json::parse(text).map(|value| value.to_string())
}

#[test]
fn documents_come_back_as_javascript_prints_them() {
    for text in [
        "null",
        "true",
        "[]",
        "{}",
        "[1,-2.5,\"a\"]",
        r#"{"b":1,"a":[{"c":null}]}"#,
        r#""\"\\\n\t\b\f\r\u0001é𝄞""#,
        "9007199254740993",
    ] {
        assert_eq!(again(text).as_deref(), Some(text));
    }
    assert_eq!(again(" { \"a\" : [ 1 , 2 ] } ").as_deref(), Some(r#"{"a":[1,2]}"#));
    assert_eq!(again(r#""\ud834\udd1e\/\u00e9""#).as_deref(), Some("\"𝄞/é\""));
    assert_eq!(again(r#""\ud834x""#).as_deref(), Some("\"\u{fffd}x\""));
    assert_eq!(again("1e2").as_deref(), Some("100"));
    assert_eq!(Json::from(f64::NAN).to_string(), "null");
}

#[test]
fn what_is_no_json_is_none() {
    let deep = "[".repeat(100_000);
    for text in [
        "",
        "nul",
        "[1,]",
        "{\"a\"}",
        "\"",
        "\"\n\"",
        "+1",
        ".5",
        "1.",
        "1 2",
        "{a:1}",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u+123\"",
        &deep,
    ] {
        assert_eq!(again(text), None, "{}", &text[..text.len().min(9)]);
    }
}

#[test]
fn members_are_found_and_absent_ones_are_null() {
    let value = Json::parse(r#"{"a":{"b":[1,"x"]}}"#).expect("JSON");
    assert_eq!(value["a"]["b"].items()[1].as_str(), Some("x"));
    assert_eq!(value["z"]["b"], Json::Null);
}
