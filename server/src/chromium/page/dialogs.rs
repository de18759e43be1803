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

use super::page::Page;
use super::state::PageState;
use crate::chromium::browser::options::DialogPolicy;
use crate::chromium::capture::event::Event;
use crate::chromium::connection::call::Call;
use crate::chromium::connection::envelope::RawEvent;
use crate::chromium::launch::info::Flavour;

/// Answers kept for dialogs to come.
const MAX_QUEUED: usize = 100;
/// Characters kept of a message.
const MAX_MESSAGE: usize = 4000;
/// Time that a person gets to answer before the policy does.
const PERSON: Duration = Duration::from_secs(10);

/// How long after an action of a caller the page may be left because of it.
const AFTERMATH: Duration = Duration::from_secs(1);

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
    Beforehand,
    /// The policy of the browser.
    Policy,
    /// It was no question: an alert, or the page being left as a caller asked.
    Rule,
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
}

/// A dialog that was answered.
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
    /// Why.
    pub by: AnsweredBy,
}

/// A dialog that is open and waits for a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
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
    pub opened: Instant,
    /// When it is dismissed.
    pub until: Instant,
}

/// A dialog that is open, and what becomes of it when nobody answers.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    question: Question,
    /// Whether callers are to answer; else only a person may, for a moment.
    asks: bool,
    answer: DialogAnswer,
    by: AnsweredBy,
}

/// What callers are doing to a page: decides whether it may be left.
#[derive(Debug, Default)]
pub(crate) struct Driven {
    /// Commands that leave the document, and the number of commits before them.
    navigations: Vec<u64>,
    /// Actions that are under way.
    actions: u32,
    /// When the last one ended.
    acted: Option<Instant>,
}

/// While it lives, a command leaves the document that the tab shows: questions
/// of that document are dismissed, and it may be left.
pub struct Leaving {
    page: Arc<Page>,
    commits: u64,
}

/// While it lives, an action of a caller is under way: what it leads to may
/// leave the document.
pub struct Acting(Arc<Page>);

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

impl Dialog {
    /// The answer in words, without the text of a prompt.
    pub fn answered(&self) -> String {
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
    pub fn outcome(&self) -> String {
        let answer = self.answered();
        let why = match self.by {
            AnsweredBy::Caller | AnsweredBy::Rule => return answer,
            AnsweredBy::Beforehand => "the answer was given beforehand",
            AnsweredBy::Policy => "by the setting `dialogs`",
            AnsweredBy::Timeout => "nobody answered in time",
            AnsweredBy::Navigation => "its page was left",
            AnsweredBy::Closing => "its tab was closed",
            AnsweredBy::Person => "by a person",
            AnsweredBy::Document => "its document is gone",
            AnsweredBy::Skill => "the skill had no answer",
        };
        format!("{answer} ({why})")
    }
}

impl Page {
    /// Decides one question to come; several are used in order. False when so
    /// many are waiting that this one was not taken.
    pub fn answer_next_dialog(&self, answer: DialogAnswer) -> bool {
        let mut queue = self.dialogs.lock();
        let room = queue.len() < MAX_QUEUED;
        if room {
            queue.push_back(answer);
        }
        room
    }

    /// The question that is open and waits for a caller.
    pub fn question(&self) -> Option<Question> {
        let state = self.state.lock();
        state.dialog.as_ref().filter(|held| held.asks).map(|held| held.question.clone())
    }

    /// Waits until a question is open. Never ends for a tab that is closed.
    pub async fn asks(&self) -> Question {
        let asks = |state: &PageState| {
            state.dialog.as_ref().filter(|held| held.asks).map(|held| held.question.clone())
        };
        match self.wait_until(asks).await {
            Ok(question) => question,
            Err(_) => std::future::pending().await,
        }
    }

    /// Answers the question `id`. Nothing when it is not open any more.
    pub fn answer_question(
        &self,
        id: u64,
        answer: DialogAnswer,
        by: AnsweredBy,
    ) -> Option<Call<IgnoredAny>> {
        let held = {
            let mut state = self.state.lock();
            state.dialog.take_if(|held| held.question.id == id)?
        };
        let call = self.close_dialog(held.question.into_dialog(answer, by));
        self.notify();
        Some(call)
    }

    /// Notes that an action of a caller is under way.
    pub fn acting(self: &Arc<Self>) -> Acting {
        self.driven.lock().actions += 1;
        Acting(Arc::clone(self))
    }

    /// Notes that a command leaves the document, and dismisses its question.
    pub fn leaving(self: &Arc<Self>) -> Leaving {
        let commits = self.state.lock().commits;
        self.driven.lock().navigations.push(commits);
        let leaving = Leaving { page: Arc::clone(self), commits };
        if let Some(question) = self.question()
            && let Some(call) =
                self.answer_question(question.id, DialogAnswer::Dismiss, AnsweredBy::Navigation)
        {
            call.ignore();
        }
        leaving
    }

    /// The tab works for a handler: nobody sees its questions.
    pub(crate) fn ask_nobody(&self) {
        self.unattended.store(true, Ordering::Relaxed);
    }

    /// What is open goes with the page.
    pub(crate) fn lose_dialog(&self, by: AnsweredBy) {
        let held = self.state.lock().dialog.take();
        if let Some(held) = held {
            self.report_dialog(held.question.into_dialog(DialogAnswer::Dismiss, by));
        }
    }

    /// The answer to a dialog that opens now, unless it is held.
    fn decide(&self, kind: &str) -> Option<(DialogAnswer, AnsweredBy)> {
        let headed = self.shared.flavour == Flavour::Headed;
        if kind == "alert" {
            return (!headed).then_some((DialogAnswer::Accept(None), AnsweredBy::Rule));
        }
        let (leaves, leaves_this) = {
            let driven = self.driven.lock();
            let commits = self.state.lock().commits;
            let lately = driven.acted.is_some_and(|acted| acted.elapsed() < AFTERMATH);
            let acts = driven.actions > 0 || lately;
            (acts || !driven.navigations.is_empty(), driven.navigations.contains(&commits))
        };
        if kind != "beforeunload" && leaves_this {
            return Some((DialogAnswer::Dismiss, AnsweredBy::Navigation));
        }
        if let Some(answer) = self.dialogs.lock().pop_front() {
            return Some((answer, AnsweredBy::Beforehand));
        }
        if self.unattended.load(Ordering::Relaxed) {
            let answer = match kind {
                "beforeunload" => DialogAnswer::Accept(None),
                _ => DialogAnswer::Dismiss,
            };
            return Some((answer, AnsweredBy::Rule));
        }
        match self.shared.dialogs {
            _ if headed && !(kind == "beforeunload" && leaves) => None,
            DialogPolicy::Accept => Some((DialogAnswer::Accept(None), AnsweredBy::Policy)),
            DialogPolicy::Dismiss => Some((DialogAnswer::Dismiss, AnsweredBy::Policy)),
            DialogPolicy::Ask if kind == "beforeunload" && leaves => {
                Some((DialogAnswer::Accept(None), AnsweredBy::Rule))
            }
            DialogPolicy::Ask => None,
        }
    }

    /// How a dialog is held: for whom, for how long, and what becomes of it.
    fn patience(&self, kind: &str) -> (bool, Duration, DialogAnswer, AnsweredBy) {
        match self.shared.dialogs {
            _ if kind == "alert" => (false, PERSON, DialogAnswer::Accept(None), AnsweredBy::Rule),
            DialogPolicy::Accept => (false, PERSON, DialogAnswer::Accept(None), AnsweredBy::Policy),
            DialogPolicy::Dismiss => (false, PERSON, DialogAnswer::Dismiss, AnsweredBy::Policy),
            DialogPolicy::Ask => {
                let patience = self.shared.dialog_timeout;
                (true, patience, DialogAnswer::Dismiss, AnsweredBy::Timeout)
            }
        }
    }

    /// Closes the dialog that is open, and reports it.
    fn close_dialog(&self, dialog: Dialog) -> Call<IgnoredAny> {
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
        self.shared.sink.event(Event::Dialog(self.target_id().clone(), dialog));
    }
}

impl Question {
    fn into_dialog(self, answer: DialogAnswer, by: AnsweredBy) -> Dialog {
        let Self { kind, message, url, default_text, .. } = self;
        Dialog { kind, message, url, default_text, answer, by }
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let mut driven = self.page.driven.lock();
        if let Some(at) = driven.navigations.iter().position(|commits| *commits == self.commits) {
            driven.navigations.swap_remove(at);
        }
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        let mut driven = self.0.driven.lock();
        driven.actions -= 1;
        driven.acted = Some(Instant::now());
    }
}

/// `Page.javascriptDialogOpening`.
pub(crate) fn opening(page: &Arc<Page>, event: &RawEvent<'_>) -> Option<()> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let opening: DialogOpening = event.params()?;
    let decided = page.decide(&opening.kind);
    let (asks, patience, answer, by) = page.patience(&opening.kind);
    let opened = Instant::now();
    let question = Question {
        id: LAST.fetch_add(1, Ordering::Relaxed) + 1,
        message: opening.message.chars().take(MAX_MESSAGE).collect(),
        default_text: opening.default_prompt.filter(|_| opening.kind == "prompt"),
        kind: opening.kind,
        url: opening.url,
        opened,
        until: opened + patience,
    };
    if let Some((answer, by)) = decided {
        page.close_dialog(question.into_dialog(answer, by)).ignore();
        return Some(());
    }
    let id = question.id;
    page.state.lock().dialog = Some(Held { question, asks, answer, by });
    let waiting = Arc::downgrade(page);
    tokio::spawn(async move {
        tokio::time::sleep(patience).await;
        if let Some(page) = waiting.upgrade() {
            page.give_up(id);
        }
    });
    if asks {
        page.shared.sink.event(Event::Question(page.target_id().clone()));
    }
    Some(())
}

impl Page {
    /// Nobody answered the dialog `id`, if it is still open.
    fn give_up(&self, id: u64) {
        let held = self.state.lock().dialog.clone();
        if let Some(held) = held.filter(|held| held.question.id == id)
            && let Some(call) = self.answer_question(id, held.answer, held.by)
        {
            call.ignore();
        }
    }
}

/// `Page.javascriptDialogClosed`: what is still held was closed by a person, or
/// together with its document.
pub(crate) fn closed(page: &Page, event: &RawEvent<'_>) -> Option<()> {
    let Some(held) = page.state.lock().dialog.take() else { return Some(()) };
    let closed: DialogClosed = event.params()?;
    let answer = match (closed.result, held.question.kind.as_str()) {
        (false, _) => DialogAnswer::Dismiss,
        (true, "prompt") => DialogAnswer::Accept(Some(closed.user_input)),
        (true, _) => DialogAnswer::Accept(None),
    };
    let by = match page.shared.flavour {
        Flavour::Headed => AnsweredBy::Person,
        Flavour::Headless | Flavour::HeadlessShell => AnsweredBy::Document,
    };
    page.report_dialog(held.question.into_dialog(answer, by));
    Some(())
}
