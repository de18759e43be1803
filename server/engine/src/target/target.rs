//! Targets, as callers write them.
//!
//! | form | finds |
//! |---|---|
//! | `@e3` | the element of a ref |
//! | `text=Sign in` | the innermost element that shows the text, or the control it is in |
//! | `role=button[name="Go"]` | by role, accessible name and states |
//! | `label=Email` | a field by its label |
//! | `xpath=//a` or `//a` | by XPath |
//! | `text=Edit >> nth=2` | the third of several matches; -1 is the last |
//! | anything else | CSS; every open shadow tree is searched, `a >>> b` enters those below `a` |
//!
//! Names and texts ignore case and spacing. Elements whose whole name matches
//! win over those that only contain it; `/expression/i` is a regular expression.

use std::fmt;
use std::str::FromStr;

use super::query::{Query, TextPattern, parse_text_pattern};
use super::reference::Reference;
use super::role;
use crate::error::{Error, RefusalKind};

/// One way to name an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    text: String,
    pub(crate) query: Query,
}

impl Target {
    /// The target of a ref.
    pub fn from_ref(reference: Reference) -> Self {
        Self { text: reference.to_string(), query: Query::Ref { number: reference.number } }
    }

    /// The target that `query` is, in words; none when words cannot say it.
    pub(crate) fn from_query(query: &Query) -> Option<Self> {
        let quoted = |name: &TextPattern| format!("{:?}", QuotedText(&name.text));
        let text = match query {
            Query::Css { selector } => selector.clone(),
            Query::Text { name } => format!("text={}", quoted(name)),
            Query::Label { name } => format!("label={}", quoted(name)),
            Query::Role { role, name: None, .. } => format!("role={role}"),
            Query::Role { role, name: Some(name), .. } => {
                format!("role={role}[name={}]", quoted(name))
            }
            Query::Nth { of, index } => format!("{}{NTH_SEPARATOR}{index}", Self::from_query(of)?),
            Query::Ref { .. } | Query::XPath { .. } => return None,
        };
        let read: Self = text.parse().ok()?;
        (read.query == *query).then_some(read)
    }

    /// The text that it looks for, of a role with a name, a label or a text.
    pub fn sought_text(&self) -> Option<&str> {
        let name = match &self.query {
            Query::Text { name } | Query::Label { name } => name,
            Query::Role { name: Some(name), states, .. } if states.is_empty() => name,
            _ => return None,
        };
        (!name.regex).then_some(name.text.as_str())
    }

    /// The ref's number, if it is one.
    pub fn ref_number(&self) -> Option<u32> {
        match self.query {
            Query::Ref { number } => Some(number),
            _ => None,
        }
    }
}

/// A text in quotes, as [`unquote`] reads it.
struct QuotedText<'a>(&'a str);

impl fmt::Debug for QuotedText<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "\"{}\"", self.0.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let trimmed = text.trim();
        let query = parse(trimmed).map_err(|problem| {
            Error::refused(RefusalKind::SelectorInvalid, format!("`{trimmed}`: {problem}"))
                .with("selector", trimmed)
        })?;
        Ok(Self { text: trimmed.to_owned(), query })
    }
}

/// What stands before the number of a match.
const NTH_SEPARATOR: &str = " >> nth=";

/// A target and the number of a match behind it, if there is one.
fn split_nth(text: &str) -> Result<(&str, Option<i32>), String> {
    let Some((rest, index)) = text.rsplit_once(">>") else { return Ok((text, None)) };
    let Some(index) = index.trim().strip_prefix("nth=") else { return Ok((text, None)) };
    let index = index
        .trim()
        .parse()
        .map_err(|_| "`nth=` takes a whole number: 0 is the first match, -1 the last".to_owned())?;
    Ok((rest.trim(), Some(index)))
}

fn parse(text: &str) -> Result<Query, String> {
    let (text, index) = split_nth(text)?;
    match index {
        Some(_) if text.starts_with('@') => Err("a ref is one element already".to_owned()),
        Some(index) => Ok(Query::Nth { of: Box::new(parse_one(text)?), index }),
        None => parse_one(text),
    }
}

fn parse_one(text: &str) -> Result<Query, String> {
    if text.is_empty() {
        return Err("the target is empty".to_owned());
    }
    if let Some(reference) = Reference::from_target(text) {
        return Ok(Query::Ref { number: reference.number });
    }
    if text.starts_with('@') {
        return Err(super::reference::ParseRefError.to_string());
    }
    if let Some(rest) = text.strip_prefix("text=") {
        return Ok(Query::Text { name: parse_text_pattern(rest)? });
    }
    if let Some(rest) = text.strip_prefix("label=") {
        return Ok(Query::Label { name: parse_text_pattern(rest)? });
    }
    if let Some(rest) = text.strip_prefix("role=") {
        return role::parse(rest);
    }
    if let Some(rest) = text.strip_prefix("xpath=") {
        return Ok(Query::XPath { selector: rest.to_owned() });
    }
    if text.starts_with("//") || text.starts_with("(//") {
        return Ok(Query::XPath { selector: text.to_owned() });
    }
    let selector = text.strip_prefix("css=").unwrap_or(text);
    Ok(Query::Css { selector: selector.to_owned() })
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
