//! Answers to what is not a message of the protocol. The library below would leave it without an
//! answer and its client waiting, or would call a wrong argument an unknown method.

use serde_json::{Value, json};

/// Bytes at both ends of a message in which its id is looked for, when it cannot be read.
const ID_SEARCH_BYTES: usize = 100;

const PARSE_ERROR: i32 = -32_700;
const INVALID_PARAMS: i32 = -32_602;

/// The answer to what is not a message, or that calls a method in a way that it does
/// not have.
pub fn problem(line: &[u8]) -> Option<Value> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(error) => {
            let why = format!("this is not a JSON message: {error}");
            return Some(answer(recovered_id(line), PARSE_ERROR, &why));
        }
    };
    let (id, params) = (message.get("id")?, message.get("params"));
    let is_absent = |value: &Value| value.is_null();
    let field = |name: &str| params.and_then(|params| params.get(name)).unwrap_or(&Value::Null);
    let why = match message.get("method")?.as_str()? {
        "tools/call" if !field("name").is_string() => "`params.name` is the name of a tool",
        "tools/call" if !(field("arguments").is_object() || is_absent(field("arguments"))) => {
            "`params.arguments` is an object"
        }
        "tools/call"
            if !(field("requestState").is_string() || is_absent(field("requestState"))) =>
        {
            "`params.requestState` is a string"
        }
        "tools/call"
            if !(field("inputResponses").is_object() || is_absent(field("inputResponses"))) =>
        {
            "`params.inputResponses` is an object"
        }
        "resources/read" if !field("uri").is_string() => {
            "`params.uri` is the address of a resource"
        }
        "prompts/get" if !field("name").is_string() => "`params.name` is the name of a prompt",
        _ => return None,
    };
    Some(answer(id.clone(), INVALID_PARAMS, why))
}

fn answer(id: Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// The id of a message that cannot be read: clients write it first or last.
fn recovered_id(line: &[u8]) -> Value {
    let text = String::from_utf8_lossy(line);
    let (head, tail) = (0, text.len().saturating_sub(ID_SEARCH_BYTES));
    let first = text.get(head..).and_then(|text| text.find("\"id\""));
    let last = text.rfind("\"id\"").filter(|at| *at >= tail);
    let at = first.filter(|at| *at < ID_SEARCH_BYTES).or(last);
    let value = at.and_then(|at| text[at + 4..].trim_start().strip_prefix(':'));
    let mut values = serde_json::Deserializer::from_str(value.unwrap_or_default()).into_iter();
    match values.next() {
        Some(Ok(id @ (Value::Number(_) | Value::String(_)))) => id,
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_message_is_answered_with_its_id() {
        let table = [
            ("garbage", Value::Null, PARSE_ERROR),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a\ud83d"}}"#,
                json!(7),
                PARSE_ERROR,
            ),
            (
                r#"{"method":"x","params":{"a":1e400},"jsonrpc":"2.0","id":"q-1"}"#,
                json!("q-1"),
                PARSE_ERROR,
            ),
            (
                r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":5}}"#,
                json!(3),
                INVALID_PARAMS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}"#,
                json!(3),
                INVALID_PARAMS,
            ),
            (r#"{"jsonrpc":"2.0","id":3,"method":"tools/call"}"#, json!(3), INVALID_PARAMS),
            (
                r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"tabs","arguments":[]}}"#,
                json!(3),
                INVALID_PARAMS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":5}}"#,
                json!(3),
                INVALID_PARAMS,
            ),
        ];
        for (line, id, code) in table {
            let answer = problem(line.as_bytes()).unwrap_or_else(|| panic!("{line} is refused"));
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line}");
        }
        let deep = format!(
            "{{\"id\":4,\"method\":\"x\",\"params\":{}1{}}}",
            "[".repeat(5000),
            "]".repeat(5000)
        );
        assert_eq!(problem(deep.as_bytes()).expect("it is refused")["id"], 4);
        for line in [
            "\n",
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tabs"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"unknown","params":[]}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert_eq!(problem(line.as_bytes()), None, "{line}");
        }
    }
}
