//! Reads JSON with comments and trailing commas, and keeps where each value stands.

use serde_json::{Map, Value};

/// Values within values that are read; a file of settings has a handful.
const MAX_DEPTH: usize = 128;

/// A value, and where it stands in its text.
#[derive(Debug)]
pub struct JsonNode {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What it is.
    pub kind: NodeKind,
}

/// What a value is.
#[derive(Debug)]
pub enum NodeKind {
    /// An object.
    Object(Vec<Item>),
    /// An array.
    Array(Vec<Item>),
    /// Anything else.
    Scalar(Value),
}

/// A member of an object, or an element of an array.
#[derive(Debug)]
pub struct Item {
    /// Its key; empty for an element.
    pub key: String,
    /// Where it begins: at its key, if it has one.
    pub start: usize,
    /// Its value.
    pub value: JsonNode,
    /// Where the comma after it stands.
    pub comma: Option<usize>,
}

impl JsonNode {
    /// The members or elements.
    pub fn items(&self) -> &[Item] {
        match &self.kind {
            NodeKind::Object(items) | NodeKind::Array(items) => items,
            NodeKind::Scalar(_) => &[],
        }
    }

    /// The member called `key`.
    pub fn member(&self, key: &str) -> Option<&JsonNode> {
        let NodeKind::Object(items) = &self.kind else { return None };
        items.iter().find(|item| item.key == key).map(|item| &item.value)
    }

    /// The value without its place.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Object(items) => {
                let members = items.iter().map(|item| (item.key.clone(), item.value.to_value()));
                Value::Object(members.collect::<Map<_, _>>())
            }
            NodeKind::Array(items) => items.iter().map(|item| item.value.to_value()).collect(),
            NodeKind::Scalar(value) => value.clone(),
        }
    }
}

/// Reads `text`, which is one value.
///
/// # Errors
/// What is wrong, with its line.
pub fn parse(text: &str) -> Result<JsonNode, String> {
    let mut scanner = JsonScanner { text, at: 0 };
    if text.starts_with('\u{feff}') {
        scanner.at = '\u{feff}'.len_utf8();
    }
    let read = scanner.skip_blank().and_then(|()| scanner.value(0)).and_then(|root| {
        scanner.skip_blank()?;
        if scanner.at < text.len() {
            Err("there is text after the value".to_owned())
        } else {
            Ok(root)
        }
    });
    read.map_err(|problem| {
        let line = text.as_bytes()[..scanner.at.min(text.len())].iter().filter(|b| **b == b'\n');
        format!("{problem}, in line {}", line.count() + 1)
    })
}

/// Blanks and comments from `at` on; the place of what follows.
pub fn after_blank(text: &str, at: usize) -> Result<usize, String> {
    let mut scanner = JsonScanner { text, at };
    scanner.skip_blank()?;
    Ok(scanner.at)
}

struct JsonScanner<'a> {
    text: &'a str,
    at: usize,
}

impl JsonScanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blank(&mut self) -> Result<(), String> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            let comment = match trimmed.get(..2) {
                Some("//") => trimmed.find('\n').unwrap_or(trimmed.len()),
                Some("/*") => match trimmed[2..].find("*/") {
                    Some(length) => length + 4,
                    None => return Err("a comment does not end".to_owned()),
                },
                _ => 0,
            };
            self.at += rest.len() - trimmed.len() + comment;
            if comment == 0 {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<JsonNode, String> {
        if depth > MAX_DEPTH {
            return Err(format!("values are nested more than {MAX_DEPTH} levels"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => NodeKind::Object(self.items(b'}', depth)?),
            Some(b'[') => NodeKind::Array(self.items(b']', depth)?),
            Some(b'"') => NodeKind::Scalar(Value::String(self.string()?)),
            Some(_) => NodeKind::Scalar(self.word()?),
            None => return Err("the text ends where a value is expected".to_owned()),
        };
        Ok(JsonNode { start, end: self.at, kind })
    }

    fn items(&mut self, close: u8, depth: usize) -> Result<Vec<Item>, String> {
        let mut items: Vec<Item> = Vec::new();
        self.at += 1;
        loop {
            self.skip_blank()?;
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(items);
            }
            if items.last().is_some_and(|item| item.comma.is_none()) {
                return Err("a comma is missing".to_owned());
            }
            let start = self.at;
            let key = if close == b'}' { self.key()? } else { String::new() };
            if close == b'}' && items.iter().any(|item| item.key == key) {
                return Err(format!("`{key}` is there twice"));
            }
            let value = self.value(depth + 1)?;
            self.skip_blank()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            items.push(Item { key, start, value, comma });
        }
    }

    fn key(&mut self) -> Result<String, String> {
        if self.peek() != Some(b'"') {
            return Err("a key in quotes is expected".to_owned());
        }
        let key = self.string()?;
        self.skip_blank()?;
        if self.peek() != Some(b':') {
            return Err(format!("a colon is missing after `{key}`"));
        }
        self.at += 1;
        self.skip_blank()?;
        Ok(key)
    }

    fn string(&mut self) -> Result<String, String> {
        let bytes = self.rest().as_bytes();
        let mut end = 1;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'\\' => end += 2,
                b'"' => {
                    let read = serde_json::from_str(&self.rest()[..=end]);
                    let text = read.map_err(|_| "a string cannot be read".to_owned())?;
                    self.at += end + 1;
                    return Ok(text);
                }
                _ => end += 1,
            }
        }
        Err("a string does not end".to_owned())
    }

    fn word(&mut self) -> Result<Value, String> {
        let is_end =
            |sign: char| matches!(sign, ',' | '}' | ']' | '/' | ':') || sign.is_whitespace();
        let word = self.rest().split(is_end).next().unwrap_or_default();
        let (value, length) = (serde_json::from_str(word), word.len());
        let value = value.map_err(|_| "a value cannot be read".to_owned())?;
        self.at += length;
        Ok(value)
    }
}
