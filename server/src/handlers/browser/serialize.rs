//! Evaluates the caller's script and answers its value as JSON, whatever the
//! value is.
//!
//! Chromium's own by-value answer fails on cycles and bigints; the serializer
//! travels with the expression, so that both take one round trip.

use browse_proto::Reason;
use serde_json::Value;

use browse_base::{Error, Result};
use browse_chromium::{EvaluateOptions, Page};

/// Bytes of JSON that an answer may have.
const MAX_RESULT_BYTES: usize = 200 * 1024;

/// Turns any value into JSON text: a cycle becomes `"[circular]"`, a function
/// `"[function]"`, a bigint its digits, an element its opening tag.
const SERIALIZER: &str = r#"(value => {
  const path = [];
  const plain = (value, depth) => {
    switch (typeof value) {
      case 'undefined': return null;
      case 'bigint': return value.toString();
      case 'function': return '[function]';
      case 'symbol': return String(value);
      case 'number': return Number.isFinite(value) ? value : String(value);
      case 'object': break;
      default: return value;
    }
    if (value === null) return null;
    if (path.includes(value)) return '[circular]';
    if (depth > 64) return '[deep]';
    if (value instanceof Node) return value.outerHTML ? value.cloneNode(false).outerHTML : String(value.nodeValue);
    if (value instanceof Error) return String(value.stack || value);
    if (value instanceof Date || value instanceof URL) return value.toJSON();
    path.push(value);
    try {
      if (typeof value.toJSON === 'function') return plain(value.toJSON(), depth + 1);
      if (value instanceof Map) return [...value].map(entry => plain(entry, depth + 1));
      const list = Array.isArray(value) || value instanceof Set || ArrayBuffer.isView(value)
        || value instanceof NodeList || value instanceof HTMLCollection;
      if (list) return Array.from(value, item => plain(item, depth + 1));
      return Object.fromEntries(Object.keys(value).map(key => [key, plain(value[key], depth + 1)]));
    } finally {
      path.pop();
    }
  };
  return JSON.stringify(plain(value, 0));
})"#;

/// Evaluates `expression` in the page's own world, as a user gesture, and
/// answers its value as JSON text. A promise is awaited.
///
/// # Errors
/// `SCRIPT_FAILED` when it throws, `TOO_LARGE` above 200 KB.
pub async fn evaluate(page: &Page, expression: &str) -> Result<String> {
    let source = format!("(async () => {SERIALIZER}(await (\n{expression}\n)))()");
    let options = EvaluateOptions { user_gesture: true, await_promise: true, repl: false };
    let value = page.evaluate(&page.main_frame().id, &source, options)?.await?;
    let Value::String(text) = value else {
        return Err(Error::new(Reason::ScriptFailed, "the page changed the serializer"));
    };
    if text.len() > MAX_RESULT_BYTES {
        let message = format!("the value has {} bytes of JSON", text.len());
        return Err(Error::new(Reason::TooLarge, message).with("limit", "200 KB"));
    }
    Ok(text)
}
