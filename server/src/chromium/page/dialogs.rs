//! Dialogs are answered the moment they open.
//!
//! While one is open the renderer answers nothing, so none may stay open: the
//! answer is sent from the reading task, by the next one-shot answer or by the
//! policy of the browser.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::page::Page;
use crate::chromium::browser::options::DialogPolicy;
use crate::chromium::capture::event::Event;
use crate::chromium::connection::envelope::RawEvent;

/// Answers kept for dialogs to come.
const MAX_QUEUED: usize = 100;
/// Characters kept of a message.
const MAX_MESSAGE: usize = 4000;

/// How a dialog is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialogAnswer {
    /// OK; for a prompt with this text, or with its default.
    Accept(Option<String>),
    /// Cancel.
    Dismiss,
}

/// A dialog that opened and was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// What it said, cut at 4,000 characters.
    pub message: String,
    /// URL of the document that opened it.
    pub url: String,
    /// Default text of a prompt.
    pub default_text: Option<String>,
    /// What was answered.
    pub answer: DialogAnswer,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DialogOpening {
    #[serde(default)]
    url: String,
    #[serde(default)]
    message: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    default_prompt: Option<String>,
}

impl Page {
    /// Decides one dialog to come; several are used in order. False when so
    /// many are waiting that this one was not taken.
    pub fn answer_next_dialog(&self, answer: DialogAnswer) -> bool {
        let mut queue = self.dialogs.lock();
        let room = queue.len() < MAX_QUEUED;
        if room {
            queue.push_back(answer);
        }
        room
    }

    /// The kind of the dialog that is open at this moment. Only ever set for
    /// the milliseconds until Chromium has taken the answer.
    pub fn open_dialog(&self) -> Option<String> {
        self.state.lock().dialog.clone()
    }
}

/// `Page.javascriptDialogOpening`.
pub(crate) fn opening(page: &Arc<Page>, event: &RawEvent<'_>) -> Option<()> {
    let opening: DialogOpening = event.params()?;
    page.state.lock().dialog = Some(opening.kind.clone());
    let queued = page.dialogs.lock().pop_front();
    let answer = queued.unwrap_or(match page.shared.dialogs {
        DialogPolicy::Accept => DialogAnswer::Accept(None),
        DialogPolicy::Dismiss => DialogAnswer::Dismiss,
    });
    let mut params = json!({ "accept": answer != DialogAnswer::Dismiss });
    if opening.kind == "prompt"
        && let DialogAnswer::Accept(text) = &answer
    {
        params["promptText"] = json!(text.as_ref().or(opening.default_prompt.as_ref()));
    }
    page.session().call_method::<IgnoredAny>("Page.handleJavaScriptDialog", &params).ignore();
    let dialog = Dialog {
        message: opening.message.chars().take(MAX_MESSAGE).collect(),
        default_text: opening.default_prompt.filter(|_| opening.kind == "prompt"),
        kind: opening.kind,
        url: opening.url,
        answer,
    };
    page.shared.sink.event(Event::Dialog(page.target_id().clone(), dialog));
    Some(())
}

/// `Page.javascriptDialogClosed`.
pub(crate) fn closed(page: &Page) -> Option<()> {
    page.state.lock().dialog = None;
    Some(())
}
