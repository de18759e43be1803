//! `browse upgrade`: how this installation is upgraded; one of install.sh is upgraded.

use std::env;

use browse_proto::Reason;
use serde_json::Value;

use crate::{
    browsed,
    failure::{Failure, Result},
    globals::Globals,
    help, print,
};

const USAGE: &str = "browse upgrade [--check]";

/// Runs it with the words after `upgrade`.
pub fn run(words: &[String], globals: &Globals) -> Result<u8> {
    let (mut check, mut as_json, mut wants_help) = (false, globals.json, globals.help);
    for word in words {
        match word.as_str() {
            "--check" => check = true,
            "--json" => as_json = true,
            "--help" | "-h" => wants_help = true,
            other => {
                let message = format!("`upgrade` takes no `{other}`");
                return Err(Failure::new(Reason::ArgumentInvalid, message)
                    .with_usage(USAGE)
                    .with_hint("Run `browse help upgrade`"));
            }
        }
    }
    if wants_help {
        return print::text(&help::local_help("upgrade"));
    }
    let program = env::current_exe().unwrap_or_default().display().to_string();
    let mut arguments = vec!["upgrade"];
    arguments.extend(check.then_some("--check"));
    arguments.push(&program);
    let answer = browsed::call(&arguments)?;
    if as_json {
        return print::json_result(&answer.to_string(), None);
    }
    print::text(&lines(&answer))
}

fn lines(answer: &Value) -> String {
    let field = |name: &str| answer.get(name).and_then(Value::as_str).unwrap_or_default();
    let version = field("version");
    if !field("command").is_empty() {
        return format!(
            "browse {version}, installed by {}. To upgrade it: {}\n",
            how(field("installation")),
            field("command")
        );
    }
    let latest = field("latest");
    match answer.get("upgraded").and_then(Value::as_bool) {
        Some(true) => field("output").to_owned(),
        _ if latest == version => format!("browse {version} is the newest release\n"),
        _ => format!("browse {version}; {latest} can be installed by `browse upgrade`\n"),
    }
}

fn how(installation: &str) -> &str {
    match installation {
        "deb" => "a Debian package",
        "pip" => "pip",
        "npm" => "npm",
        "checkout" => "a build in a checkout",
        _ => "hand",
    }
}
