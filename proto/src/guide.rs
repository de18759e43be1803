//! What an agent should know, as text and as skills of the agent itself. The command line
//! prints and installs it, the MCP server serves it, and `browse-gen` puts it into the
//! plugin.

pub mod mark;

use crate::{Command, Scope};

/// What a file of instructions for agents says about the browser.
pub const SECTION: &str = include_str!("guide/section.md");

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
        mark::add_mark(&self.frontmatter(), &self.text())
    }

    /// What a SKILL.md begins with.
    pub fn frontmatter(&self) -> String {
        // The words of the frontmatter are ours, and hold nothing that YAML
        // would read as more than text; quotes keep the colons apart.
        format!("---\nname: {}\ndescription: {:?}\n---\n\n", self.skill_name(), self.description)
    }
}

/// The commands of an agent that browses, by group, as a list of names.
fn command_names() -> String {
    let mut out = String::new();
    for title in Command::group_titles() {
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
