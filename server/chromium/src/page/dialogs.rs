//! What happens to the dialogs of a page.
//!
//! While one is open the renderer answers nothing. An alert is closed at once.
//! A `confirm` or `prompt` is a question to the caller: it is held, for a
//! limited time, until [`Page::answer_question`]. An answer given beforehand,
//! or a policy of the browser, answers it from the reading task instead. In a
//! visible browser a person may answer as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::event::Event;
use super::page::Page;
use super::state::PageState;
use crate::connection::call::CdpCall;
use crate::connection::envelope::RawEvent;
use crate::launch::info::Flavour;

/// Answers kept for dialogs to come.
const MAX_QUEUED_ANSWERS: usize = 100;
/// Characters kept of a message.
const MAX_MESSAGE_CHARS: usize = 4000;
/// Time that a person gets to answer before the policy does.
const PERSON_TIMEOUT: Duration = Duration::from_secs(10);

/// How long after an action of a caller the page may be left because of it.
const ACTION_EFFECT_WINDOW: Duration = Duration::from_secs(1);

/// What happens to a question of a page that no answer was given for beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DialogPolicy {
    /// It is held for the caller.
    #[default]
    Ask,
    /// OK, with the default text of a prompt.
    Accept,
    /// Cancel.
    Dismiss,
}

/// How a dialog is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialogAnswer {
    /// OK; for a prompt with this text, or with its default.
    Accept(Option<String>),
    /// Cancel.
    Dismiss,
}

/// Why a dialog got its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    /// A caller answered it while it was open.
    Caller,
    /// A caller gave the answer before it opened.
    Queue,
    /// The policy of the browser.
    Policy,
    /// It was not a question: an alert, or the page being left as a caller asked.
    Automatic,
    /// Nobody answered in time.
    Timeout,
    /// A command left its page.
    Navigation,
    /// Its tab, session or browser was closed.
    Closing,
    /// A person, in a visible browser.
    Person,
    /// Its document went away.
    Document,
    /// A skill runs that has no answer for it.
    Skill,
    /// A client of the protocol that is attached to its tab.
    Client,
}

/// A dialog that was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// What it reported, cut at 4,000 characters.
    pub message: String,
    /// URL of the document that opened it.
    pub url: String,
    /// Default text of a prompt.
    pub default_text: Option<String>,
    /// What was answered.
    pub answer: DialogAnswer,
    /// Why.
    pub answered_by: AnsweredBy,
}

/// A dialog that is open and waits for a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPageDialog {
    /// Unique within the process.
    pub id: u64,
    /// `confirm`, `prompt` or `beforeunload`.
    pub kind: String,
    /// What it says, cut at 4,000 characters.
    pub message: String,
    /// URL of the document that opened it.
    pub url: String,
    /// Default text of a prompt.
    pub default_text: Option<String>,
    /// When it opened.
    pub opened_at: Instant,
    /// When it is dismissed.
    pub deadline: Instant,
}

/// A dialog that is open, and what becomes of it when nobody answers.
#[derive(Debug, Clone)]
pub(crate) struct PendingDialog {
    dialog: OpenPageDialog,
    /// Whether callers are to answer; else only a person may, for a moment.
    awaits_caller: bool,
    default_answer: DialogAnswer,
    default_answered_by: AnsweredBy,
}

/// What callers are doing to a page: decides whether it may be left.
#[derive(Debug, Default)]
pub(crate) struct CallerActivity {
    /// Commands that leave the document, and the number of commits before them.
    leaving_commits: Vec<u64>,
    /// Actions that are under way.
    running_actions: u32,
    /// When the last one ended.
    last_action_end: Option<Instant>,
}

/// While it lives, a command leaves the document that the tab shows: questions
/// of that document are dismissed, and it may be left.
pub struct LeavingGuard {
    page: Arc<Page>,
    commits: u64,
}

/// While it lives, an action of a caller is under way: what it leads to may
/// leave the document.
pub struct ActingGuard(Arc<Page>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DialogOpening {
    #[serde(default, deserialize_with = "crate::url_credentials::deserialize_url")]
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

impl Dialog {
    /// The answer in words, without the text of a prompt.
    pub fn answer_text(&self) -> String {
        match (&self.answer, self.kind.as_str()) {
            (DialogAnswer::Accept(_), "alert") => "closed".to_owned(),
            (DialogAnswer::Dismiss, _) => "dismissed".to_owned(),
            (DialogAnswer::Accept(None), _) => "accepted".to_owned(),
            (DialogAnswer::Accept(Some(text)), _) => {
                format!("accepted with {} characters", text.chars().count())
            }
        }
    }

    /// The same with the reason for it.
    pub fn outcome_text(&self) -> String {
        let answer = self.answer_text();
        let why = match self.answered_by {
            AnsweredBy::Caller | AnsweredBy::Automatic => return answer,
            AnsweredBy::Queue => "the answer was given beforehand",
            AnsweredBy::Policy => "by the setting `dialogs`",
            AnsweredBy::Timeout => "nobody answered in time",
            AnsweredBy::Navigation => "its page was left",
            AnsweredBy::Closing => "its tab was closed",
            AnsweredBy::Person => "by a person",
            AnsweredBy::Document => "its document is gone",
            AnsweredBy::Skill => "the skill had no answer",
            AnsweredBy::Client => "by a client of `cdp-url`",
        };
        format!("{answer} ({why})")
    }
}

impl Page {
    /// Decides one question to come; several are used in order. False when so
    /// many are waiting that this one was not taken.
    pub fn answer_next_dialog(&self, answer: DialogAnswer) -> bool {
        let mut queue = self.queued_answers.lock();
        let room = queue.len() < MAX_QUEUED_ANSWERS;
        if room {
            queue.push_back(answer);
        }
        room
    }

    /// The question that is open and waits for a caller.
    pub fn open_dialog(&self) -> Option<OpenPageDialog> {
        let state = self.state.lock();
        state
            .pending_dialog
            .as_ref()
            .filter(|held| held.awaits_caller)
            .map(|held| held.dialog.clone())
    }

    /// Waits until a question is open. Never ends for a tab that is closed.
    pub async fn wait_open_dialog(&self) -> OpenPageDialog {
        let asks = |state: &PageState| {
            state
                .pending_dialog
                .as_ref()
                .filter(|held| held.awaits_caller)
                .map(|held| held.dialog.clone())
        };
        match self.wait_until(asks).await {
            Ok(question) => question,
            Err(_) => std::future::pending().await,
        }
    }

    /// Answers the question `id`. Nothing when it is not open any more.
    pub fn answer_open_dialog(
        &self,
        id: u64,
        answer: DialogAnswer,
        by: AnsweredBy,
    ) -> Option<CdpCall<IgnoredAny>> {
        let held = {
            let mut state = self.state.lock();
            state.pending_dialog.take_if(|held| held.dialog.id == id)?
        };
        let call = self.close_dialog(held.dialog.into_dialog(answer, by));
        self.notify();
        Some(call)
    }

    /// Notes that an action of a caller is under way.
    pub fn begin_action(self: &Arc<Self>) -> ActingGuard {
        self.caller_activity.lock().running_actions += 1;
        ActingGuard(Arc::clone(self))
    }

    /// Notes that a command leaves the document, and dismisses its question.
    pub fn begin_leaving(self: &Arc<Self>) -> LeavingGuard {
        let commits = self.state.lock().commits;
        self.caller_activity.lock().leaving_commits.push(commits);
        let leaving = LeavingGuard { page: Arc::clone(self), commits };
        if let Some(question) = self.open_dialog()
            && let Some(call) =
                self.answer_open_dialog(question.id, DialogAnswer::Dismiss, AnsweredBy::Navigation)
        {
            call.ignore();
        }
        leaving
    }

    /// The tab works for a handler: nobody sees its questions.
    pub(crate) fn mark_unattended(&self) {
        self.unattended.store(true, Ordering::Relaxed);
    }

    /// What is open goes with the page.
    pub(crate) fn report_lost_dialog(&self, by: AnsweredBy) {
        let held = self.state.lock().pending_dialog.take();
        if let Some(held) = held {
            self.report_dialog(held.dialog.into_dialog(DialogAnswer::Dismiss, by));
        }
    }

    /// The answer to a dialog that opens now, unless it is held.
    fn immediate_answer(&self, kind: &str) -> Option<(DialogAnswer, AnsweredBy)> {
        let headed = self.shared.flavour == Flavour::Headed;
        if self.shared.clients.hears_dialogs(self.target_id()) || self.is_private() {
            return None;
        }
        if kind == "alert" {
            return (!headed).then_some((DialogAnswer::Accept(None), AnsweredBy::Automatic));
        }
        let (leaves, leaves_this) = {
            let driven = self.caller_activity.lock();
            let commits = self.state.lock().commits;
            let lately =
                driven.last_action_end.is_some_and(|acted| acted.elapsed() < ACTION_EFFECT_WINDOW);
            let acts = driven.running_actions > 0 || lately;
            (acts || !driven.leaving_commits.is_empty(), driven.leaving_commits.contains(&commits))
        };
        if kind != "beforeunload" && leaves_this {
            return Some((DialogAnswer::Dismiss, AnsweredBy::Navigation));
        }
        if let Some(answer) = self.queued_answers.lock().pop_front() {
            return Some((answer, AnsweredBy::Queue));
        }
        if self.unattended.load(Ordering::Relaxed) {
            let answer = match kind {
                "beforeunload" => DialogAnswer::Accept(None),
                _ => DialogAnswer::Dismiss,
            };
            return Some((answer, AnsweredBy::Automatic));
        }
        match self.shared.dialog_policy {
            _ if headed && !(kind == "beforeunload" && leaves) => None,
            DialogPolicy::Accept => Some((DialogAnswer::Accept(None), AnsweredBy::Policy)),
            DialogPolicy::Dismiss => Some((DialogAnswer::Dismiss, AnsweredBy::Policy)),
            DialogPolicy::Ask if kind == "beforeunload" && leaves => {
                Some((DialogAnswer::Accept(None), AnsweredBy::Automatic))
            }
            DialogPolicy::Ask => None,
        }
    }

    /// How a dialog is held: for whom, for how long, and what becomes of it.
    fn hold_policy(&self, kind: &str) -> (bool, Duration, DialogAnswer, AnsweredBy) {
        match self.shared.dialog_policy {
            _ if self.shared.clients.hears_dialogs(self.target_id()) => {
                let answer = match kind {
                    "alert" => DialogAnswer::Accept(None),
                    _ => DialogAnswer::Dismiss,
                };
                (kind != "alert", self.shared.dialog_timeout, answer, AnsweredBy::Timeout)
            }
            _ if self.is_private() => {
                (true, self.shared.dialog_timeout, DialogAnswer::Dismiss, AnsweredBy::Timeout)
            }
            _ if kind == "alert" => {
                (false, PERSON_TIMEOUT, DialogAnswer::Accept(None), AnsweredBy::Automatic)
            }
            DialogPolicy::Accept => {
                (false, PERSON_TIMEOUT, DialogAnswer::Accept(None), AnsweredBy::Policy)
            }
            DialogPolicy::Dismiss => {
                (false, PERSON_TIMEOUT, DialogAnswer::Dismiss, AnsweredBy::Policy)
            }
            DialogPolicy::Ask => {
                let max_wait = self.shared.dialog_timeout;
                (true, max_wait, DialogAnswer::Dismiss, AnsweredBy::Timeout)
            }
        }
    }

    /// Closes the dialog that is open, and reports it.
    fn close_dialog(&self, dialog: Dialog) -> CdpCall<IgnoredAny> {
        let mut params = json!({ "accept": dialog.answer != DialogAnswer::Dismiss });
        if dialog.kind == "prompt"
            && let DialogAnswer::Accept(text) = &dialog.answer
        {
            params["promptText"] = json!(text.as_ref().or(dialog.default_text.as_ref()));
        }
        let call = self.session().call_method("Page.handleJavaScriptDialog", &params);
        self.report_dialog(dialog);
        call
    }

    fn report_dialog(&self, dialog: Dialog) {
        self.shared.sink.event(Event::DialogAnswered(self.target_id().clone(), dialog));
    }
}

impl OpenPageDialog {
    fn into_dialog(self, answer: DialogAnswer, by: AnsweredBy) -> Dialog {
        let Self { kind, message, url, default_text, .. } = self;
        Dialog { kind, message, url, default_text, answer, answered_by: by }
    }
}

impl Drop for LeavingGuard {
    fn drop(&mut self) {
        let mut driven = self.page.caller_activity.lock();
        if let Some(at) = driven.leaving_commits.iter().position(|commits| *commits == self.commits)
        {
            driven.leaving_commits.swap_remove(at);
        }
    }
}

impl Drop for ActingGuard {
    fn drop(&mut self) {
        let mut driven = self.0.caller_activity.lock();
        driven.running_actions -= 1;
        driven.last_action_end = Some(Instant::now());
    }
}

/// `Page.javascriptDialogOpening`.
pub(crate) fn on_dialog_opening(page: &Arc<Page>, event: &RawEvent<'_>) -> Option<()> {
    static LAST_DIALOG_ID: AtomicU64 = AtomicU64::new(0);
    let opening: DialogOpening = event.params()?;
    let decided = page.immediate_answer(&opening.kind);
    let (asks, max_wait, answer, by) = page.hold_policy(&opening.kind);
    let opened = Instant::now();
    let question = OpenPageDialog {
        id: LAST_DIALOG_ID.fetch_add(1, Ordering::Relaxed) + 1,
        message: opening.message.chars().take(MAX_MESSAGE_CHARS).collect(),
        default_text: opening.default_prompt.filter(|_| opening.kind == "prompt"),
        kind: opening.kind,
        url: opening.url,
        opened_at: opened,
        deadline: opened + max_wait,
    };
    if let Some((answer, by)) = decided {
        page.close_dialog(question.into_dialog(answer, by)).ignore();
        return Some(());
    }
    let id = question.id;
    page.state.lock().pending_dialog = Some(PendingDialog {
        dialog: question,
        awaits_caller: asks,
        default_answer: answer,
        default_answered_by: by,
    });
    let waiting = Arc::downgrade(page);
    tokio::spawn(async move {
        tokio::time::sleep(max_wait).await;
        if let Some(page) = waiting.upgrade() {
            page.dialog_timed_out(id);
        }
    });
    if asks {
        page.shared.sink.event(Event::DialogOpened(page.target_id().clone()));
    }
    Some(())
}

impl Page {
    /// Nobody answered the dialog `id`, if it is still open.
    fn dialog_timed_out(&self, id: u64) {
        let held = self.state.lock().pending_dialog.clone();
        if let Some(held) = held.filter(|held| held.dialog.id == id)
            && let Some(call) =
                self.answer_open_dialog(id, held.default_answer, held.default_answered_by)
        {
            call.ignore();
        }
    }
}

/// `Page.javascriptDialogClosed`: what is still held was closed by a person, or
/// together with its document.
pub(crate) fn on_dialog_closed(page: &Page, event: &RawEvent<'_>) -> Option<()> {
    let Some(held) = page.state.lock().pending_dialog.take() else { return Some(()) };
    let closed: DialogClosed = event.params()?;
    let answer = match (closed.result, held.dialog.kind.as_str()) {
        (false, _) => DialogAnswer::Dismiss,
        (true, "prompt") => DialogAnswer::Accept(Some(closed.user_input)),
        (true, _) => DialogAnswer::Accept(None),
    };
    let by = match page.shared.flavour {
        _ if page.shared.clients.hears_dialogs(page.target_id()) => AnsweredBy::Client,
        Flavour::Headed => AnsweredBy::Person,
        Flavour::Headless | Flavour::HeadlessShell => AnsweredBy::Document,
    };
    page.report_dialog(held.dialog.into_dialog(answer, by));
    Some(())
}
