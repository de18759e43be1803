//! What an agent should know, as text and as skills of the agent itself.

mod install;
mod mark;

use browse_proto::{Command, Reason, Scope};
use serde_json::json;

use crate::{
    failure::{Failure, Result},
    help, print, suggest,
};

/// A topic.
pub struct GuideTopic {
    /// Its name; empty for the overview.
    pub name: &'static str,
    /// When an agent should read it, for the frontmatter.
    description: &'static str,
    text: &'static str,
}

/// Every topic, the overview first.
pub const TOPICS: &[GuideTopic] = &[
    GuideTopic {
        name: "",
        description: "Drives a real browser from the command line: open pages, read them, click and type. Use when a task needs a web page.",
        text: include_str!("guide/overview.md"),
    },
    GuideTopic {
        name: "scrape",
        description: "Gets data from a web page as JSON, with a saved skill when one fits. Use when the user says /scrape or wants something read from a site.",
        text: include_str!("guide/scrape.md"),
    },
    GuideTopic {
        name: "skillify",
        description: "Makes a permanent skill of the latest scrape of this conversation. Use when the user says /skillify.",
        text: include_str!("guide/skillify.md"),
    },
    GuideTopic {
        name: "automate",
        description: "Does something on a web page, and asks before each step that changes something. Use when the user says /automate or wants a form sent, a thing bought, booked, posted or changed.",
        text: include_str!("guide/automate.md"),
    },
    GuideTopic {
        name: "skills",
        description: "Finds, runs, records and checks browser skills. Use before writing a browser flow by hand.",
        text: include_str!("guide/skills.md"),
    },
    GuideTopic {
        name: "library",
        description: "Reads and writes notes on sites, and translates those of the public library. Use before acting on a site for the first time, and after finding out how one works.",
        text: include_str!("guide/library.md"),
    },
];

/// How it is called.
pub const USAGE: &str = "browse guide [scrape|skillify|automate|skills|library] | browse guide install --agent <claude|codex|cursor> [--project] [--force]";

/// Runs `guide` with what follows it.
pub fn run(words: &[String]) -> Result<u8> {
    let json = words.iter().any(|word| word == "--json");
    let words: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| *word != "--json").collect();
    match words.as_slice() {
        _ if words.iter().any(|word| matches!(*word, "--help" | "-h")) => {
            print::text(&help::local_help("guide"))
        }
        ["install", rest @ ..] => {
            let lines = install::run(rest)?;
            match json {
                true => print::json_result(&json!(lines).to_string(), None),
                false => print::text(&lines.join("\n")),
            }
        }
        [] => show("", json),
        [topic] => show(topic, json),
        [_, extra, ..] => {
            let message = format!("`guide` takes one topic, and `{extra}` is more");
            Err(Failure::new(Reason::ArgumentInvalid, message)
                .with_usage(USAGE)
                .with_hint("Run `browse guide`"))
        }
    }
}

fn show(name: &str, json: bool) -> Result<u8> {
    let topic = TOPICS.iter().find(|topic| topic.name == name);
    let Some(topic) = topic.filter(|topic| name.is_empty() || !topic.name.is_empty()) else {
        return Err(unknown_topic(name));
    };
    let text = topic.text();
    match json {
        true => print::json_result(&json!(text).to_string(), None),
        false => print::text(&text),
    }
}

fn unknown_topic(name: &str) -> Failure {
    let message = format!("`{name}` is not a topic of the guide");
    let failure = Failure::new(Reason::ArgumentInvalid, message).with_usage(USAGE);
    let topics = TOPICS.iter().map(|topic| topic.name).filter(|topic| !topic.is_empty());
    match suggest::nearest(name, topics.chain(["install"])) {
        Some(near) => failure.with_hint(format!("Did you mean `browse guide {near}`?")),
        None => failure.with_hint("Run `browse guide` to see the topics"),
    }
}

impl GuideTopic {
    /// Its text; commands come from the registry.
    pub fn text(&self) -> String {
        let mut out = String::with_capacity(self.text.len() * 2);
        for line in self.text.lines() {
            let list = line.strip_prefix("{commands:").and_then(|rest| rest.strip_suffix('}'));
            match list {
                Some(list) => out.push_str(&command_table(list)),
                None => {
                    out.push_str(line);
                    out.push('\n');
                }
            }
        }
        out
    }

    /// When an agent should read it.
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// What the skill of an agent is called that has this text.
    pub fn skill_name(&self) -> String {
        match self.name {
            "" => "browse".to_owned(),
            "skills" => "browse-skills".to_owned(),
            "library" => "browse-library".to_owned(),
            name => name.to_owned(),
        }
    }

    /// The text as a SKILL.md, marked as ours.
    pub fn skill_md(&self) -> String {
        // The words of the frontmatter are ours, and hold nothing that YAML
        // would read as more than text; quotes keep the colons apart.
        let head = format!(
            "---\nname: {}\ndescription: {:?}\n---\n\n",
            self.skill_name(),
            self.description
        );
        mark::add_mark(&head, &self.text())
    }
}

/// The commands of an agent that browses, by group, as a list of names.
fn command_names() -> String {
    let mut out = String::new();
    for title in help::group_titles() {
        let wanted = |command: &&Command| {
            command.service == "BrowserService"
                && command.title == title
                && matches!(command.scope, Scope::Read | Scope::Write | Scope::Meta)
        };
        let mut names: Vec<&str> =
            Command::all().iter().filter(wanted).filter_map(|c| c.words.first().copied()).collect();
        names.dedup();
        if !names.is_empty() {
            out.push_str(&format!("- {title}: {}\n", names.join(", ")));
        }
    }
    out
}

/// A table of commands.
fn command_table(list: &str) -> String {
    if list == "names" {
        return command_names();
    }
    let browser = |command: &&Command| {
        command.service == "BrowserService" && command.save.is_none() && command.group != "batch"
    };
    let wanted = |command: &&Command| match list {
        "read" => browser(command) && command.scope == Scope::Read && command.tunnel,
        "write" => browser(command) && command.scope == Scope::Write && command.has_side_effects,
        "skill" => command.words.first() == Some(&"skill"),
        "notes" => command.service == "DomainSkillService",
        _ => {
            browser(command)
                && command.tunnel
                && matches!(command.scope, Scope::Read | Scope::Write)
        }
    };
    let rows = Command::all().iter().filter(wanted);
    let row = |command: &'static Command| {
        format!(
            "| `{}` | {} |\n",
            command.usage().trim_end_matches(" [flags]").replace('|', "\\|"),
            command.summary().replace('\n', " ")
        )
    };
    format!("| command | what it does |\n|---|---|\n{}", rows.map(row).collect::<String>())
}
