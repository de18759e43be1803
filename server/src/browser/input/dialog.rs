//! Deciding the next dialog. Dialogs never wait: see `chromium/page/dialogs.rs`.

use browse_proto::{Reason, v1};

use crate::{
    chromium::DialogAnswer,
    dispatch::Context,
    error::{Error, Result},
};

/// Accepts the next dialog.
pub async fn dialog_accept(
    cx: &Context,
    request: v1::DialogAcceptRequest,
) -> Result<v1::DialogAcceptResponse> {
    let with = if request.text.is_some() { " with this text" } else { "" };
    decide(cx, DialogAnswer::Accept(request.text))?;
    Ok(v1::DialogAcceptResponse { summary: format!("the next dialog is accepted{with}") })
}

/// Dismisses the next dialog.
pub async fn dialog_dismiss(
    cx: &Context,
    _: v1::DialogDismissRequest,
) -> Result<v1::DialogDismissResponse> {
    decide(cx, DialogAnswer::Dismiss)?;
    Ok(v1::DialogDismissResponse { summary: "the next dialog is dismissed".to_owned() })
}

fn decide(cx: &Context, answer: DialogAnswer) -> Result<()> {
    if cx.page().answer_next_dialog(answer) {
        return Ok(());
    }
    Err(Error::new(Reason::ArgumentInvalid, "too many answers wait for dialogs already"))
}
