//! The agents, and what each of them gets in which file.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use browse_proto::{
    Reason,
    guide::{SECTION, TOPICS, mark},
};
use serde_json::{Value, json};

use super::json::ItemPlace;
use crate::{
    failure::{Failure, Result},
    print,
    project::ProjectPaths,
};

/// An agent. Paths lie below the home, or below the project.
pub struct Agent {
    /// Its name for `--agent`.
    pub name: &'static str,
    home: AgentFiles,
    project: AgentFiles,
}

/// What an agent reads.
#[derive(Clone, Copy)]
struct AgentFiles {
    /// The folder of its skills.
    skills: &'static str,
    /// The file with its MCP servers, and how an entry looks there.
    servers: Option<(&'static str, ServerFormat)>,
    /// The file with its instructions.
    instructions: &'static str,
    /// A file of rules that is ours alone.
    rules: &'static str,
    /// The file with its hooks.
    hooks: &'static str,
}

const NOTHING: AgentFiles =
    AgentFiles { skills: "", servers: None, instructions: "", rules: "", hooks: "" };

/// How an agent writes an MCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServerFormat {
    /// `{"command", "args"}` in `mcpServers`.
    Plain,
    /// The same with the type `stdio`.
    Stdio,
    /// The same with the type `local` and its tools.
    Local,
    /// With the type `stdio`, in `servers`.
    VsCode,
    /// A table of a TOML file.
    Toml,
}

/// Every agent.
pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        home: AgentFiles {
            skills: ".claude/skills",
            servers: Some((".claude.json", ServerFormat::Stdio)),
            hooks: ".claude/settings.json",
            ..NOTHING
        },
        project: AgentFiles {
            skills: ".claude/skills",
            servers: Some((".mcp.json", ServerFormat::Stdio)),
            hooks: ".claude/settings.json",
            ..NOTHING
        },
    },
    Agent {
        name: "codex",
        home: AgentFiles {
            skills: ".agents/skills",
            servers: Some((".codex/config.toml", ServerFormat::Toml)),
            instructions: ".codex/AGENTS.md",
            ..NOTHING
        },
        project: AgentFiles {
            skills: ".agents/skills",
            servers: Some((".codex/config.toml", ServerFormat::Toml)),
            instructions: "AGENTS.md",
            ..NOTHING
        },
    },
    Agent {
        name: "cursor",
        home: AgentFiles {
            skills: ".cursor/skills",
            servers: Some((".cursor/mcp.json", ServerFormat::Plain)),
            ..NOTHING
        },
        project: AgentFiles {
            skills: ".cursor/skills",
            servers: Some((".cursor/mcp.json", ServerFormat::Plain)),
            rules: ".cursor/rules/browse.mdc",
            ..NOTHING
        },
    },
    Agent {
        name: "gemini",
        home: AgentFiles {
            skills: ".agents/skills",
            servers: Some((".gemini/settings.json", ServerFormat::Plain)),
            instructions: ".gemini/GEMINI.md",
            ..NOTHING
        },
        project: AgentFiles {
            skills: ".agents/skills",
            servers: Some((".gemini/settings.json", ServerFormat::Plain)),
            instructions: "GEMINI.md",
            ..NOTHING
        },
    },
    Agent {
        name: "copilot",
        home: AgentFiles {
            skills: ".copilot/skills",
            servers: Some((".copilot/mcp-config.json", ServerFormat::Local)),
            instructions: ".copilot/copilot-instructions.md",
            ..NOTHING
        },
        project: AgentFiles {
            skills: ".github/skills",
            servers: Some((".vscode/mcp.json", ServerFormat::VsCode)),
            instructions: ".github/copilot-instructions.md",
            ..NOTHING
        },
    },
    Agent {
        name: "agents-md",
        home: NOTHING,
        project: AgentFiles { instructions: "AGENTS.md", ..NOTHING },
    },
];

/// Something that an agent gets.
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// What comes into it.
    pub kind: PartKind,
}

/// What comes into a file.
pub enum PartKind {
    /// All of it.
    Whole(String),
    /// An item of JSON.
    Item(ItemPlace<'static>, Value),
    /// A server in TOML, with this program.
    TomlServer(String),
    /// A section of markdown.
    Section(&'static str),
}

impl PartKind {
    /// Whether it is the entry of the MCP server.
    pub fn is_server(&self) -> bool {
        match self {
            Self::Item(place, _) => place.key.is_some(),
            Self::TomlServer(_) => true,
            Self::Whole(_) | Self::Section(_) => false,
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartChoice {
    /// Into the project instead of the home.
    pub in_project: bool,
    /// Skills, and nothing else.
    pub only_skills: bool,
    /// The hook as well.
    pub with_hook: bool,
}

impl Agent {
    /// Whether it has files below the home.
    pub fn has_home(&self) -> bool {
        !self.home.skills.is_empty()
    }

    /// Whether it has a hook at the start of a session.
    pub fn has_hook(&self) -> bool {
        !self.project.hooks.is_empty()
    }

    /// What it gets below `root`.
    pub fn parts(&self, choice: PartChoice, root: &Path) -> Vec<Part> {
        let in_project = choice.in_project;
        let files = if in_project { self.project } else { self.home };
        let place = |path: &str| if in_project { root.join(path) } else { home_file(root, path) };
        let mut parts = Vec::new();
        let mut add = |path: PathBuf, kind| parts.push(Part { path, kind });
        if !files.skills.is_empty() {
            for topic in TOPICS {
                let path = place(files.skills).join(topic.skill_name()).join("SKILL.md");
                add(path, PartKind::Whole(topic.skill_md()));
            }
        }
        if choice.only_skills {
            return parts;
        }
        let program = program(in_project);
        if let Some((path, format)) = files.servers {
            add(place(path), server(format, &program));
        }
        if !files.instructions.is_empty() {
            add(place(files.instructions), PartKind::Section(SECTION));
        }
        if !files.rules.is_empty() {
            let head = "---\ndescription: Drives a real browser. Use when a task needs a web page.\nalwaysApply: false\n---\n\n";
            add(place(files.rules), PartKind::Whole(mark::add_mark(head, SECTION)));
        }
        if choice.with_hook && !files.hooks.is_empty() {
            add(place(files.hooks), hook(&program));
        }
        parts
    }

    /// The file below `root` with its section, where it gets one.
    pub fn section_file(&self, choice: PartChoice, root: &Path) -> Option<PathBuf> {
        let files = if choice.in_project { self.project } else { self.home };
        if choice.only_skills || files.instructions.is_empty() {
            return None;
        }
        Some(match choice.in_project {
            true => root.join(files.instructions),
            false => home_file(root, files.instructions),
        })
    }
}

/// The folder that the files lie in.
pub fn root(choice: PartChoice) -> Result<PathBuf> {
    if !choice.in_project {
        return home();
    }
    let named = env::var_os("BROWSE_PROJECT");
    Ok(ProjectPaths::find(named.as_deref().map(Path::new))?.root)
}

/// A file below the home, or in the folder that a variable of its agent names.
fn home_file(home: &Path, path: &str) -> PathBuf {
    let named = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let moved = [
        (".claude.json", "CLAUDE_CONFIG_DIR", ".claude.json"),
        (".claude/", "CLAUDE_CONFIG_DIR", ""),
        (".codex/", "CODEX_HOME", ""),
        (".copilot/", "COPILOT_HOME", ""),
    ];
    let moved = moved.into_iter().find_map(|(start, variable, new)| {
        Some(named(variable)?.join(format!("{new}{}", path.strip_prefix(start)?)))
    });
    moved.unwrap_or_else(|| home.join(path))
}

fn server(format: ServerFormat, program: &str) -> PartKind {
    let value = match format {
        ServerFormat::Toml => return PartKind::TomlServer(program.to_owned()),
        ServerFormat::Plain => json!({"command": program, "args": ["mcp"]}),
        ServerFormat::Stdio | ServerFormat::VsCode => {
            json!({"type": "stdio", "command": program, "args": ["mcp"]})
        }
        ServerFormat::Local => {
            json!({"type": "local", "command": program, "args": ["mcp"], "tools": ["*"]})
        }
    };
    let container: &[&str] =
        if format == ServerFormat::VsCode { &["servers"] } else { &["mcpServers"] };
    PartKind::Item(ItemPlace { container, key: Some("browse"), is_element: |_| false }, value)
}

/// The hook of Claude Code: it runs where `browse` is missing, too.
fn hook(program: &str) -> PartKind {
    let is_plain =
        program.chars().all(|sign| sign.is_ascii_alphanumeric() || "/._-".contains(sign));
    let program = match is_plain {
        true => program.to_owned(),
        false => format!("'{}'", program.replace('\'', r"'\''")),
    };
    let command = format!("{program}{HOOK_ARGUMENTS} 2>/dev/null || true");
    let value = json!({"hooks": [{"type": "command", "command": command, "timeout": 10}]});
    let place =
        ItemPlace { container: &["hooks", "SessionStart"], key: None, is_element: is_our_hook };
    PartKind::Item(place, value)
}

const HOOK_ARGUMENTS: &str = " guide hook";

fn is_our_hook(value: &Value) -> bool {
    let hooks = value.get("hooks").and_then(Value::as_array).into_iter().flatten();
    let mut commands = hooks.filter_map(|hook| hook.get("command").and_then(Value::as_str));
    commands.any(|command| command.contains("browse") && command.contains(HOOK_ARGUMENTS))
}

/// What an agent starts: the name where it is enough, and for this user alone, since a
/// file of the project is for others as well.
fn program(in_project: bool) -> String {
    const NAME: &str = "browse";
    let Ok(own) = env::current_exe().and_then(fs::canonicalize) else { return NAME.to_owned() };
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|folder| folder.join(NAME)).find(|at| at.is_file());
    let on_path = on_path.and_then(|at| fs::canonicalize(at).ok());
    if own.iter().any(|name| name == "_npx") {
        print::warning(
            "npx keeps this program in a cache that it empties: install the package to keep it",
        );
    }
    let is_own = on_path.is_some_and(|at| at == own || is_launcher_of(&at, &own));
    if in_project || is_own { NAME.to_owned() } else { own.to_string_lossy().into_owned() }
}

/// Whether `launcher` is in a package of npm beside that of `program`.
fn is_launcher_of(launcher: &Path, program: &Path) -> bool {
    let modules = |path: &Path| {
        let folder = path.ancestors().find(|folder| folder.ends_with("node_modules"));
        folder.map(Path::to_path_buf)
    };
    modules(program).is_some_and(|folder| modules(launcher) == Some(folder))
}

fn home() -> Result<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    home.ok_or_else(|| {
        Failure::new(Reason::FileUnwritable, "HOME does not name a folder")
            .with_hint("Set HOME, or add `--project`")
    })
}
