//! What the walk of one document answers.

use std::fmt;

use crate::page::hidden_parts::HiddenParts;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

/// The answer of the script's `snapshot`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct WalkAnswer {
    pub serial: u64,
    pub fresh: usize,
    #[serde(deserialize_with = "browse_chromium::deserialize_url")]
    pub url: String,
    pub title: String,
    pub suspects: u32,
    #[serde(default)]
    pub unseen: HiddenParts,
    pub nodes: WalkedLines,
    /// Milliseconds in which something with controls in it has come or gone.
    #[serde(default)]
    pub fading: u64,
    /// What distinguishes lines of the same name, by index.
    #[serde(default)]
    pub contexts: Vec<(usize, String, u32, bool)>,
    /// What is wrong with an invalid field, by index.
    #[serde(default)]
    pub messages: Vec<(usize, String)>,
    /// What its author calls an element without a name, by index.
    #[serde(default)]
    pub hints: Vec<(usize, String)>,
    /// What a line stands for that is not listed, by index.
    #[serde(default)]
    pub folds: Vec<(usize, String)>,
    #[serde(default)]
    pub descriptions: Vec<String>,
    #[serde(default)]
    pub boxes: Vec<BoxOrNone>,
}

/// A box, or 0 for a line without an element.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(crate) enum BoxOrNone {
    Box(f64, f64, f64, f64),
    None(#[allow(dead_code)] u8),
}

/// One line, before it has its number.
#[derive(Debug, Clone)]
pub(crate) struct WalkedLine {
    pub depth: u32,
    pub role: String,
    pub name: String,
    /// 0 for none, a number, or -(index + 1).
    pub reference: i64,
    pub states: String,
    pub value: String,
    /// The number of an element that holds a frame, else 0.
    pub owner: u32,
}

/// The flat array of six fields each.
#[derive(Debug, Default)]
pub(crate) struct WalkedLines(pub Vec<WalkedLine>);

impl<'de> Deserialize<'de> for WalkedLines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(LinesVisitor)
    }
}

struct LinesVisitor;

/// The sixth field: a value, or the number of a frame's owner.
#[derive(Deserialize)]
#[serde(untagged)]
enum LastField {
    Owner(u32),
    Value(String),
}

impl<'de> Visitor<'de> for LinesVisitor {
    type Value = WalkedLines;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of lines")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<WalkedLines, A::Error> {
        let mut lines = Vec::new();
        while let Some(depth) = fields.next_element()? {
            let mut line = WalkedLine {
                depth,
                role: next_field(&mut fields)?,
                name: next_field(&mut fields)?,
                reference: next_field(&mut fields)?,
                states: next_field(&mut fields)?,
                value: String::new(),
                owner: 0,
            };
            match next_field(&mut fields)? {
                LastField::Owner(owner) => line.owner = owner,
                LastField::Value(value) => line.value = value,
            }
            lines.push(line);
        }
        Ok(WalkedLines(lines))
    }
}

fn next_field<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(fields: &mut A) -> Result<T, A::Error> {
    fields.next_element()?.ok_or_else(|| serde::de::Error::custom("a line is cut off"))
}
