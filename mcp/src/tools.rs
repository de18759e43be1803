//! The tools: what they are called, what they take, and what `tools/list` says of them.

mod arguments;
mod plan;
#[cfg(test)]
mod tests;

use browse_proto::Scope;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::schema::{command, first_sentence, object, property};
pub use arguments::ToolArguments;
pub use plan::ToolStep;

/// The readings of `read`.
const READINGS: [&str; 9] =
    ["forms", "links", "data", "network", "console", "html", "media", "dialog", "downloads"];

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolName {
    /// Opens an address.
    Open,
    /// Shows the page.
    Snapshot,
    /// Acts on the page.
    Act,
    /// Reads something of the page or its logs.
    Read,
    /// Takes a picture.
    Screenshot,
    /// Lists, opens, selects and closes tabs.
    Tabs,
    /// Waits.
    Wait,
    /// Lists and runs skills.
    Skill,
    /// Prints the contract of a command.
    Help,
    /// Runs any command.
    Run,
}

impl ToolName {
    /// Every tool.
    pub const ALL: [Self; 10] = [
        Self::Open,
        Self::Snapshot,
        Self::Act,
        Self::Read,
        Self::Screenshot,
        Self::Tabs,
        Self::Wait,
        Self::Skill,
        Self::Help,
        Self::Run,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Snapshot => "snapshot",
            Self::Act => "act",
            Self::Read => "read",
            Self::Screenshot => "screenshot",
            Self::Tabs => "tabs",
            Self::Wait => "wait",
            Self::Skill => "skill",
            Self::Help => "help",
            Self::Run => "run",
        }
    }

    /// The tool with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// The commands that it calls by itself; none where the caller names them.
    fn commands(self) -> &'static [&'static str] {
        match self {
            Self::Open => &["goto", "newtab", "snapshot", "text", "markdown"],
            Self::Snapshot => &["snapshot", "text", "markdown", "find"],
            Self::Act => &["chain", "snapshot", "text", "markdown"],
            Self::Read => &READINGS,
            Self::Screenshot => &["screenshot", "snapshot --annotate"],
            Self::Tabs => &["tabs", "newtab", "tab", "closetab"],
            Self::Wait => &["wait"],
            Self::Skill => &["skill list", "skill show", "skill run"],
            Self::Help | Self::Run => &[],
        }
    }

    /// Whether it needs more than the right to read: a server that only reads does
    /// not offer it.
    pub fn needs_write(self) -> bool {
        matches!(self, Self::Open | Self::Act | Self::Wait | Self::Skill)
    }

    /// What `tools/list` says of it.
    pub fn definition(self) -> Tool {
        let schema = self.schema();
        let scopes = self.commands().iter().map(|name| command(name).scope);
        let reads = match self {
            Self::Act | Self::Run => false,
            _ => scopes.into_iter().all(|scope| matches!(scope, Scope::Read | Scope::Meta)),
        };
        let annotations = ToolAnnotations::new()
            .read_only(reads)
            .destructive(matches!(self, Self::Act | Self::Run | Self::Skill))
            .open_world(self != Self::Help);
        Tool::new(self.name(), self.description(), schema).with_annotations(annotations)
    }

    fn description(self) -> String {
        let help = |name: &str| first_sentence(command(name).help);
        match self {
            Self::Open => format!("{}. `view` also shows the page.", help("goto")),
            Self::Snapshot => {
                "Shows the page as a tree with refs (@e3) to act on, as text or markdown, or \
                 what matches `find`."
                    .to_owned()
            }
            Self::Act => {
                "Runs steps and stops at the first that fails; each answers with what it did. A \
                 step is the words of a command: [\"click\",\"@e3\"], [\"fill\",\"@e4\",\"Ada\"], \
                 [\"select\",\"@e5\",\"Berlin\"], [\"press\",\"Enter\"], [\"check\",\"@e6\"], \
                 [\"upload\",\"@e7\",\"file.pdf\"], [\"scroll\",\"down\"], [\"wait\",\"--text\",\
                 \"Saved\"], [\"get\",\"value\",\"@e4\"]. A target is a ref, a CSS selector, or \
                 text=, role=, label=. `help` lists all commands."
                    .to_owned()
            }
            Self::Read => "Reads forms, links, structured data, requests, console messages, \
                           HTML, media, dialogs or downloads."
                .to_owned(),
            Self::Screenshot => {
                "Takes a picture of the viewport, of an element or of the full page.".to_owned()
            }
            Self::Tabs => "Lists, opens, selects or closes tabs.".to_owned(),
            Self::Wait => format!("{}.", help("wait")),
            Self::Skill => "Lists, shows or runs skills: tested scripts for repeated flows. A \
                            skill runs in a session of its own."
                .to_owned(),
            Self::Help => "Prints how a command is called; without one, all commands.".to_owned(),
            Self::Run => "Runs any command by its words: [\"network\",\"show\",\"4\"].".to_owned(),
        }
    }

    fn schema(self) -> Map<String, Value> {
        let of = |name: &'static str, field: &str| property(command(name), field);
        let view =
            || json!({"type": "string", "enum": ["none", "interactive", "text", "markdown"]});
        let tab = || json!({"type": "integer", "description": "Another tab than the active one"});
        let session = json!({"type": "string", "description": "Handle of a session"});
        let (mut properties, required): (Vec<(&str, Value)>, &[&str]) = match self {
            Self::Open => (
                vec![
                    ("url", of("goto", "url")),
                    ("new_tab", json!({"type": "boolean"})),
                    ("wait", of("goto", "wait")),
                    ("view", view()),
                ],
                &["url"],
            ),
            Self::Snapshot => (
                vec![
                    (
                        "view",
                        json!({"type": "string", "enum": ["interactive", "full", "text", "markdown"]}),
                    ),
                    ("scope", of("snapshot", "scope")),
                    ("find", of("find", "pattern")),
                    ("diff", of("snapshot", "diff")),
                    ("max_tokens", of("snapshot", "max_tokens")),
                    ("tab", tab()),
                ],
                &[],
            ),
            Self::Act => (
                vec![
                    (
                        "steps",
                        json!({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
                    ),
                    ("view", view()),
                    ("tab", tab()),
                ],
                &["steps"],
            ),
            Self::Read => (
                vec![
                    ("what", json!({"type": "string", "enum": READINGS})),
                    ("target", of("html", "target")),
                    ("tab", tab()),
                ],
                &["what"],
            ),
            Self::Screenshot => (
                vec![
                    ("target", of("screenshot", "target")),
                    ("full_page", json!({"type": "boolean"})),
                    (
                        "annotate",
                        json!({"type": "boolean", "description": "Labels elements with their refs"}),
                    ),
                    ("tab", tab()),
                ],
                &[],
            ),
            Self::Tabs => (
                vec![
                    (
                        "action",
                        json!({"type": "string", "enum": ["list", "new", "select", "close"]}),
                    ),
                    ("id", json!({"type": "integer"})),
                    ("url", json!({"type": "string"})),
                ],
                &["action"],
            ),
            Self::Wait => {
                let fields = command("wait").request.fields;
                let mut properties: Vec<_> =
                    fields.iter().map(|field| (field.name, of("wait", field.name))).collect();
                properties.push(("timeout_ms", json!({"type": "integer"})));
                (properties, &[])
            }
            Self::Skill => (
                vec![
                    ("action", json!({"type": "string", "enum": ["list", "show", "run"]})),
                    ("name", json!({"type": "string"})),
                    ("args", json!({"type": "object"})),
                ],
                &["action"],
            ),
            Self::Help => (vec![("command", json!({"type": "string"}))], &[]),
            Self::Run => (
                vec![
                    ("command", json!({"type": "array", "items": {"type": "string"}})),
                    ("tab", tab()),
                    ("timeout_ms", json!({"type": "integer"})),
                ],
                &["command"],
            ),
        };
        if self != Self::Help {
            properties.push(("session", session));
        }
        object(properties, required)
    }
}
