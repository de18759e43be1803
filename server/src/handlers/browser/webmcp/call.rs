//! Calling a tool of a page.

use browse_proto::{Reason, v1};
use serde_json::{Map, Value};

use super::{not_found, page_tools};
use crate::{dispatch::CallContext, handlers::browser::navigation};
use browse_base::{Error, Result, quote};
use browse_chromium::{PageTool, PageToolKind, PageToolOutcome};

/// Bytes that an input may have.
const MAX_INPUT_BYTES: usize = 64 << 10;

/// Bytes of JSON that an answer may have.
const MAX_OUTPUT_BYTES: usize = 200 * 1024;

/// Calls a tool of the page, or of the chosen frame.
pub async fn call_page_tool(
    cx: &CallContext,
    request: v1::CallPageToolRequest,
) -> Result<v1::CallPageToolResponse> {
    let input = parse_input(request.input.as_deref().unwrap_or("{}"))?;
    let found = page_tools(cx).await?;
    let chosen = cx.engine().selector_frame()?;
    let is_it = |tool: &&PageTool| tool.name == request.name && tool.frame == chosen;
    let Some(tool) = found.all().iter().find(is_it) else {
        return Err(not_found(&request.name, found.all(), |tool| tool.frame == chosen));
    };
    // It may leave the page.
    let _acting = cx.page().begin_action();
    let outcome = found.call(tool, &input).await?;
    match outcome {
        PageToolOutcome::Answered(output) => answered(&request.name, &output),
        PageToolOutcome::Filled => {
            cx.add_notice(
                "the form is filled in and not sent: press its button to send it \
                 (`browse snapshot -i`)",
            );
            Ok(v1::CallPageToolResponse { filled: true, ..Default::default() })
        }
        // To send a form is to leave the page; a function has lost its answer.
        PageToolOutcome::Left(reported)
            if reported.is_some() || tool.kind != PageToolKind::Function =>
        {
            cx.engine().schedule_preinject();
            let response = reported.map_or_else(
                || Ok(v1::CallPageToolResponse::default()),
                |output| answered(&request.name, &output),
            );
            let url = navigation::url_for_caller(cx, cx.page().url());
            Ok(v1::CallPageToolResponse { url, ..response? })
        }
        PageToolOutcome::Left(_) => {
            let message = format!("`{}` left the page before it answered", quote(&request.name));
            let url = navigation::url_for_caller(cx, cx.page().url());
            Err(Error::new(Reason::PageToolNavigated, message).with("url", url))
        }
        PageToolOutcome::Failed(words) => {
            let message = format!("`{}` failed", quote(&request.name));
            let error = Error::new(Reason::PageToolFailed, message);
            Err(error.with("tool", quote(&request.name)).with("exception", words))
        }
        PageToolOutcome::Gone => Err(not_found(&request.name, found.all(), |_| false)),
    }
}

/// The input is one JSON object.
fn parse_input(text: &str) -> Result<Value> {
    if text.len() > MAX_INPUT_BYTES {
        let message = format!("the input has {} bytes", text.len());
        return Err(Error::new(Reason::TooLarge, message).with("limit", "64 KiB"));
    }
    let object: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
        let message = format!("the input is not a JSON object such as `{{\"a\": 1}}`: {error}");
        Error::new(Reason::ArgumentInvalid, message).with("command", "webmcp call")
    })?;
    Ok(Value::Object(object))
}

fn answered(name: &str, output: &Value) -> Result<v1::CallPageToolResponse> {
    let output = output.to_string();
    if output.len() > MAX_OUTPUT_BYTES {
        let message =
            format!("`{}` did its work and answered with {} bytes", quote(name), output.len());
        return Err(Error::new(Reason::TooLarge, message).with("limit", "200 KB"));
    }
    Ok(v1::CallPageToolResponse { output, ..Default::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_one_object() {
        assert_eq!(parse_input("{\"a\": 1}").expect("it is good")["a"], 1);
        for bad in ["", "[1]", "1", "\"x\"", "null", "{a: 1}", "{} {}", "{\"a\": }"] {
            let error = parse_input(bad).expect_err("it is bad");
            assert_eq!(error.reason(), Reason::ArgumentInvalid, "{bad}");
            assert!(error.to_string().contains("is not a JSON object"), "{error}");
        }
        let deep = "{\"a\":".repeat(10_000);
        assert_eq!(parse_input(&deep).expect_err("it is deep").reason(), Reason::ArgumentInvalid);
        let long = format!("{{\"a\": \"{}\"}}", "x".repeat(MAX_INPUT_BYTES));
        assert_eq!(parse_input(&long).expect_err("it is long").reason(), Reason::TooLarge);
    }
}
