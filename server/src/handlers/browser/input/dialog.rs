//! Answers to the questions of a page: to the one that is open, else to the next.

use browse_proto::{Reason, v1};
use futures::FutureExt as _;

use super::{act::wait_for_receipt, receipt_message};
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{AnsweredBy, DialogAnswer, OpenPageDialog};

/// Accepts the open dialog, or the next one.
pub async fn dialog_accept(
    cx: &CallContext,
    request: v1::DialogAcceptRequest,
) -> Result<v1::DialogAcceptResponse> {
    let with = if request.text.is_some() { " with this text" } else { "" };
    let receipt = match cx.page().open_dialog() {
        Some(question) => {
            if request.text.is_some() && question.kind != "prompt" {
                cx.add_notice(&format!("a `{}` takes no text: it was left out", question.kind));
            }
            answer_open_dialog(cx, &question, DialogAnswer::Accept(request.text)).await?
        }
        None => {
            preset_answer(cx, DialogAnswer::Accept(request.text))?;
            summary_receipt(&format!("the next dialog is accepted{with}"))
        }
    };
    Ok(v1::DialogAcceptResponse { receipt: Some(receipt) })
}

/// Dismisses the open dialog, or the next one.
pub async fn dialog_dismiss(
    cx: &CallContext,
    _: v1::DialogDismissRequest,
) -> Result<v1::DialogDismissResponse> {
    let receipt = match cx.page().open_dialog() {
        Some(question) => answer_open_dialog(cx, &question, DialogAnswer::Dismiss).await?,
        None => {
            preset_answer(cx, DialogAnswer::Dismiss)?;
            summary_receipt("the next dialog is dismissed")
        }
    };
    Ok(v1::DialogDismissResponse { receipt: Some(receipt) })
}

/// Answers the open question. The receipt is that of the action that it
/// interrupted; else it says what followed.
async fn answer_open_dialog(
    cx: &CallContext,
    question: &OpenPageDialog,
    answer: DialogAnswer,
) -> Result<v1::Receipt> {
    let (engine, deadline) = (cx.engine().clone(), cx.deadline());
    let document = cx.page().loader();
    let interrupted = cx.tab().take_suspended_action(question.id);
    // The receipt counts from before the answer.
    let action = match interrupted {
        Some(action) => action,
        None => {
            let before = engine.begin_action();
            async move { Ok(engine.dialog_answer_receipt(before, deadline).await) }.boxed()
        }
    };
    let Some(call) = cx.page().answer_open_dialog(question.id, answer, AnsweredBy::Caller) else {
        return Err(dialog_closed("the question was closed before it was answered".to_owned()));
    };
    call.ignore();
    let receipt = wait_for_receipt(cx, action, || true).await?;
    let receipt = cx.engine().await_late_navigation(receipt, &document, cx.deadline()).await;
    Ok(receipt_message(cx, receipt).await)
}

/// Keeps an answer for the next question, unless it comes too late for the last.
fn preset_answer(cx: &CallContext, answer: DialogAnswer) -> Result<()> {
    if let Some(words) = cx.tab().unreported_dialogs().take_questions() {
        return Err(dialog_closed(words));
    }
    if cx.page().answer_next_dialog(answer) {
        return Ok(());
    }
    Err(Error::new(Reason::ArgumentInvalid, "too many answers wait for dialogs already"))
}

fn dialog_closed(message: String) -> Error {
    Error::new(Reason::DialogClosed, message)
}

/// A receipt in our words alone.
fn summary_receipt(summary: &str) -> v1::Receipt {
    let fact = v1::ReceiptFact { label: summary.to_owned(), ..v1::ReceiptFact::default() };
    v1::Receipt { summary: summary.to_owned(), facts: vec![fact], ..v1::Receipt::default() }
}
