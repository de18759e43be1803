//! `browse guide`: prints what an agent should know, and installs it for an agent.

mod agents;
mod install;
mod install_record;
mod json;
mod options;
mod plan;
mod preview;
mod section;
mod session_start;
mod target_file;
mod toml_entry;

use browse_proto::Reason;
pub use browse_proto::guide::{GuideTopic, TOPICS};
use serde_json::json;

pub use self::agents::AGENTS;
use self::options::GuideTask;
use crate::{
    failure::{Failure, Result},
    help, print, suggest,
};

/// How it is called.
pub const USAGE: &str = "browse guide [scrape|skillify|automate|skills|library] | browse guide install|remove --agent <claude|codex|cursor|gemini|copilot|agents-md> [--project] [--skills] [--hook] [--dry-run|--yes] [--force]";

/// Runs `guide` with what follows it.
pub fn run(words: &[String]) -> Result<u8> {
    let json = words.iter().any(|word| word == "--json");
    let words: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| *word != "--json").collect();
    match words.as_slice() {
        _ if words.iter().any(|word| matches!(*word, "--help" | "-h")) => {
            print::text(&help::local_help("guide"))
        }
        ["install", rest @ ..] => install::run(GuideTask::Install, rest, json),
        ["remove", rest @ ..] => install::run(GuideTask::Remove, rest, json),
        ["hook"] => Ok(session_start::run()),
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
    match suggest::nearest(name, topics.chain(["install", "remove"])) {
        Some(near) => failure.with_hint(format!("Did you mean `browse guide {near}`?")),
        None => failure.with_hint("Run `browse guide` to see the topics"),
    }
}
