//! The prompts: guides that a user picks by name.

use browse_cli::guide::{GuideTopic, TOPICS};
use rmcp::{
    ErrorData,
    model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role},
};
use serde_json::{Map, Value};

/// The guides that are tasks, and not reference.
const TASKS: [&str; 3] = ["scrape", "skillify", "automate"];

/// Every prompt.
pub fn all() -> Vec<Prompt> {
    let task = PromptArgument::new("task").with_description("What is to be done");
    topics()
        .map(|topic| Prompt::new(topic.name, Some(topic.description()), Some(vec![task.clone()])))
        .collect()
}

/// The messages of a prompt.
///
/// # Errors
/// There is no prompt of this name.
pub fn get(
    name: &str,
    arguments: Option<&Map<String, Value>>,
) -> Result<GetPromptResult, ErrorData> {
    let topic = topics().find(|topic| topic.name == name).ok_or_else(|| {
        let known = TASKS.join(", ");
        ErrorData::invalid_params(format!("there is no prompt `{name}`; there are {known}"), None)
    })?;
    let task = arguments.and_then(|arguments| arguments.get("task")).and_then(Value::as_str);
    let mut text = topic.text();
    if let Some(task) = task.filter(|task| !task.is_empty()) {
        text = format!("{text}\nThe task: {task}\n");
    }
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]))
}

fn topics() -> impl Iterator<Item = &'static GuideTopic> {
    TOPICS.iter().filter(|topic| TASKS.contains(&topic.name))
}
