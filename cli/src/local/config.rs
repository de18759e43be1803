//! `browse config`: reads and changes settings. `browsed` has their table and does the work, so
//! that what it accepts is what a daemon accepts; no daemon runs for it.

use browse_proto::Reason;
use serde_json::Value;

use crate::{
    browsed,
    failure::{Failure, Result},
    globals::Globals,
    help, print, suggest,
};

const USAGE: &str = "browse config list | get <name> | set <name> <value>... [--in-project] | unset <name> [--in-project]";

const ACTIONS: &[&str] = &["list", "get", "set", "unset"];

/// A setting, as `browsed config list` answers it.
struct Setting<'a>(&'a Value);

/// The words of a call.
#[derive(Debug, Default, PartialEq)]
struct Words {
    plain: Vec<String>,
    project: Option<String>,
    in_project: bool,
    json: bool,
    help: bool,
}

/// Runs it with the words after `config`.
pub fn run(words: &[String], globals: &Globals) -> Result<u8> {
    let mut words = Words::read(words)?;
    if globals.remote.is_some() || globals.addr.is_some() {
        let message = "`config` is for the settings of this machine";
        return Err(misused(message, "Leave `--remote` and `--addr` out, or run it over there"));
    }
    words.json |= globals.json;
    let named = globals.project.as_ref().map(|folder| folder.display().to_string());
    words.project = words.project.or(named);
    let plain: Vec<&str> = words.plain.iter().map(String::as_str).collect();
    match plain.as_slice() {
        _ if words.help || globals.help => print::text(&help::local_help("config")),
        [] | ["list"] => list(&words),
        ["get", name] => get(&words, name),
        ["set", name, values @ ..] if !values.is_empty() => change(&words, name),
        ["unset", name] => change(&words, name),
        ["set", name] => Err(misused(
            &format!("`config set {name}` needs a value"),
            "Give one, or use `browse config unset`",
        )),
        [action @ ("get" | "unset" | "set")] => Err(misused(
            &format!("`config {action}` needs the name of a setting"),
            "Run `browse config list`",
        )),
        [action, ..] if ACTIONS.contains(action) => Err(misused(
            &format!("`config {action}` takes no more words"),
            "Run `browse help config`",
        )),
        [other, ..] => Err(match suggest::nearest(other, ACTIONS.iter().copied()) {
            Some(near) => misused(
                &format!("`config` has no `{other}`"),
                &format!("Did you mean `browse config {near}`?"),
            ),
            None => misused(&format!("`config` has no `{other}`"), "Run `browse help config`"),
        }),
    }
}

fn misused(message: &str, hint: &str) -> Failure {
    Failure::new(Reason::ArgumentInvalid, message).with_usage(USAGE).with_hint(hint)
}

impl Words {
    /// Flags of this command are read wherever they stand; what else begins with a dash is a value.
    fn read(words: &[String]) -> Result<Self> {
        let mut read = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--json" => read.json = true,
                "--in-project" => read.in_project = true,
                "--help" | "-h" => read.help = true,
                "--project" => match words.next() {
                    Some(folder) => read.project = Some(folder.clone()),
                    None => return Err(misused("`--project` needs a folder", "Give one")),
                },
                "--" => read.plain.extend(words.by_ref().cloned()),
                flag if flag.starts_with("--project=") => {
                    read.project = flag.split_once('=').map(|(_, folder)| folder.to_owned());
                }
                flag if flag.starts_with('-') && read.plain.len() < 2 => {
                    let message = format!("`config` has no flag `{flag}`");
                    return Err(misused(&message, "Run `browse help config`"));
                }
                word => read.plain.push(word.to_owned()),
            }
        }
        Ok(read)
    }

    /// Calls `browsed config` with `action`, and answers what it printed.
    fn call(&self, action: &[&str]) -> Result<Value> {
        let mut arguments = vec!["config"];
        if let Some(folder) = &self.project {
            arguments.extend(["--project", folder]);
        }
        arguments.extend(self.in_project.then_some("--in-project"));
        arguments.extend(action);
        browsed::call(&arguments)
    }

    fn list(&self) -> Result<Value> {
        self.call(&["list"])
    }
}

fn settings(answer: &Value) -> Vec<Setting<'_>> {
    let all = answer.get("settings").and_then(Value::as_array);
    all.map(Vec::as_slice).unwrap_or_default().iter().map(Setting).collect()
}

fn flag(answer: &Value, name: &str) -> bool {
    answer.get(name).and_then(Value::as_bool).unwrap_or_default()
}

impl Setting<'_> {
    fn field(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Its value, one text an item; none when it is hidden, or when its default is described in words.
    fn items(&self) -> Option<Vec<&str>> {
        let items = self.0.get("value").and_then(Value::as_array)?;
        Some(items.iter().filter_map(Value::as_str).collect())
    }

    /// Its value on one line.
    fn line(&self) -> String {
        match self.items() {
            Some(items) => items.join(", "),
            None if flag(self.0, "is_hidden") => "(set, not shown)".to_owned(),
            None => format!("({})", self.field("default")),
        }
    }

    fn origin(&self) -> String {
        format!("{} {}", self.field("source"), self.field("place")).trim_end().to_owned()
    }
}

fn list(words: &Words) -> Result<u8> {
    if words.in_project {
        let hint = "Leave it out: the source of each setting is shown";
        return Err(misused("`--in-project` is for `set` and `unset`", hint));
    }
    let answer = words.list()?;
    if words.json {
        return print::json_result(&answer.to_string(), None);
    }
    let row = |setting: &Setting<'_>| {
        format!("{} = {}  # {}\n", setting.field("name"), setting.line(), setting.origin())
    };
    print::text(&settings(&answer).iter().map(row).collect::<String>())?;
    if flag(&answer, "daemon_is_older") {
        print::note(
            "the daemon that runs started before a file was changed: `browse restart` applies it",
        );
    }
    Ok(0)
}

fn get(words: &Words, name: &str) -> Result<u8> {
    let answer = words.list()?;
    let all = settings(&answer);
    let plain = name.replace(['-', '.'], "_");
    let is_meant = |setting: &&Setting<'_>| {
        setting.field("name") == plain || setting.field("variable") == name
    };
    let Some(setting) = all.iter().find(is_meant) else {
        let failure = misused(&format!("`{name}` is not a setting"), "Run `browse config list`");
        return Err(
            match suggest::nearest(&plain, all.iter().map(|setting| setting.field("name"))) {
                Some(near) => failure.with_hint(format!("Did you mean `{near}`?")),
                None => failure,
            },
        );
    };
    if words.json {
        return print::json_result(&setting.0.to_string(), None);
    }
    match setting.items() {
        Some(items) => {
            print::text(&items.iter().map(|item| format!("{item}\n")).collect::<String>())?;
        }
        None => print::note(&format!("no value to print: {}", setting.line())),
    }
    print::note(&format!("from {}", setting.origin()));
    Ok(0)
}

fn change(words: &Words, name: &str) -> Result<u8> {
    let action: Vec<&str> = words.plain.iter().map(String::as_str).collect();
    let answer = words.call(&action)?;
    if words.json {
        return print::json_result(&answer.to_string(), None);
    }
    let text = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default();
    let done = match (action.first() == Some(&"set"), flag(&answer, "changed")) {
        (true, _) => "is set in",
        (false, true) => "is removed from",
        (false, false) => "was not set in",
    };
    print::text(&format!("{name} {done} {}", text("file")))?;
    if !text("overridden_by").is_empty() {
        print::note(&format!("{} has it too, and wins", text("overridden_by")));
    }
    if flag(&answer, "daemon_runs") {
        print::note("a daemon runs with the settings of its start: `browse restart` applies this");
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Words {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Words::read(&words).expect("they are good")
    }

    #[test]
    fn values_may_look_like_flags_and_ours_stand_anywhere() {
        let words = read("set chromium_args --mute-audio --json --in-project");
        assert_eq!(words.plain, ["set", "chromium_args", "--mute-audio"]);
        assert!(words.json && words.in_project && words.project.is_none());
        let words = read("set chromium_args -- --json");
        assert_eq!((words.plain.last().map(String::as_str), words.json), (Some("--json"), false));
        assert!(Words::read(&["list".to_owned(), "--all".to_owned()]).is_err());
    }
}
