//! Forms and their fields, in all frames.

use serde::Deserialize;
use serde_json::json;

use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::fan_out::{FrameAnswer, FrameQuery};
use crate::page::ref_assignment::ref_number;
use crate::page::ref_table::ElementLabel;
use crate::target::reference::{RefKind, Reference};

/// The forms of one frame, and the fields outside of any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameForms {
    /// Name or URL of the frame; empty for the main frame.
    pub frame: String,
    /// In document order, each with a field at least.
    pub forms: Vec<PageForm>,
    /// Fields that belong to no form.
    pub formless_fields: Vec<PageFormField>,
}

/// A form.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct PageForm {
    /// Its `name`, or its id.
    pub name: String,
    /// Its accessible name.
    pub label: String,
    /// `get`, `post` or `dialog`.
    pub method: String,
    /// Where it is sent to; empty for the page itself.
    #[serde(deserialize_with = "browse_chromium::deserialize_url")]
    pub action: String,
    /// In document order.
    pub fields: Vec<PageFormField>,
}

/// A field, or a button of a form.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PageFormField {
    #[serde(rename = "ref")]
    local: i64,
    /// The ref to act on.
    #[serde(skip)]
    pub reference: Option<Reference>,
    /// Type of an input, `select`, `textarea`, `contenteditable`, or the role
    /// of a widget.
    #[serde(rename = "type")]
    pub kind: String,
    role: String,
    /// Accessible name.
    pub label: String,
    /// Its `name`, or its id.
    pub name: String,
    /// What it holds; none when that is secret. Of what is checked, what is sent.
    pub value: Option<String>,
    /// Of what can be checked.
    pub checked: Option<bool>,
    /// Whether a password, a code or a card number goes in here.
    pub secret: bool,
    /// Whether the form wants it.
    pub required: bool,
    /// Whether it takes no input.
    pub disabled: bool,
    /// Whether it cannot be changed.
    pub readonly: bool,
    /// Whether it takes several values.
    pub multiple: bool,
    /// Whether it does not show: a chooser of files behind a button.
    pub hidden: bool,
    /// What it suggests while empty.
    pub placeholder: String,
    /// Accessible description.
    pub description: String,
    /// What a set of choices is about.
    pub group: String,
    /// Lowest value.
    pub min: String,
    /// Highest value.
    pub max: String,
    /// Distance of values.
    pub step: String,
    /// Expression that a value has to match.
    pub pattern: String,
    /// Characters that a value may have.
    pub maxlength: String,
    /// Files that it takes.
    pub accept: String,
    /// What autofill would put in.
    pub autocomplete: String,
    /// The validation message of the browser, once it was shown.
    pub problem: String,
    /// What there is to choose from.
    pub options: Vec<FieldOption>,
}

/// A choice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct FieldOption {
    /// What is sent.
    pub value: String,
    /// What a person reads.
    pub label: String,
    /// Whether it is chosen.
    pub selected: bool,
    /// Whether it cannot be chosen.
    pub disabled: bool,
}

/// What a form would send to other hosts.
#[derive(Debug, Deserialize)]
pub struct FormSubmission {
    /// The address of its document.
    #[serde(skip)]
    pub from: String,
    /// Addresses, one of each host.
    pub to: Vec<String>,
    /// What stands in its fields, but for what nobody types.
    pub text: String,
}

#[derive(Deserialize)]
struct SubmissionsAnswer {
    suspects: u32,
    sendings: Vec<FormSubmission>,
    cut: bool,
}

impl FrameAnswer for SubmissionsAnswer {
    fn closed_root_candidates(&self) -> u32 {
        self.suspects
    }
}

#[derive(Deserialize)]
struct FormsAnswer {
    serial: u64,
    fresh: usize,
    suspects: u32,
    forms: Vec<PageForm>,
    fields: Vec<PageFormField>,
}

impl FrameAnswer for FormsAnswer {
    fn closed_root_candidates(&self) -> u32 {
        self.suspects
    }
}

impl Engine {
    /// The forms of the frame that selectors look in, and of those below it.
    pub async fn forms(&self) -> Result<Vec<FrameForms>> {
        self.read_forms(false).await
    }

    /// The same; with `seen` fields that no person sees count as hidden.
    pub async fn read_forms(&self, seen: bool) -> Result<Vec<FrameForms>> {
        let question = FrameQuery {
            command: "forms",
            argument: json!({ "seen": seen }),
            target: None,
            needs_listeners: false,
        };
        let mut gathered =
            self.query_frames::<FormsAnswer>(&question, self.selector_frame()?).await?;
        let mut frames = Vec::new();
        for id in &gathered.frame_order {
            let Some((world, mut found)) = gathered.answers.remove(id) else { continue };
            let labels = labels(&found);
            let base = self.assign_refs(&world, found.serial, labels);
            all_fields(&mut found).for_each(|field| {
                let number = ref_number(field.local, base);
                field.reference = Some(Reference { kind: RefKind::Element, number });
            });
            found.forms.retain(|form| !form.fields.is_empty());
            let frame = self.frame_name(id);
            frames.push(FrameForms { frame, forms: found.forms, formless_fields: found.fields });
        }
        Ok(frames)
    }

    /// What the forms of the whole tab would send to other hosts than their own,
    /// and whether that is all: not when a frame gave no answer, or too long a one.
    pub async fn cross_host_submissions(&self) -> Result<(Vec<FormSubmission>, bool)> {
        let argument = json!({ "sends": true });
        let question =
            FrameQuery { command: "forms", argument, target: None, needs_listeners: false };
        let root = self.page().main_frame().id;
        let gathered = self.query_frames::<SubmissionsAnswer>(&question, root).await?;
        let mut is_all = gathered.unresponsive.is_empty();
        let mut sendings = Vec::new();
        for (frame, (_, answer)) in gathered.answers {
            is_all &= !answer.cut;
            let from = self.page().frame(&frame).map(|frame| frame.url).unwrap_or_default();
            sendings.extend(
                answer.sendings.into_iter().map(|one| FormSubmission { from: from.clone(), ..one }),
            );
        }
        Ok((sendings, is_all))
    }
}

fn all_fields(found: &mut FormsAnswer) -> impl Iterator<Item = &mut PageFormField> {
    found.forms.iter_mut().flat_map(|form| &mut form.fields).chain(&mut found.fields)
}

/// Role and name of the new elements, by their index.
fn labels(found: &FormsAnswer) -> Vec<ElementLabel> {
    let mut labels: Vec<ElementLabel> = vec![("".into(), Box::default()); found.fresh];
    let all = found.forms.iter().flat_map(|form| &form.fields).chain(&found.fields);
    for field in all {
        let index = usize::try_from(-field.local - 1).ok();
        if let Some(label) = index.and_then(|index| labels.get_mut(index)) {
            let name: String = field.label.chars().take(60).collect();
            *label = (field.role.as_str().into(), name.into());
        }
    }
    labels
}
