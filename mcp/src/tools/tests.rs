//! The tools as a client sees them, and what becomes of their arguments.

use browse_cli::embed::FileAccess;
use serde_json::json;

use super::{ToolArguments, ToolName, ToolStep};

fn plan(tool: ToolName, arguments: serde_json::Value) -> Vec<String> {
    let arguments = ToolArguments::new(arguments).expect("an object");
    let steps = tool.plan(&arguments, FileAccess::Caller).expect("a plan");
    let name = |step: &ToolStep| match step {
        ToolStep::Call(call) | ToolStep::Image(call) => call.command().name.to_owned(),
        ToolStep::Text(_) => "text".to_owned(),
        ToolStep::RunSkill(words) => words.join(" "),
    };
    steps.iter().map(name).collect()
}

#[test]
fn all_tools_are_small_and_made_from_the_contract() {
    let tools: Vec<_> = ToolName::ALL.map(ToolName::definition).into();
    let text = serde_json::to_string(&json!({ "tools": tools })).expect("JSON");
    assert!(text.chars().count() <= 8000, "{} characters", text.chars().count());
    assert!(tools.len() <= 10);
    insta::assert_snapshot!(serde_json::to_string_pretty(&tools).expect("JSON"));
}

#[test]
fn tools_become_calls_in_order() {
    let url = "https://a.example/";
    assert_eq!(plan(ToolName::Open, json!({"url": url})), ["goto"]);
    assert_eq!(
        plan(ToolName::Open, json!({"url": url, "view": "interactive"})),
        ["goto", "snapshot"]
    );
    assert_eq!(plan(ToolName::Open, json!({"url": url, "new_tab": true})), ["newtab"]);
    assert_eq!(plan(ToolName::Snapshot, json!({"find": "Sign in"})), ["find"]);
    assert_eq!(
        plan(ToolName::Snapshot, json!({"view": "markdown", "scope": "main"})),
        ["markdown"]
    );
    assert_eq!(
        plan(ToolName::Act, json!({"steps": [["click", "@e1"]], "view": "text"})),
        ["chain", "text"]
    );
    assert_eq!(plan(ToolName::Run, json!({"command": "network show 4"})), ["network show"]);
    assert_eq!(plan(ToolName::Help, json!({"command": "click"})), ["text"]);
    assert_eq!(
        plan(ToolName::Skill, json!({"action": "run", "name": "a", "args": {"n": 2}})),
        ["skill run a --arg n=2"]
    );
}

#[test]
fn wrong_arguments_are_named() {
    for (tool, arguments, word) in [
        (ToolName::Open, json!({}), "`url` is missing"),
        (ToolName::Open, json!({"url": "a", "veiw": "text"}), "`veiw`"),
        (ToolName::Snapshot, json!({"view": "all"}), "`all`"),
        (ToolName::Read, json!({"what": "cookies"}), "`cookies`"),
        (ToolName::Read, json!({"what": "console", "target": "main"}), "no `target`"),
        (ToolName::Tabs, json!({"action": "close"}), "`id` is missing"),
        (ToolName::Act, json!({"steps": [["nonsense", "@e1"]]}), "step 1"),
        (ToolName::Act, json!({"steps": [["skill", "run", "x"]]}), "step 1"),
        (ToolName::Run, json!({"command": ["activity", "--follow"]}), "shell"),
        (ToolName::Run, json!({"command": ["click", "@e1", "--token", "x"]}), "global flags"),
        (ToolName::Run, json!({"command": ["guide"]}), "command line"),
        (ToolName::Screenshot, json!({"tab": "one"}), "`tab` is a number"),
    ] {
        let arguments = ToolArguments::new(arguments.clone()).expect("an object");
        let failure =
            tool.plan(&arguments, FileAccess::Caller).err().unwrap_or_else(|| panic!("{word}"));
        assert!(failure.message.contains(word), "{}", failure.message);
    }
    assert!(ToolArguments::new(json!([1])).is_err());
}
