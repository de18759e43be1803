//! What the script says when it says no, as an error with a message.

use serde::Deserialize;

use crate::engine::error::{Error, Kind};
use crate::engine::target::reference::{RefKind, Reference};

/// The facts of a refusal; which are there depends on its kind.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Refusal {
    pub error: Option<String>,
    pub message: String,
    pub role: String,
    pub name: String,
    pub why: String,
    pub value: String,
    pub wanted: String,
    pub options: Vec<String>,
    pub near: Vec<String>,
    pub cover: Option<Cover>,
    pub count: u32,
    pub visible: Option<u32>,
    pub matches: Vec<(i64, String, String, String)>,
    pub serial: u64,
    pub fresh: u32,
}

/// What lies above a target.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Cover {
    pub role: String,
    pub name: String,
    pub selector: String,
}

impl Cover {
    /// `dialog "Cookies" (#consent)`.
    pub fn text(&self) -> String {
        let selector = if self.selector == self.role {
            String::new()
        } else {
            format!(" ({})", self.selector)
        };
        format!("{}{selector}", label(&self.role, &self.name))
    }
}

/// `button "Save"`, or only the role.
pub(crate) fn label(role: &str, name: &str) -> String {
    match (role, name) {
        ("", "") => "the element".to_owned(),
        (role, "") => role.to_owned(),
        (role, name) => format!("{role} \"{name}\""),
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let subject = label(&refusal.role, &refusal.name);
        let because =
            if refusal.why.is_empty() { String::new() } else { format!(": {}", refusal.why) };
        let error = match refusal.error.as_deref().unwrap_or_default() {
            "stale" => Error::refused(Kind::RefStale, "the element left the page"),
            "not-found" => not_found(&refusal),
            "ambiguous" => {
                Error::refused(Kind::Ambiguous, format!("{} elements match", refusal.count))
                    .with("count", refusal.count)
            }
            "invalid-selector" => Error::refused(Kind::SelectorInvalid, refusal.message.clone()),
            "hidden" => Error::refused(Kind::Hidden, format!("{subject} is hidden{because}")),
            "holds-frame" => {
                let message = format!("{subject} shows a page of its own: click what is in it");
                Error::refused(Kind::WrongKind, message)
            }
            "disabled" => Error::refused(Kind::Disabled, format!("{subject} is disabled")),
            "moving" => {
                Error::refused(Kind::Unstable, format!("{subject} is being moved by an animation"))
            }
            "covered" => covered(&subject, &refusal),
            "not-editable" => {
                Error::refused(Kind::NotEditable, format!("{subject} takes no text{because}"))
            }
            "not-select" => Error::refused(
                Kind::WrongKind,
                format!("{subject} is not a native list: click it, then the option"),
            ),
            "not-checkable" => {
                Error::refused(Kind::WrongKind, format!("{subject} cannot be checked"))
            }
            "not-file" => Error::refused(Kind::WrongKind, format!("{subject} takes no files")),
            "outside" => Error::refused(
                Kind::ValueRejected,
                format!("`{}` is outside {subject}{because}", refusal.value),
            ),
            "not-focusable" => {
                Error::refused(Kind::WrongKind, format!("{subject} cannot be focused"))
            }
            "not-scrollable" => {
                Error::refused(Kind::WrongKind, format!("{subject} cannot be scrolled"))
            }
            "not-frame" => Error::refused(Kind::WrongKind, format!("{subject} holds no frame")),
            "bad-property" => Error::refused(Kind::StyleInvalid, refusal.message.clone()),
            "single-choice" => Error::refused(
                Kind::ValueRejected,
                format!("{subject} takes one option, not {}", refusal.count),
            ),
            "option-disabled" => Error::refused(
                Kind::Disabled,
                format!("the option `{}` of {subject} is disabled", refusal.wanted),
            ),
            "no-option" => no_option(&subject, &refusal),
            "incomplete" => incomplete(&subject, &refusal),
            "rejected" => Error::refused(
                Kind::ValueRejected,
                format!("{subject} does not take this value{because}"),
            )
            .with("value", &refusal.value),
            _ => Error::internal(if refusal.message.is_empty() {
                "an unknown refusal"
            } else {
                &refusal.message
            }),
        };
        error.with("role", &refusal.role).with("name", &refusal.name)
    }
}

fn not_found(refusal: &Refusal) -> Error {
    if refusal.count > 0 {
        return Error::refused(Kind::NotFound, "no element matches").with("count", refusal.count);
    }
    let near = refusal.near.join(", ");
    let error = Error::refused(Kind::NotFound, "no element matches");
    if near.is_empty() { error } else { error.with("near", near) }
}

fn covered(subject: &str, refusal: &Refusal) -> Error {
    let cover = refusal
        .cover
        .as_ref()
        .map_or_else(|| "something outside of the page".to_owned(), Cover::text);
    Error::refused(Kind::Covered, format!("{subject} is covered by {cover}")).with("cover", cover)
}

/// A text that did not arrive, with what is there instead; secrets say nothing.
fn incomplete(subject: &str, refusal: &Refusal) -> Error {
    let holds = refusal.near.iter().map(|holds| format!(": {holds}")).collect::<String>();
    let error = Error::refused(Kind::Incomplete, format!("{subject} {}{holds}", refusal.why));
    if refusal.near.is_empty() { error } else { error.with("value", &refusal.value) }
}

fn no_option(subject: &str, refusal: &Refusal) -> Error {
    let more = (refusal.count as usize).saturating_sub(refusal.options.len());
    let mut options = refusal.options.join(", ");
    if more > 0 {
        options.push_str(&format!(" and {more} more"));
    }
    Error::refused(Kind::OptionNotFound, format!("{subject} has no option `{}`", refusal.wanted))
        .with("options", options)
        .with("option", &refusal.wanted)
}

/// The first matches of an ambiguous target, with the refs they were given and
/// what tells them apart, and how many more there are.
pub(crate) fn matches_text(refusal: &Refusal, number: impl Fn(i64) -> u32) -> String {
    let shown: Vec<_> = refusal
        .matches
        .iter()
        .map(|(local, role, name, context)| {
            let reference = Reference { kind: RefKind::Element, number: number(*local) };
            format!("{reference} {}{context}", label(role, name))
        })
        .collect();
    let candidates = refusal.visible.filter(|visible| *visible > 0).unwrap_or(refusal.count);
    let more = (candidates as usize).saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
