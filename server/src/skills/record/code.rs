//! Writes the program of a recorded skill and its test.
//!
//! Whatever came from a page or from a person enters the code as a string that
//! [`literal`] wrote, and never a comment or a name.

pub mod literal;
mod python;
mod rust;
mod typescript;

use browse_proto::Command;

use super::plan::{PlannedOutput, ProgramPlan};
use super::result_shape::ResultShape;
use crate::skills::runtime::RuntimeKind;

/// A file of a skill: its path within the folder, and its text.
pub type SkillFile = (String, String);

/// A language that a skill can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Language {
    TypeScript,
    Python,
    Rust,
}

impl Language {
    /// The files of the program and its test. `fixture` is what the page said,
    /// a path within the folder.
    pub fn files(self, name: &str, plan: &ProgramPlan, fixture: &str) -> Vec<SkillFile> {
        match self {
            Self::TypeScript => typescript::files(plan, fixture),
            Self::Python => python::files(plan, fixture),
            Self::Rust => rust::files(name, plan, fixture),
        }
    }

    /// What its programs run on.
    pub fn runtime_kind(self) -> RuntimeKind {
        match self {
            Self::TypeScript => RuntimeKind::TypeScript,
            Self::Python => RuntimeKind::Python,
            Self::Rust => RuntimeKind::Rust,
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::TypeScript => "TypeScript",
            Self::Python => "Python",
            Self::Rust => "Rust",
        }
    }
}

/// What a result lacks when it is empty, for the error of the program.
fn empty_result_message(output: &PlannedOutput) -> String {
    let what = match output.shape {
        ResultShape::Text => "no text",
        ResultShape::Records(_) => "no records",
        ResultShape::Record(_) => "no facts",
        ResultShape::Scalar => "nothing",
    };
    format!("the page gave {what}: it has changed, or refused the visit")
}

/// The name of an RPC as a method: `GetUrl` is `Url`, `ListTabs` is `Tabs`.
fn rpc_noun(command: &Command) -> &'static str {
    let noun = ["Get", "List"].into_iter().find_map(|verb| command.method.strip_prefix(verb));
    noun.filter(|rest| !rest.is_empty()).unwrap_or(command.method)
}

/// `max_tokens` as `maxTokens`.
pub fn camel_name(name: &str) -> String {
    camel(name)
}

fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts.filter(|part| !part.is_empty()) {
        let (first, rest) = part.split_at(1);
        out.push_str(&first.to_uppercase());
        out.push_str(rest);
    }
    out
}

/// The arguments of a call in their order: those by position up to the first
/// that is left out, and those by name.
fn split_arguments<'a>(
    call: &'a super::plan::PlannedCall,
) -> (Vec<CallArgument<'a>>, Vec<CallArgument<'a>>) {
    let of =
        |field: &browse_proto::Field| call.fields.iter().find(|(f, _)| f.number == field.number);
    let positional: Vec<_> = call
        .command
        .args
        .iter()
        .map_while(|argument| of(&call.command.request.fields[argument.field]))
        .collect();
    let named =
        call.fields.iter().filter(|(f, _)| !positional.iter().any(|(p, _)| p.number == f.number));
    let named = named.collect();
    (positional, named)
}

type CallArgument<'a> = &'a (&'static browse_proto::Field, super::plan::ArgValue);
