//! The program of a recorded skill and its test: what it does, and what writes it in a
//! language.
//!
//! Whatever came from a page or from a person enters the code as a string that
//! [`literal`] wrote, and never a comment or a name.

mod inputs;
pub mod literal;
mod plan;
mod result_shape;

use browse_proto::{Command, v1::SkillLanguage};

pub use inputs::{SecretRef, SkillInput, SkillInputs, TextPiece};
pub use plan::{ArgValue, PlannedCall, PlannedOutput, ProgramPlan};
pub use result_shape::ResultShape;

/// A file of a skill: its path within the folder, and its text.
pub type SkillFile = (String, String);

/// Writes programs in one language.
pub trait ProgramWriter: Sync {
    /// The language that a request asks for.
    fn language(&self) -> SkillLanguage;

    /// The word for it.
    fn language_name(&self) -> &'static str;

    /// Whether its SDK has the names of fields as `maxTokens`.
    fn camel_case(&self) -> bool {
        false
    }

    /// The files of the program `name` and its test. `fixture` is what the page
    /// reported, a path within the folder.
    fn files(&self, name: &str, plan: &ProgramPlan, fixture: &str) -> Vec<SkillFile>;
}

/// What a result lacks when it is empty, for the error of the program.
pub fn empty_result_message(output: &PlannedOutput) -> String {
    let what = match output.shape {
        ResultShape::Text => "no text",
        ResultShape::Records(_) => "no records",
        ResultShape::Record(_) => "no facts",
        ResultShape::Scalar => "nothing",
    };
    format!("the page gave {what}: it has changed, or refused the visit")
}

/// The name of an RPC as a method: `GetUrl` is `Url`, `ListTabs` is `Tabs`.
pub fn rpc_noun(command: &Command) -> &'static str {
    let noun = ["Get", "List"].into_iter().find_map(|verb| command.method.strip_prefix(verb));
    noun.filter(|rest| !rest.is_empty()).unwrap_or(command.method)
}

/// `max_tokens` as `maxTokens`.
pub fn camel(name: &str) -> String {
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
pub fn split_arguments<'a>(
    call: &'a PlannedCall,
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

/// A field of a call and its value.
pub type CallArgument<'a> = &'a (&'static browse_proto::Field, ArgValue);
