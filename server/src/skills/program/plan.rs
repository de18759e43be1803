//! What a program of a skill does, in no language yet.

use browse_proto::{Command, Field};
use serde_json::Value;

use super::{
    inputs::{SkillInputs, TextPiece},
    result_shape::ResultShape,
};
use browse_sessions::StateChangingRequest;

/// A program.
#[derive(Clone, Debug)]
pub struct ProgramPlan {
    /// In order; the reads of the result among them.
    pub calls: Vec<PlannedCall>,
    /// Arguments of the skill.
    pub inputs: SkillInputs,
    /// `host` or `host:port` of the pages that it visits.
    pub hosts: Vec<String>,
    /// Steps of the recording that it does without.
    pub dropped_steps: usize,
    /// Commands that it does without because skills may not run them.
    pub denied_commands: Vec<&'static str>,
}

/// One call of a command.
#[derive(Clone, Debug)]
pub struct PlannedCall {
    /// The command.
    pub command: &'static Command,
    /// Its arguments: fields of the request, in the order of the contract.
    pub fields: Vec<(&'static Field, ArgValue)>,
    /// What it answers, when that is part of the result.
    pub result: Option<PlannedOutput>,
    /// The address of the page that it was made on.
    pub url: String,
    /// What its element was: tag, role and type of an input.
    pub element: Option<[String; 3]>,
    /// What its element was called on the page, when that was a control.
    pub label: Option<String>,
    /// Whether its selector looks in a frame within the page.
    pub in_frame: bool,
    /// Whether it is none of the recording, but was added for the others.
    pub is_synthetic: bool,
    /// What the recording saw it send.
    pub sent: Vec<StateChangingRequest>,
}

/// A read whose answer is the result or a part of it.
#[derive(Clone, Debug)]
pub struct PlannedOutput {
    /// What the script calls it: a name of the contract.
    pub name: String,
    /// What it has to have.
    pub shape: ResultShape,
    /// What it was.
    pub answer: Value,
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgValue {
    /// Text, which may hold arguments of the skill.
    Text(Vec<TextPiece>),
    /// Several texts.
    Texts(Vec<Vec<TextPiece>>),
    /// A number or true.
    Scalar(Value),
}

impl ProgramPlan {
    /// The steps of the recording that it repeats.
    pub fn steps(&self) -> impl Iterator<Item = &PlannedCall> {
        self.calls.iter().filter(|call| !call.is_synthetic)
    }

    /// The reads of the result.
    pub fn outputs(&self) -> impl Iterator<Item = (&PlannedCall, &PlannedOutput)> {
        self.calls.iter().filter_map(|call| Some((call, call.result.as_ref()?)))
    }
}

impl PlannedCall {
    /// A call with nothing known of it but this.
    pub fn new(
        command: &'static Command,
        fields: Vec<(&'static Field, ArgValue)>,
        url: &str,
    ) -> Self {
        Self {
            command,
            fields,
            result: None,
            url: url.to_owned(),
            element: None,
            label: None,
            in_frame: false,
            is_synthetic: false,
            sent: Vec::new(),
        }
    }

    /// Its selector, when that is the same in each run.
    pub fn selector(&self) -> Option<&str> {
        let (_, given) = self.fields.iter().find(|(field, _)| field.name == "target")?;
        match given {
            ArgValue::Text(pieces) => match pieces.as_slice() {
                [TextPiece::Literal(text)] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }
}
