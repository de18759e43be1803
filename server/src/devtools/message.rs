//! The messages of the protocol: requests of a client, and what it is sent.

use browse_chromium::ClientAnswer;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The message is not JSON.
const PARSE_ERROR: i32 = -32700;
/// The message is not a request.
const INVALID_REQUEST: i32 = -32600;
/// The method is not there.
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters do not fit.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// The request was refused or failed.
pub(super) const SERVER_ERROR: i32 = -32000;
/// The session is not one of the client.
pub(super) const SESSION_NOT_FOUND: i32 = -32001;

/// Characters of a method's name.
const MAX_METHOD_CHARS: usize = 100;

/// A request of a client.
#[derive(Debug)]
pub(super) struct DevToolsRequest {
    pub id: i64,
    pub method: String,
    pub params: Map<String, Value>,
    /// The session that it is for; none for the browser.
    pub session: Option<String>,
}

/// A refusal of ours: the code, and what is wrong.
#[derive(Debug)]
pub(super) struct DevToolsError {
    pub code: i32,
    pub message: String,
}

impl DevToolsError {
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl DevToolsRequest {
    /// Reads a message of a client; the error is what it is sent.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire {
            #[serde(default)]
            id: Value,
            #[serde(default)]
            method: Value,
            #[serde(default)]
            params: Value,
            #[serde(default)]
            session_id: Value,
        }
        let error = |id: Option<i64>, code, message: &str| {
            let mut answer = json!({ "error": { "code": code, "message": message } });
            if let Some(id) = id {
                answer["id"] = id.into();
            }
            answer.to_string()
        };
        let object = if text.trim_start().starts_with('{') { text } else { "" };
        let wire: Wire = serde_json::from_str(object)
            .map_err(|_| error(None, PARSE_ERROR, "the message is not a JSON object"))?;
        let id = wire.id.as_i64();
        let wrong = |message| error(id, INVALID_REQUEST, message);
        let Some(number) = id else {
            return Err(wrong("the message has no `id` that is an integer"));
        };
        let method = match wire.method {
            Value::String(name) if is_method_name(&name) => name,
            _ => return Err(wrong("the message has no `method` such as `Page.navigate`")),
        };
        let params = match wire.params {
            Value::Null => Map::new(),
            Value::Object(params) => params,
            _ => return Err(wrong("`params` is not an object")),
        };
        let session = match wire.session_id {
            Value::Null => None,
            Value::String(session) if session.is_empty() => None,
            Value::String(session) => Some(session),
            _ => return Err(wrong("`sessionId` is not a string")),
        };
        Ok(Self { id: number, method, params, session })
    }

    /// A parameter that is a string.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name)?.as_str()
    }

    /// A parameter that is a truth value; false when it is left out.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.params.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Whether a parameter holds something.
    pub(super) fn has(&self, name: &str) -> bool {
        match self.params.get(name) {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(items)) => !items.is_empty(),
            Some(_) => true,
        }
    }
}

fn is_method_name(name: &str) -> bool {
    let is_word = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
    name.len() <= MAX_METHOD_CHARS
        && name.split_once('.').is_some_and(|(domain, rest)| is_word(domain) && is_word(rest))
}

/// To whom an answer goes.
#[derive(Clone, Debug)]
pub(super) struct ReplyAddress {
    pub id: i64,
    pub session: Option<String>,
}

impl ReplyAddress {
    pub(super) fn of(request: &DevToolsRequest) -> Self {
        Self { id: request.id, session: request.session.clone() }
    }

    /// The answer of Chromium.
    pub(super) fn answer(&self, answer: &ClientAnswer) -> String {
        let (name, json) = match answer {
            ClientAnswer::Result(result) => ("result", result.get()),
            ClientAnswer::Refusal(error) => ("error", error.get()),
            ClientAnswer::None(reason) => {
                return self.refusal(&DevToolsError::new(SERVER_ERROR, reason.clone()));
            }
        };
        let mut text = String::with_capacity(json.len() + 96);
        text.push_str(&format!("{{\"id\":{},\"{name}\":", self.id));
        text.push_str(json);
        if let Some(session) = &self.session {
            text.push_str(&format!(",\"sessionId\":{}", json!(session)));
        }
        text.push('}');
        text
    }

    /// A result of ours.
    pub(super) fn result(&self, result: &Value) -> String {
        self.with_session(json!({ "id": self.id, "result": result }))
    }

    /// A refusal of ours.
    pub(super) fn refusal(&self, refusal: &DevToolsError) -> String {
        let error = json!({ "code": refusal.code, "message": refusal.message });
        self.with_session(json!({ "id": self.id, "error": error }))
    }

    fn with_session(&self, mut message: Value) -> String {
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        message.to_string()
    }
}

/// An event of ours.
pub(super) fn event(session: Option<&str>, method: &str, params: &Value) -> String {
    let mut message = json!({ "method": method, "params": params });
    if let Some(session) = session {
        message["sessionId"] = session.into();
    }
    message.to_string()
}

#[cfg(test)]
mod tests {
    use super::DevToolsRequest;

    #[test]
    fn what_is_not_a_request_is_answered() {
        for (text, code) in [
            ("", -32700),
            ("\u{0}", -32700),
            ("[1]", -32700),
            ("{}", -32600),
            (r#"{"id":1}"#, -32600),
            (r#"{"id":"1","method":"Page.enable"}"#, -32600),
            (r#"{"id":1,"method":"Page"}"#, -32600),
            (r#"{"id":1,"method":"Page.enable\n"}"#, -32600),
            (r#"{"id":1,"method":"Page.enable","params":[]}"#, -32600),
            (r#"{"id":1,"method":"Page.enable","sessionId":7}"#, -32600),
        ] {
            let answer = DevToolsRequest::read(text).expect_err(text);
            let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
            assert_eq!(answer["error"]["code"], code, "{text}: {answer}");
        }
        let read = DevToolsRequest::read(r#"{"id":1,"method":"Page.enable"}"#).expect("a request");
        assert!(read.params.is_empty() && read.session.is_none());
    }
}
