//! Dialogs are answered the moment they open.
//!
//! While one is open the renderer answers nothing, so none may stay open: the
//! answer is sent from the reading task, by the next one-shot answer or by the
//! policy of the browser. In a visible browser a person gets a little time
//! before the policy decides.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::page::Page;
use crate::chromium::browser::options::DialogPolicy;
use crate::chromium::capture::event::Event;
use crate::chromium::connection::envelope::RawEvent;
use crate::chromium::launch::info::Flavour;

/// Answers kept for dialogs to come.
const MAX_QUEUED: usize = 100;
/// Characters kept of a message.
const MAX_MESSAGE: usize = 4000;
/// Time that a person gets to answer.
const PERSON: Duration = Duration::from_secs(10);

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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DialogClosed {
    result: bool,
    #[serde(default)]
    user_input: String,
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
    let waits = queued.is_none() && page.shared.flavour == Flavour::Headed;
    let answer = queued.unwrap_or(match page.shared.dialogs {
        DialogPolicy::Accept => DialogAnswer::Accept(None),
        DialogPolicy::Dismiss => DialogAnswer::Dismiss,
    });
    let dialog = Dialog {
        message: opening.message.chars().take(MAX_MESSAGE).collect(),
        default_text: opening.default_prompt.filter(|_| opening.kind == "prompt"),
        kind: opening.kind,
        url: opening.url,
        answer,
    };
    if waits {
        *page.asked.lock() = Some(dialog.clone());
        let page = Arc::downgrade(page);
        tokio::spawn(async move {
            tokio::time::sleep(PERSON).await;
            // Another one that opened meanwhile has its own time.
            if let Some(page) = page.upgrade()
                && page.asked.lock().as_ref() == Some(&dialog)
            {
                answer_with(&page, &dialog);
            }
        });
        return Some(());
    }
    answer_with(page, &dialog);
    page.shared.sink.event(Event::Dialog(page.target_id().clone(), dialog));
    Some(())
}

/// Answers the dialog that is open.
fn answer_with(page: &Page, dialog: &Dialog) {
    let mut params = json!({ "accept": dialog.answer != DialogAnswer::Dismiss });
    if dialog.kind == "prompt"
        && let DialogAnswer::Accept(text) = &dialog.answer
    {
        params["promptText"] = json!(text.as_ref().or(dialog.default_text.as_ref()));
    }
    page.session().call_method::<IgnoredAny>("Page.handleJavaScriptDialog", &params).ignore();
}

/// `Page.javascriptDialogClosed`: only now it is known what a person answered.
pub(crate) fn closed(page: &Page, event: &RawEvent<'_>) -> Option<()> {
    page.state.lock().dialog = None;
    let mut dialog = page.asked.lock().take()?;
    let closed: DialogClosed = event.params()?;
    dialog.answer = match (closed.result, dialog.kind.as_str()) {
        (false, _) => DialogAnswer::Dismiss,
        (true, "prompt") => DialogAnswer::Accept(Some(closed.user_input)),
        (true, _) => DialogAnswer::Accept(None),
    };
    page.shared.sink.event(Event::Dialog(page.target_id().clone(), dialog));
    Some(())
}
