//! One command of a recording, as it was when it ran.

use browse_proto::{Command, Reason, StepRole};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use crate::skills::program::SecretRef;
use browse_engine::FrameLocator;
use browse_net::host_and_port;
use browse_sessions::StateChangingRequest;

/// A command that ran, with what a script needs to repeat it.
#[derive(Clone, Debug)]
pub struct RecordedStep {
    /// The command.
    pub command: &'static Command,
    /// Its request. Refs are replaced by selectors, secrets by nothing.
    pub fields: Map<String, Value>,
    /// What stands in the place of the field `text`, when that was a secret.
    pub secret: Option<SecretRef>,
    /// Its tab.
    pub tab: u64,
    /// Where the tab was when it began.
    pub before: PageLocation,
    /// Where the tab was when it ended.
    pub after: PageLocation,
    /// The reason why it failed, if it did.
    pub failure_reason: Option<&'static str>,
    /// The tab that it opened.
    pub opened_tab: Option<u64>,
    /// Where its element leads, when asking for that changes nothing.
    pub link_url: Option<String>,
    /// What its element is: tag, role and type of an input.
    pub element: Option<[String; 3]>,
    /// What its element is called on the page, when that is a control.
    pub label: Option<String>,
    /// The frame that its selectors look in; none for the main frame.
    pub frame: Option<FrameLocator>,
    /// Why a script cannot repeat it.
    pub unrepeatable_reason: Option<String>,
    /// What it answered, of a command that reads.
    pub answer: Option<Value>,
    /// The question of the page that it led to.
    pub opened_dialog: Option<u64>,
    /// The answers that the questions of the page were given meanwhile, as calls of
    /// `dialog-accept` and `dialog-dismiss`. A script gives them beforehand.
    pub dialog_answers: Vec<Self>,
    /// The text field that it acted on.
    pub field: Option<TextField>,
    /// What its page sent until the next step began.
    pub page_sends: Vec<StateChangingRequest>,
    /// Whether it was made in a tab that the script does without.
    pub in_other_tab: bool,
}

/// The field of a step. The texts are none for a secret, for one that is too long,
/// and where no text goes in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextField {
    /// The same for the same element, however it was named.
    pub identity: u64,
    /// A selector for its place, by which it is known in another document of the
    /// same page.
    pub path: String,
    /// Whether it takes text.
    pub takes_text: bool,
    /// A target that finds it.
    pub target: Option<String>,
    /// Its text when the step began.
    pub before: Option<String>,
    /// Its text when the step had ended.
    pub after: Option<String>,
    /// Whether it held just what the step typed.
    pub is_as_typed: bool,
}

/// Where a tab is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLocation {
    /// Its address.
    pub url: String,
    /// Its document.
    pub document: String,
}

impl RecordedStep {
    /// A call of `command` with nothing known of it yet.
    pub fn new(command: &'static Command, fields: Map<String, Value>) -> Self {
        Self {
            command,
            fields,
            secret: None,
            tab: 0,
            before: PageLocation::default(),
            after: PageLocation::default(),
            failure_reason: None,
            opened_tab: None,
            link_url: None,
            element: None,
            label: None,
            frame: None,
            unrepeatable_reason: None,
            answer: None,
            opened_dialog: None,
            dialog_answers: Vec::new(),
            field: None,
            page_sends: Vec::new(),
            in_other_tab: false,
        }
    }

    /// Takes the answer to a question that it led to: what followed the answer
    /// followed this step.
    pub fn merge_dialog_answer(&mut self, mut answer: Self) {
        self.after = answer.after.clone();
        self.opened_tab = answer.opened_tab.or(self.opened_tab);
        self.page_sends.append(&mut answer.page_sends);
        self.opened_dialog = answer.opened_dialog;
        if self.failure_reason == Some(Reason::DialogOpen.name()) {
            self.failure_reason = None;
        }
        self.dialog_answers.push(answer);
    }

    /// Makes a click one that saves the file which it made the page send.
    pub fn convert_to_download(&mut self, answer: Value) {
        if self.command.name == "click"
            && let Some(command) = Command::by_name("click --download")
        {
            (self.command, self.answer) = (command, Some(answer));
        }
    }

    /// Whether it answers a question of the page.
    pub fn is_dialog_answer(&self) -> bool {
        matches!(self.command.name, "dialog-accept" | "dialog-dismiss")
    }

    /// What it is to the recording.
    pub fn role(&self) -> StepRole {
        self.command.step_role
    }

    /// Whether it saves a file, which is a part of the result.
    pub fn saves_file(&self) -> bool {
        self.command.save.is_some() && self.answer.is_some()
    }

    /// Whether its answer can be a part of the result.
    pub fn has_result(&self) -> bool {
        self.role() == StepRole::Read || self.saves_file()
    }

    /// Its target, in words.
    pub fn target(&self) -> &str {
        self.fields.get("target").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether it may have changed something beyond the fields of its page.
    pub fn has_effect(&self) -> bool {
        match self.role() {
            StepRole::Act => !self.edits_text() && !self.only_focuses(),
            StepRole::Edit => self.unsafe_request_hosts().next().is_some(),
            _ => false,
        }
    }

    /// The requests of unsafe methods that it was followed by.
    pub fn unsafe_request_hosts(&self) -> impl Iterator<Item = &str> {
        self.page_sends.iter().filter_map(|sent| match sent {
            StateChangingRequest::Request { host, .. } => Some(host.as_str()),
            StateChangingRequest::Form { .. } => None,
        })
    }

    /// Whether it followed a link, or sent a form that only asks for a page, and
    /// changed nothing on its own host.
    pub fn is_link(&self) -> bool {
        let own = Url::parse(&self.before.url).map(|url| host_and_port(&url)).unwrap_or_default();
        self.link_url.is_some() && !self.unsafe_request_hosts().any(|host| host == own)
    }

    /// Whether another step acted on the same field, however that was named.
    pub fn acts_on_same_field(&self, other: &Self) -> bool {
        let (Some(own), Some(of)) = (&self.field, &other.field) else { return false };
        own.identity == of.identity
            || (!own.path.is_empty() && own.path == of.path && self.frame == other.frame)
    }

    /// Whether it changed the text of a field, and did nothing else.
    pub fn edits_text(&self) -> bool {
        let edits = match self.command.name {
            "fill" | "type" => true,
            "press" => is_editing_key(self.fields.get("key").and_then(Value::as_str)),
            _ => false,
        };
        edits && self.field.is_some() && !self.changed_document() && self.opened_tab.is_none()
    }

    /// Whether it was a click on a text field, which did nothing but focus it.
    pub fn only_focuses(&self) -> bool {
        let text_stays = |field: &TextField| field.takes_text && field.before == field.after;
        matches!(self.command.name, "click" | "dblclick" | "focus")
            && self.field.as_ref().is_some_and(text_stays)
            && self.page_sends.is_empty()
            && self.opened_tab.is_none()
            && self.before == self.after
    }

    /// Whether the tab shows another document after it.
    pub fn changed_document(&self) -> bool {
        self.before.document != self.after.document
    }
}

/// Whether a key does nothing in a text field but edit its text.
fn is_editing_key(key: Option<&str>) -> bool {
    let Some(key) = key else { return false };
    let bare = key.strip_prefix("Shift+").unwrap_or(key);
    if bare.chars().count() == 1 {
        return true;
    }
    let chord = bare.strip_prefix("Control+").or(bare.strip_prefix("Meta+"));
    match chord {
        Some(letter) if letter.chars().count() == 1 => {
            matches!(letter.to_ascii_lowercase().as_str(), "a" | "x" | "v" | "z" | "y")
        }
        _ => matches!(
            chord.unwrap_or(bare),
            "Backspace" | "Delete" | "Home" | "End" | "ArrowLeft" | "ArrowRight"
        ),
    }
}
