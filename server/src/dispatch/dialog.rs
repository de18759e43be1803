//! Questions of pages (`confirm`, `prompt`) that keep calls from their answer.
//!
//! While one is open its renderer process stands still. A call that needs a page
//! in that process ends with the question instead of its deadline.

use std::sync::Arc;
use std::time::{Duration, Instant};

use browse_proto::{Command, Reason, Requires};
use tokio::time::sleep;
use url::Url;

use super::CallContext;
use browse_base::{Error, quote_up_to};
use browse_chromium::{AnsweredBy, OpenPageDialog};
use browse_engine::{Fact, OpenDialog};
use browse_policy::{ClientKind, SessionRule, TabPolicy};
use browse_sessions::{SessionName, Tab};

/// Time that a tab gets to show that it is not in the process that stands still.
const BLOCKED_PROBE_TIMEOUT: Duration = Duration::from_millis(250);

/// How often it is asked again: its next document may come into that process.
const RECHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Characters of a question that are shown, and of the default text of a prompt.
const MAX_MESSAGE_CHARS: usize = 150;
const MAX_DEFAULT_TEXT_CHARS: usize = 40;

/// The dialog that asks whether to leave a page; the browser has its own words.
const BEFOREUNLOAD: &str = "beforeunload";

/// Commands that need an answer of the page although they do not wait until it
/// can give one.
const PAGE_DEPENDENT_COMMANDS: &[&str] =
    &["wait", "expect", "download", "cdp", "network show --body"];

/// A question, and the tab that asks it.
pub struct BlockingDialog {
    /// The tab.
    pub tab: Arc<Tab>,
    /// The question.
    pub dialog: OpenPageDialog,
}

impl BlockingDialog {
    /// Whether it still waits for its answer.
    pub fn is_open(&self) -> bool {
        self.tab.page().open_dialog().is_some_and(|now| now.id == self.dialog.id)
    }
}

/// Whether `command` cannot go on while the page stands still.
pub fn needs_page(command: &Command) -> bool {
    matches!(command.requires, Requires::Page | Requires::Navigation)
        || PAGE_DEPENDENT_COMMANDS.contains(&command.name)
}

/// The question that keeps the tab of the call from answering, if there is one.
pub async fn blocking_dialog(cx: &CallContext, tab: &Arc<Tab>) -> Option<BlockingDialog> {
    let open = nearby_dialog(cx, tab)?;
    let own = open.tab.id() == tab.id();
    (own || tab.page().is_blocked(BLOCKED_PROBE_TIMEOUT).await).then_some(open)
}

/// A question that may keep `tab` from answering.
fn nearby_dialog(cx: &CallContext, tab: &Tab) -> Option<BlockingDialog> {
    let session = cx.daemon().sessions().get(tab.session())?;
    let (tab, question) = session.find_blocking_question(tab)?;
    Some(BlockingDialog { tab, dialog: question })
}

/// Waits until a question keeps the tab of the call from answering.
pub async fn wait_until_blocked(cx: &CallContext) -> BlockingDialog {
    let mut asked = cx.daemon().sessions().watch_questions();
    loop {
        asked.borrow_and_update();
        let open = match cx.tab_if_any() {
            Some(tab) => blocking_dialog(cx, tab).await,
            None => None,
        };
        if let Some(open) = open {
            return open;
        }
        let is_near = cx.tab_if_any().is_some_and(|tab| nearby_dialog(cx, tab).is_some());
        // The sender lives as long as the daemon.
        tokio::select! {
            _ = asked.changed() => {}
            () = sleep(RECHECK_INTERVAL), if is_near => {}
        }
    }
}

/// The error of a call that `open` keeps from its answer. A skill answers
/// beforehand: what it has no answer for is dismissed.
pub fn blocked_error(cx: &CallContext, open: &BlockingDialog) -> Error {
    let BlockingDialog { tab, dialog: question } = open;
    let begun = cx.permit().grant().created_at();
    if cx.capability().kind == ClientKind::Skill && question.opened_at >= begun {
        if let Some(call) = tab.page().answer_open_dialog(
            question.id,
            browse_chromium::DialogAnswer::Dismiss,
            AnsweredBy::Skill,
        ) {
            call.ignore();
        }
        let message =
            format!("the page asked what the skill has no answer for: {}", dialog_kind(question));
        return with_dialog_quotes(Error::new(Reason::DialogUnanswered, message), tab, question);
    }
    let DialogCommands { accept, dismiss, seconds } = dialog_commands(cx, open);
    let message = match cx.tab_if_any().filter(|own| own.id() != tab.id()) {
        None => format!("the page asks: {}", dialog_kind(question)),
        Some(own) => format!(
            "the page of tab {} asks, and tab {} is in the same process: {}",
            tab.id(),
            own.id(),
            dialog_kind(question)
        ),
    };
    with_dialog_quotes(Error::new(Reason::DialogOpen, message), tab, question)
        .with("accept", accept)
        .with("dismiss", dismiss)
        .with("tab", tab.id())
        .with("seconds", seconds)
}

/// The question for a receipt.
pub fn receipt_dialog(cx: &CallContext, open: &BlockingDialog) -> OpenDialog {
    let BlockingDialog { tab, dialog: question } = open;
    let DialogCommands { accept, dismiss, seconds } = dialog_commands(cx, open);
    let note = format!(", answer within {seconds} s: `{accept}` or `{dismiss}`");
    let mut facts = Vec::new();
    if let Some(text) = default_text(question) {
        facts.push(Fact::new("default").text(quote_up_to(text, MAX_DEFAULT_TEXT_CHARS)));
    }
    let fact = Fact::new(format!("the page asks: {}", question.kind)).note(note);
    let text = quote_up_to(&question.message, MAX_MESSAGE_CHARS);
    facts.insert(0, if question.kind == BEFOREUNLOAD { fact } else { fact.about("", text) });
    if let Some(host) = other_host(tab, question) {
        facts.push(Fact::new("it is of").text(host));
    }
    OpenDialog { summary: describe_dialog(tab, question), facts }
}

/// The commands that answer a question, and for how long they do.
struct DialogCommands {
    accept: String,
    dismiss: String,
    seconds: u64,
}

fn dialog_commands(cx: &CallContext, open: &BlockingDialog) -> DialogCommands {
    let BlockingDialog { tab, dialog: question } = open;
    let session = cx.daemon().sessions().get(tab.session());
    let is_active = session.and_then(|session| session.active()).map(|tab| tab.id());
    let is_usual = is_active == Some(tab.id()) && cx.capability().tabs == TabPolicy::Session;
    let mut flags = String::new();
    if !is_usual {
        flags.push_str(&format!(" --tab {}", tab.id()));
    }
    let may_choose = matches!(cx.capability().session, SessionRule::Any);
    if may_choose && tab.session() != SessionName::default_session().as_str() {
        flags.push_str(&format!(" --session {}", tab.session()));
    }
    let text = if question.kind == "prompt" { " <text>" } else { "" };
    let left = question.deadline.saturating_duration_since(Instant::now());
    DialogCommands {
        accept: format!("browse dialog-accept{text}{flags}"),
        dismiss: format!("browse dialog-dismiss{flags}"),
        seconds: left.as_secs_f64().ceil() as u64,
    }
}

/// What a question is and says, as page content: `confirm "Delete it?"`.
fn describe_dialog(tab: &Tab, question: &OpenPageDialog) -> String {
    let quoted = |text: &str, length| quote_up_to(text, length).replace('"', "'");
    let kind = &question.kind;
    let mut words = match kind.as_str() {
        BEFOREUNLOAD => format!("{kind} (whether to leave the page)"),
        _ => format!("{kind} \"{}\"", quoted(&question.message, MAX_MESSAGE_CHARS)),
    };
    if let Some(text) = default_text(question) {
        words.push_str(&format!(" (default \"{}\")", quoted(text, MAX_DEFAULT_TEXT_CHARS)));
    }
    match other_host(tab, question) {
        Some(host) => format!("{words} of {host}"),
        None => words,
    }
}

/// What kind of question it is: `confirm`.
fn dialog_kind(question: &OpenPageDialog) -> &str {
    match question.kind.as_str() {
        BEFOREUNLOAD => "beforeunload (whether to leave the page)",
        kind => kind,
    }
}

/// Adds the words of a question to an error.
fn with_dialog_quotes(error: Error, tab: &Tab, question: &OpenPageDialog) -> Error {
    let error = match question.kind.as_str() {
        BEFOREUNLOAD => error,
        _ => error.with_quote("question", &question.message),
    };
    let error = match default_text(question) {
        Some(text) => error.with_quote("default", text),
        None => error,
    };
    match other_host(tab, question) {
        Some(host) => error.with_quote("of", host),
        None => error,
    }
}

fn default_text(question: &OpenPageDialog) -> Option<&String> {
    question.default_text.as_ref().filter(|text| !text.is_empty())
}

/// The host of the frame that asks, when it is not that of the tab.
fn other_host(tab: &Tab, question: &OpenPageDialog) -> Option<String> {
    let host = |url: &str| Url::parse(url).ok()?.host_str().map(str::to_owned);
    let asking = host(&question.url)?;
    let is_other = host(&tab.page().url()).is_none_or(|own| own != asking);
    is_other.then(|| quote_up_to(&asking, MAX_DEFAULT_TEXT_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_need_the_page_are_known_by_name() {
        for name in PAGE_DEPENDENT_COMMANDS {
            assert!(Command::by_name(name).is_some(), "{name}");
        }
        let works = ["url", "tabs", "status", "dialog", "console", "network", "cookies"];
        for name in works.iter().chain(&["closetab", "stop", "dialog-accept", "dialog-dismiss"]) {
            assert!(!needs_page(Command::by_name(name).expect("a command")), "{name}");
        }
    }
}
