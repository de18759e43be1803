//! Running the caller's JavaScript in the page's own world.

use browse_proto::{Reason, v1};

use crate::{
    browser::serialize,
    dispatch::Context,
    error::{Error, Result},
};

/// Characters that an expression may have.
const MOST_CHARACTERS: usize = 50_000;

/// Evaluates an expression.
pub async fn js(cx: &Context, request: v1::JsRequest) -> Result<v1::JsResponse> {
    if request.expression.trim().is_empty() {
        let message = "the expression is empty";
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "js"));
    }
    let length = request.expression.chars().count();
    if length > MOST_CHARACTERS {
        let message = format!("the expression has {length} characters");
        return Err(Error::new(Reason::TooLarge, message)
            .with("limit", format!("{MOST_CHARACTERS} characters")));
    }
    let value = serialize::evaluate(cx.page(), &request.expression).await?;
    Ok(v1::JsResponse { value })
}

/// Runs a file: one line is an expression, several are the body of an async
/// function that answers with `return`.
pub async fn eval(cx: &Context, request: v1::EvalRequest) -> Result<v1::EvalResponse> {
    let code = request.code.trim();
    if code.is_empty() {
        let message = "the file is empty";
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "eval"));
    }
    let value = match code.contains('\n') {
        false => serialize::evaluate(cx.page(), code).await?,
        true => {
            let body = format!("(async () => {{\n{code}\n}})()");
            serialize::evaluate(cx.page(), &body).await?
        }
    };
    Ok(v1::EvalResponse { value })
}
