//! JSON: what skills answer with, and what some commands return.

use std::fmt::{self, Write as _};
use std::ops::Index;

/// A JSON value. Objects keep the order of their members.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number; what is not finite prints as `null`.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// Names and values.
    Object(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 200;

impl Json {
    /// An object of these members, in this order.
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Json)>) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// A list of these items.
    pub fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// The member `name` of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The text of a text.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number of a whole number.
    pub fn as_i64(&self) -> Option<i64> {
        if let Self::Int(number) = self { Some(*number) } else { None }
    }

    /// The number of a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// The truth of a truth value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// Reads a document; `None` when it is no JSON.
    pub fn parse(text: &str) -> Option<Self> {
        let mut reader = JsonReader { bytes: text.as_bytes(), position: 0 };
        let value = reader.value(0)?;
        reader.skip_blanks();
        (reader.position == reader.bytes.len()).then_some(value)
    }
}

/// The member of an object, or `null`.
impl Index<&str> for Json {
    type Output = Json;

    fn index(&self, name: &str) -> &Json {
        self.get(name).unwrap_or(&NULL)
    }
}

/// Prints it without blanks, in the bytes that JavaScript would print.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Float(number) if number.is_finite() => write!(f, "{number}"),
            Self::Float(_) => f.write_str("null"),
            Self::Text(text) => write_text(f, text),
            Self::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { '[' } else { ',' })?;
                }
                f.write_str(if items.is_empty() { "[]" } else { "]" })
            }
            Self::Object(members) => {
                for (index, (name, value)) in members.iter().enumerate() {
                    f.write_char(if index == 0 { '{' } else { ',' })?;
                    write_text(f, name)?;
                    write!(f, ":{value}")?;
                }
                f.write_str(if members.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(f, "\\{letter}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            letter if letter < ' ' => write!(f, "\\u{:04x}", letter as u32)?,
            letter => f.write_char(letter)?,
        }
    }
    f.write_char('"')
}

macro_rules! from {
    ($($type:ty => |$value:ident| $json:expr;)*) => { $(
        impl From<$type> for Json {
            fn from($value: $type) -> Self {
                $json
            }
        }
    )* };
}

from! {
    () => |_nothing| Json::Null;
    bool => |value| Json::Bool(value);
    i32 => |value| Json::Int(value.into());
    u32 => |value| Json::Int(value.into());
    i64 => |value| Json::Int(value);
    u64 => |value| i64::try_from(value).map_or(Json::Float(value as f64), Json::Int);
    usize => |value| Json::from(value as u64);
    f64 => |value| Json::Float(value);
    &str => |value| Json::Text(value.to_owned());
    &String => |value| Json::Text(value.clone());
    String => |value| Json::Text(value);
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        Self::list(items)
    }
}

/// `null` in the place of nothing.
impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

// === reading: https://www.rfc-editor.org/rfc/rfc8259 ===

struct JsonReader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl JsonReader<'_> {
    fn skip_blanks(&mut self) {
        while matches!(self.bytes.get(self.position), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn take(&mut self, word: &str) -> Option<()> {
        let found = self.bytes[self.position..].starts_with(word.as_bytes());
        self.position += if found { word.len() } else { 0 };
        found.then_some(())
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_blanks();
        match self.bytes.get(self.position)? {
            b'n' => self.take("null").map(|()| Json::Null),
            b't' => self.take("true").map(|()| Json::Bool(true)),
            b'f' => self.take("false").map(|()| Json::Bool(false)),
            b'"' => self.text().map(Json::Text),
            b'[' => self.members(']', |reader| reader.value(depth + 1)).map(Json::List),
            b'{' => {
                let member = |reader: &mut Self| {
                    reader.skip_blanks();
                    let name = reader.text()?;
                    reader.skip_blanks();
                    reader.take(":")?;
                    Some((name, reader.value(depth + 1)?))
                };
                self.members('}', member).map(Json::Object)
            }
            _ => self.number(),
        }
    }

    fn members<T>(
        &mut self,
        end: char,
        mut member: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut found = Vec::new();
        self.position += 1;
        self.skip_blanks();
        let end = end.to_string();
        while self.take(&end).is_none() {
            if !found.is_empty() {
                self.take(",")?;
            }
            found.push(member(self)?);
            self.skip_blanks();
        }
        Some(found)
    }

    fn number(&mut self) -> Option<Json> {
        let rest = &self.bytes[self.position..];
        let is_part = |byte: &&u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
        let length = rest.iter().take_while(is_part).count();
        let text = std::str::from_utf8(&rest[..length]).ok()?;
        // Rust reads more than JSON allows: `+1`, `.5`, `1.`.
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) || digits.ends_with('.') {
            return None;
        }
        self.position += length;
        match text.parse::<i64>() {
            Ok(number) => Some(Json::Int(number)),
            Err(_) => text.parse().ok().map(Json::Float),
        }
    }

    fn text(&mut self) -> Option<String> {
        self.take("\"")?;
        let mut out = Vec::new();
        loop {
            let byte = *self.bytes.get(self.position)?;
            self.position += 1;
            match byte {
                b'"' => return String::from_utf8(out).ok(),
                b'\\' => {
                    let letter = self.escape()?;
                    out.extend(letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                byte if byte < b' ' => return None,
                byte => out.push(byte),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let byte = *self.bytes.get(self.position)?;
        self.position += 1;
        Some(match byte {
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => char::from(byte),
            b'u' => {
                let first = self.utf16_unit()?;
                let is_pair = (0xd800..0xdc00).contains(&first) && self.take("\\u").is_some();
                if !is_pair {
                    // Half of a pair alone is no character.
                    return Some(char::from_u32(first).unwrap_or('\u{fffd}'));
                }
                let second = self.utf16_unit()?.checked_sub(0xdc00).filter(|low| *low < 0x400);
                let letter = second.map(|low| 0x10000 + ((first - 0xd800) << 10) + low);
                letter.and_then(char::from_u32).unwrap_or('\u{fffd}')
            }
            _ => return None,
        })
    }

    fn utf16_unit(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.position..self.position + 4)?;
        self.position += 4;
        let plain = digits.iter().all(u8::is_ascii_hexdigit);
        u32::from_str_radix(std::str::from_utf8(digits).ok().filter(|_| plain)?, 16).ok()
    }
}
