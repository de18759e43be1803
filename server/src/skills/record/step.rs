//! One command of a recording, as it was when it ran.

use browse_proto::{Command, Reason, Scope};
use serde_json::{Map, Value};

use crate::engine::Place;

/// A command that ran, with what a script needs to repeat it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The command.
    pub command: &'static Command,
    /// Its request. Refs are replaced by selectors, secrets by nothing.
    pub fields: Map<String, Value>,
    /// What stands in the place of the field `text`, when that was a secret.
    pub secret: Option<Secret>,
    /// Its tab.
    pub tab: u64,
    /// Where the tab was when it began.
    pub before: Spot,
    /// Where the tab was when it ended.
    pub after: Spot,
    /// The reason why it failed, if it did.
    pub failed: Option<&'static str>,
    /// The tab that it opened.
    pub opened: Option<u64>,
    /// Where its element leads, when asking for that changes nothing.
    pub leads: Option<String>,
    /// What its element is: tag, role and type of an input.
    pub element: Option<[String; 3]>,
    /// The frame that its selectors look in; none for the main frame.
    pub frame: Option<Place>,
    /// Why a script cannot repeat it.
    pub unfit: Option<String>,
    /// What it answered, of a command that reads.
    pub answer: Option<Value>,
    /// The question of the page that it led to.
    pub asked: Option<u64>,
    /// The answers that the questions of the page were given meanwhile, as calls of
    /// `dialog-accept` and `dialog-dismiss`. A script gives them beforehand.
    pub dialogs: Vec<Self>,
}

/// A text that was typed and must not be kept: the recording knows it by this
/// number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Place among the secrets of the recording.
    pub number: usize,
    /// What it is: `password`, `code`, `card` or `secret`.
    pub kind: &'static str,
}

/// Where a tab is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Its address.
    pub url: String,
    /// Its document.
    pub document: String,
}

/// What a command is to a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Opens an address, whatever was there before.
    Open,
    /// Goes back in history.
    Back,
    /// Goes forward in history.
    Forward,
    /// Loads the page again.
    Reload,
    /// Changes fields of the page, and nothing beyond it.
    Edit,
    /// Does something to the page that may reach beyond it.
    Act,
    /// Waits, moves the view or the pointer.
    Steady,
    /// Answers data.
    Read,
    /// Is for looking only: a script does without.
    Look,
    /// Is not for skills.
    Denied,
}

/// Commands that read data which a skill can answer with.
const READS: &[&str] = &[
    "text",
    "html",
    "links",
    "forms",
    "accessibility",
    "media",
    "data",
    "markdown",
    "ux-audit",
    "attrs",
    "get",
    "is",
    "css",
    "url",
];

/// The role of `command`.
pub fn role(command: &Command) -> Role {
    match command.name {
        "goto" | "newtab" => Role::Open,
        "back" => Role::Back,
        "forward" => Role::Forward,
        "reload" => Role::Reload,
        "fill" | "type" | "select" | "check" | "uncheck" => Role::Edit,
        "wait" | "expect" | "scroll" | "hover" | "viewport" | "stop-loading" => Role::Steady,
        name if READS.contains(&name) => Role::Read,
        // How tabs and frames are chosen is told by each step itself.
        "tabs" | "tab" | "closetab" | "frame" => Role::Look,
        _ if command.service != "BrowserService" => Role::Look,
        _ if command.scope == Scope::Read || command.scope == Scope::Meta => Role::Look,
        _ if command.scope == Scope::Write => Role::Act,
        _ => Role::Denied,
    }
}

impl Step {
    /// A call of `command` with nothing known of it yet.
    pub fn new(command: &'static Command, fields: Map<String, Value>) -> Self {
        Self {
            command,
            fields,
            secret: None,
            tab: 0,
            before: Spot::default(),
            after: Spot::default(),
            failed: None,
            opened: None,
            leads: None,
            element: None,
            frame: None,
            unfit: None,
            answer: None,
            asked: None,
            dialogs: Vec::new(),
        }
    }

    /// Takes the answer to a question that it led to: what followed the answer
    /// followed this step.
    pub fn take_answer(&mut self, answer: Self) {
        self.after = answer.after.clone();
        self.opened = answer.opened.or(self.opened);
        self.asked = answer.asked;
        if self.failed == Some(Reason::DialogOpen.name()) {
            self.failed = None;
        }
        self.dialogs.push(answer);
    }

    /// What it is to the recording.
    pub fn role(&self) -> Role {
        role(self.command)
    }

    /// Whether it saves a file, which is a part of the result.
    pub fn saves(&self) -> bool {
        self.command.save.is_some() && self.answer.is_some()
    }

    /// Its target, in words.
    pub fn target(&self) -> &str {
        self.fields.get("target").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether the tab shows another document after it.
    pub fn moved(&self) -> bool {
        self.before.document != self.after.document
    }
}

/// The fields of requests that name elements.
pub const TARGETS: &[&str] = &["target", "onto", "to", "at", "hidden", "scope", "source"];
