//! Answers to the questions of a page: to the one that is open, else to the next.

use browse_proto::{Reason, v1};
use futures::FutureExt as _;

use super::{act::perform, report};
use crate::{
    chromium::{AnsweredBy, DialogAnswer, Question},
    dispatch::Context,
    error::{Error, Result},
};

/// Accepts the open dialog, or the next one.
pub async fn dialog_accept(
    cx: &Context,
    request: v1::DialogAcceptRequest,
) -> Result<v1::DialogAcceptResponse> {
    let with = if request.text.is_some() { " with this text" } else { "" };
    let receipt = match cx.page().question() {
        Some(question) => {
            if request.text.is_some() && question.kind != "prompt" {
                cx.say(&format!("a `{}` takes no text: it was left out", question.kind));
            }
            answer(cx, &question, DialogAnswer::Accept(request.text)).await?
        }
        None => {
            keep(cx, DialogAnswer::Accept(request.text))?;
            summary(&format!("the next dialog is accepted{with}"))
        }
    };
    Ok(v1::DialogAcceptResponse { receipt: Some(receipt) })
}

/// Dismisses the open dialog, or the next one.
pub async fn dialog_dismiss(
    cx: &Context,
    _: v1::DialogDismissRequest,
) -> Result<v1::DialogDismissResponse> {
    let receipt = match cx.page().question() {
        Some(question) => answer(cx, &question, DialogAnswer::Dismiss).await?,
        None => {
            keep(cx, DialogAnswer::Dismiss)?;
            summary("the next dialog is dismissed")
        }
    };
    Ok(v1::DialogDismissResponse { receipt: Some(receipt) })
}

/// Answers the open question. The receipt is that of the action that it
/// interrupted; else it says what followed.
async fn answer(cx: &Context, question: &Question, answer: DialogAnswer) -> Result<v1::Receipt> {
    let (engine, deadline) = (cx.engine().clone(), cx.deadline());
    let document = cx.page().loader();
    let interrupted = cx.tab().resume(question.id);
    // The receipt counts from before the answer.
    let action = match interrupted {
        Some(action) => action,
        None => {
            let before = engine.begin_action();
            async move { Ok(engine.followed(before, deadline).await) }.boxed()
        }
    };
    let Some(call) = cx.page().answer_question(question.id, answer, AnsweredBy::Caller) else {
        return Err(closed("the question was closed before it was answered".to_owned()));
    };
    call.ignore();
    let receipt = perform(cx, action, || true).await?;
    let receipt = cx.engine().arrived_late(receipt, &document, cx.deadline()).await;
    Ok(report(cx, receipt).await)
}

/// Keeps an answer for the next question, unless it comes too late for the last.
fn keep(cx: &Context, answer: DialogAnswer) -> Result<()> {
    if let Some(words) = cx.tab().untold().take_questions() {
        return Err(closed(words));
    }
    if cx.page().answer_next_dialog(answer) {
        return Ok(());
    }
    Err(Error::new(Reason::ArgumentInvalid, "too many answers wait for dialogs already"))
}

fn closed(message: String) -> Error {
    Error::new(Reason::DialogClosed, message)
}

/// A receipt in our words alone.
fn summary(summary: &str) -> v1::Receipt {
    let fact = v1::ReceiptFact { label: summary.to_owned(), ..v1::ReceiptFact::default() };
    v1::Receipt { summary: summary.to_owned(), facts: vec![fact], ..v1::Receipt::default() }
}
