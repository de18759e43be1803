//! The calls that a tool is made of.

use browse_cli::{
    Failure,
    embed::{EmbeddedAction, EmbeddedCall, FileAccess, parse_words},
};
use serde_json::{Map, Value, json};

use super::{
    READINGS, ToolName,
    arguments::{ToolArguments, invalid},
};
use crate::{schema::command, steps};

/// Tokens of a page that is shown with an answer, and those of `snapshot` unless the
/// caller names a number.
const VIEW_TOKENS: u32 = 2000;
const SNAPSHOT_TOKENS: u32 = 4000;

/// What a tool does, in order; the first failure ends it.
#[derive(Debug)]
pub enum ToolStep {
    /// A call whose answer is text.
    Call(Box<EmbeddedCall>),
    /// A call whose answer is an image.
    Image(Box<EmbeddedCall>),
    /// Text that needs no call.
    Text(String),
    /// A skill, which runs with its own token.
    RunSkill(Vec<String>),
}

impl ToolName {
    /// The calls that `arguments` ask for. Words of a command may name files as `access` allows.
    ///
    /// # Errors
    /// An argument that the tool does not have, or of the wrong type; `FILE_DENIED`.
    pub fn plan(
        self,
        arguments: &ToolArguments,
        access: FileAccess,
    ) -> Result<Vec<ToolStep>, Failure> {
        arguments.check_names(&self.schema())?;
        let tab = arguments.number("tab")?;
        let call = |name: &'static str, fields: Map<String, Value>| {
            let call = EmbeddedCall::new(command(name), fields)?.in_tab(tab);
            Ok::<_, Failure>(ToolStep::Call(Box::new(call)))
        };
        let mut steps = match self {
            Self::Open => {
                let url = arguments.required("url")?;
                let mut fields = Map::from_iter([("url".to_owned(), url.clone())]);
                if arguments.flag("new_tab")? {
                    return with_view(vec![call("newtab", fields)?], arguments, None);
                }
                fields.extend(arguments.fields(command("goto"), &["wait"]));
                vec![call("goto", fields)?]
            }
            Self::Snapshot => return Ok(vec![snapshot(arguments, tab)?]),
            Self::Act => {
                let words = steps::read(arguments.required("steps")?)?;
                let chain = EmbeddedCall::of_steps(command("chain"), &words, access)?.in_tab(tab);
                vec![ToolStep::Call(Box::new(chain))]
            }
            Self::Read => {
                let what = arguments.text("what")?.unwrap_or_default();
                let reading = READINGS.into_iter().find(|known| *known == what);
                let reading = reading.ok_or_else(|| {
                    invalid(format!("`what` is one of {}, not `{what}`", READINGS.join(", ")))
                })?;
                let takes_target =
                    command(reading).request.fields.iter().any(|field| field.name == "target");
                if !takes_target && arguments.text("target")?.is_some() {
                    return Err(invalid(format!("`{reading}` takes no `target`")));
                }
                vec![call(reading, arguments.fields(command(reading), &["target"]))?]
            }
            Self::Screenshot => return Ok(vec![screenshot(arguments, tab)?]),
            Self::Tabs => {
                let id = || {
                    Ok::<_, Failure>(Map::from_iter([(
                        "id".to_owned(),
                        arguments.required("id")?.clone(),
                    )]))
                };
                match arguments.text("action")?.unwrap_or("list") {
                    "list" => vec![call("tabs", Map::new())?],
                    "new" => vec![call("newtab", arguments.fields(command("newtab"), &["url"]))?],
                    "select" => vec![call("tab", id()?)?],
                    "close" => vec![call("closetab", id()?)?],
                    other => {
                        let message =
                            format!("`action` is list, new, select or close, not `{other}`");
                        return Err(invalid(message));
                    }
                }
            }
            Self::Wait => {
                let names: Vec<_> =
                    command("wait").request.fields.iter().map(|field| field.name).collect();
                let fields = arguments.fields(command("wait"), &names);
                let call = EmbeddedCall::new(command("wait"), fields)?;
                vec![ToolStep::Call(Box::new(call.with_timeout(arguments.timeout()?)))]
            }
            Self::Skill => vec![skill(arguments)?],
            Self::Help => {
                let words = match arguments.text("command")? {
                    None | Some("") => vec!["help".to_owned()],
                    Some(name) => ["help"]
                        .into_iter()
                        .chain(name.split_whitespace())
                        .map(str::to_owned)
                        .collect(),
                };
                match parse_words(&words, access)? {
                    EmbeddedAction::Text(text) => vec![ToolStep::Text(text)],
                    EmbeddedAction::Call(call) => vec![ToolStep::Call(call)],
                }
            }
            Self::Run => {
                let words = steps::words(1, arguments.required("command")?)?;
                match parse_words(&words, access)? {
                    EmbeddedAction::Text(text) => vec![ToolStep::Text(text)],
                    EmbeddedAction::Call(call) => {
                        let call = call.in_tab(tab).with_timeout(arguments.timeout()?);
                        vec![ToolStep::Call(Box::new(call))]
                    }
                }
            }
        };
        if matches!(self, Self::Open | Self::Act) {
            steps = with_view(steps, arguments, tab)?;
        }
        Ok(steps)
    }
}

/// The same, and then the page, where the caller asked to see it.
fn with_view(
    mut steps: Vec<ToolStep>,
    arguments: &ToolArguments,
    tab: Option<u64>,
) -> Result<Vec<ToolStep>, Failure> {
    let view = arguments.text("view")?.unwrap_or("none");
    let (name, fields) = match view {
        "none" => return Ok(steps),
        "interactive" => ("snapshot", json!({"interactive": true, "max_tokens": VIEW_TOKENS})),
        "text" => ("text", json!({})),
        "markdown" => ("markdown", json!({})),
        other => {
            let message = format!("`view` is none, interactive, text or markdown, not `{other}`");
            return Err(invalid(message));
        }
    };
    let fields = fields.as_object().cloned().unwrap_or_default();
    let call = EmbeddedCall::new(command(name), fields)?.in_tab(tab);
    steps.push(ToolStep::Call(Box::new(call)));
    Ok(steps)
}

fn snapshot(arguments: &ToolArguments, tab: Option<u64>) -> Result<ToolStep, Failure> {
    let scope = |field: &str| {
        let scope = arguments.value("scope");
        scope.map(|scope| (field.to_owned(), scope.clone()))
    };
    let (name, fields) = match (arguments.text("find")?, arguments.text("view")?) {
        (Some(pattern), _) => {
            ("find", Map::from_iter([("pattern".to_owned(), Value::from(pattern))]))
        }
        (None, Some("text")) => ("text", scope("target").into_iter().collect()),
        (None, Some("markdown")) => ("markdown", scope("target").into_iter().collect()),
        (None, None | Some("interactive" | "full")) => {
            let mut fields =
                arguments.fields(command("snapshot"), &["scope", "diff", "max_tokens"]);
            if arguments.text("view")? != Some("full") {
                fields.insert("interactive".to_owned(), true.into());
            }
            fields.entry("max_tokens").or_insert(SNAPSHOT_TOKENS.into());
            ("snapshot", fields)
        }
        (None, Some(other)) => {
            let message = format!("`view` is interactive, full, text or markdown, not `{other}`");
            return Err(invalid(message));
        }
    };
    Ok(ToolStep::Call(Box::new(EmbeddedCall::new(command(name), fields)?.in_tab(tab))))
}

fn screenshot(arguments: &ToolArguments, tab: Option<u64>) -> Result<ToolStep, Failure> {
    let mut fields = Map::new();
    let name = if arguments.flag("annotate")? {
        fields.insert("interactive".to_owned(), true.into());
        fields.insert("viewport".to_owned(), (!arguments.flag("full_page")?).into());
        "snapshot --annotate"
    } else {
        fields.extend(arguments.fields(command("screenshot"), &["target"]));
        let is_whole = fields.contains_key("target") || arguments.flag("full_page")?;
        fields.insert("viewport".to_owned(), (!is_whole).into());
        fields.insert("format".to_owned(), "jpeg".into());
        "screenshot"
    };
    Ok(ToolStep::Image(Box::new(EmbeddedCall::new(command(name), fields)?.in_tab(tab))))
}

fn skill(arguments: &ToolArguments) -> Result<ToolStep, Failure> {
    let name = || {
        let name = arguments.text("name")?;
        name.ok_or_else(|| invalid("`name` is missing: the action `list` lists them".to_owned()))
    };
    let fields = |name: &str| Map::from_iter([("name".to_owned(), Value::from(name))]);
    let call = |of: &'static str, fields| {
        Ok::<_, Failure>(ToolStep::Call(Box::new(EmbeddedCall::new(command(of), fields)?)))
    };
    match arguments.text("action")?.unwrap_or("list") {
        "list" => call("skill list", Map::new()),
        "show" => call("skill show", fields(name()?)),
        "run" => {
            let mut words = vec!["skill".to_owned(), "run".to_owned(), name()?.to_owned()];
            let args = arguments.value("args").and_then(Value::as_object);
            for (key, value) in args.into_iter().flatten() {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                words.extend(["--arg".to_owned(), format!("{key}={value}")]);
            }
            Ok(ToolStep::RunSkill(words))
        }
        other => Err(invalid(format!("`action` is list, show or run, not `{other}`"))),
    }
}
