//! The SKILL.md of a recorded skill. Its frontmatter goes through a library;
//! nothing that a page reported stands in its prose.

use serde_norway::{Mapping, Value};

use super::self_description::SelfDescription;
use crate::skills::program::{ProgramPlan, ProgramWriter, ResultShape};
use browse_base::{Error, Result};
use browse_proto::Reason;

/// What the caller says about the skill.
pub struct SkillSummary<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does, and phrases to think of it by.
    pub description: SelfDescription,
    /// `host` or `host:port` that it may visit.
    pub hosts: &'a [String],
    /// The day of the recording.
    pub date: &'a str,
    /// Whether it needs what the session of its caller holds.
    pub needs_user_session: bool,
}

/// SKILL.md.
pub fn write_skill_md(
    about: &SkillSummary<'_>,
    plan: &ProgramPlan,
    writer: &dyn ProgramWriter,
) -> Result<String> {
    let mut front = Mapping::new();
    let mut put = |key: &str, value: Value| front.insert(Value::from(key), value);
    put("name", about.name.into());
    put("description", about.description.description.as_str().into());
    put("host", about.hosts.to_vec().into());
    put("triggers", about.description.triggers.clone().into());
    put("args", plan.inputs.all.iter().map(argument).collect::<Vec<_>>().into());
    put("version", "1.0.0".into());
    put("source", "agent".into());
    put("trusted", false.into());
    put("session", if about.needs_user_session { "user" } else { "own" }.into());
    put("timeout", "60s".into());
    let front = serde_norway::to_string(&front).map_err(|error| {
        Error::new(Reason::Bug, format!("the manifest cannot be written: {error}"))
    })?;
    Ok(format!("---\n{front}---\n\n{}", prose(about, plan, writer)))
}

fn argument(input: &crate::skills::program::SkillInput) -> Value {
    let mut of = Mapping::new();
    of.insert("name".into(), input.name.as_str().into());
    let what = match &input.default {
        Some(_) => "An input of the recording.",
        None => "A secret: it is not kept with the skill.",
    };
    of.insert("description".into(), what.into());
    match &input.default {
        Some(default) => of.insert("default".into(), default.as_str().into()),
        None => of.insert("required".into(), true.into()),
    };
    Value::Mapping(of)
}

fn prose(about: &SkillSummary<'_>, plan: &ProgramPlan, writer: &dyn ProgramWriter) -> String {
    let steps = plan.steps().count();
    let mut out = format!(
        "# {}\n\nRecorded on {} in {steps} steps, and written as {} by `browse skill record save`.\nThe result is JSON:\n\n",
        about.name,
        about.date,
        writer.language_name(),
    );
    for (call, output) in plan.outputs() {
        out.push_str(&format!("- `{}`: {}\n", call.command.name, describe_shape(&output.shape)));
    }
    out.push_str(
        "\nA result that lacks this is an error, so that a change of the site is noticed.\n`fixtures/` holds the page as it was, without scripts and without values of fields.\n",
    );
    if about.needs_user_session {
        out.push_str(
            "It needs what the session of its caller holds, such as a sign-in: `session: user` holds once it is trusted.\n",
        );
        return out;
    }
    out.push_str(&format!("`browse skill check {}` compares it with the live page.\n", about.name));
    out
}

fn describe_shape(shape: &ResultShape) -> String {
    let keys =
        |keys: &[String]| keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    match shape {
        ResultShape::Text => "text that is not empty".to_owned(),
        ResultShape::Scalar => "a value".to_owned(),
        ResultShape::Records(of) if of.is_empty() => "a list that is not empty".to_owned(),
        ResultShape::Records(of) => format!("a list of records with {}", keys(of)),
        ResultShape::Record(of) => format!("a record with {}", keys(of)),
    }
}
