//! Running the caller's JavaScript in the page's own world.

use browse_proto::{Reason, v1};

use crate::{dispatch::CallContext, handlers::browser::serialize};
use browse_base::{Error, Result};

/// Characters that an expression may have.
const MAX_EXPRESSION_CHARS: usize = 50_000;

/// Words with which no expression begins, so that what follows is statements.
const STATEMENT_KEYWORDS: [&str; 10] =
    ["const", "let", "var", "if", "for", "while", "switch", "try", "throw", "return"];

/// Evaluates an expression, or the body of an async function.
pub async fn js(cx: &CallContext, request: v1::JsRequest) -> Result<v1::JsResponse> {
    if request.expression.trim().is_empty() {
        let message = "the expression is empty";
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "js"));
    }
    let length = request.expression.chars().count();
    if length > MAX_EXPRESSION_CHARS {
        let message = format!("the expression has {length} characters");
        return Err(Error::new(Reason::TooLarge, message)
            .with("limit", format!("{MAX_EXPRESSION_CHARS} characters")));
    }
    // It may leave the page.
    let _acting = cx.page().begin_action();
    let value = match begins_with_statement(&request.expression) {
        false => serialize::evaluate(cx.page(), &request.expression).await?,
        true => {
            serialize::evaluate(cx.page(), &wrap_in_async_function(&request.expression)).await?
        }
    };
    if value == "null"
        && begins_with_statement(&request.expression)
        && !request.expression.contains("return")
    {
        cx.add_notice("statements answer with `return`: without one the value is null");
    }
    Ok(v1::JsResponse { value })
}

/// Whether code begins with a statement that no expression begins with.
fn begins_with_statement(code: &str) -> bool {
    let code = code.trim_start();
    let word = code.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let next = code[word.len()..].chars().next();
    let is_word = next
        .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '{' | '[' | ';' | '"' | '\'' | '`'));
    // `let` may be the name of a variable: it declares one where a blank follows.
    is_word
        && STATEMENT_KEYWORDS.contains(&word)
        && (word != "let" || next.is_some_and(char::is_whitespace))
}

/// The code as a function that is called.
fn wrap_in_async_function(code: &str) -> String {
    format!("(async () => {{\n{code}\n}})()")
}

/// Runs a file: one line is an expression, several are the body of an async
/// function that answers with `return`.
pub async fn eval(cx: &CallContext, request: v1::EvalRequest) -> Result<v1::EvalResponse> {
    let code = request.code.trim();
    if code.is_empty() {
        let message = "the file is empty";
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "eval"));
    }
    let _acting = cx.page().begin_action();
    let value = match code.contains('\n') {
        false => serialize::evaluate(cx.page(), code).await?,
        true => serialize::evaluate(cx.page(), &wrap_in_async_function(code)).await?,
    };
    Ok(v1::EvalResponse { value })
}

#[cfg(test)]
mod tests {
    use super::begins_with_statement;

    #[test]
    fn statements_are_told_from_expressions() {
        for code in
            ["return 1", " const a = 1; return a", "if(a){}", "return", "for (;;) {}", "return[1]"]
        {
            assert!(begins_with_statement(code), "{code}");
        }
        for code in [
            "document.title",
            "returned + 1",
            "let",
            "format(1)",
            "(() => { return 1 })()",
            "iffy",
            "try_this()",
        ] {
            assert!(!begins_with_statement(code), "{code}");
        }
    }
}
