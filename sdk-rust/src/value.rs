//! Fields of messages: how each type is written and read, on the wire and as
//! JSON.

use std::collections::BTreeMap;

use super::json::Json;
use super::message::{Any, Message, encode, fill, merge};
use super::wire::{Malformed, Raw, entries, put_bytes, put_double, put_number, varint};

/// What comes before the name of a message in `google.protobuf.Any`.
const ANY_PREFIX: &str = "type.googleapis.com/browse.v1.";

/// How a type stands on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As a varint; lists of it may be packed.
    Number,
    /// As eight bytes.
    Double,
    /// With its length.
    Bytes,
}

/// The type of a field.
pub trait Value {
    /// Appends the field, unless it has its zero value.
    fn put(&self, number: u32, out: &mut Vec<u8>);
    /// Takes in one value from the wire.
    fn take(&mut self, raw: Raw<'_>) -> Result<(), Malformed>;
    /// The value as JSON; `None` when it is absent.
    fn json(&self) -> Option<Json>;
    /// Takes in a JSON value; the error says what is wanted.
    fn set(&mut self, value: &Json) -> Result<(), String>;
    /// How it stands on the wire.
    fn kind(&self) -> Kind {
        Kind::Bytes
    }
}

/// A message in a message.
impl<M: Message> Value for M {
    fn put(&self, number: u32, out: &mut Vec<u8>) {
        put_bytes(number, &encode(self), out);
    }
    fn take(&mut self, raw: Raw<'_>) -> Result<(), Malformed> {
        merge(&mut self.fields_mut(), bytes(raw)?)
    }
    fn json(&self) -> Option<Json> {
        Some(self.to_json())
    }
    fn set(&mut self, value: &Json) -> Result<(), String> {
        fill(M::NAME, &mut self.fields_mut(), value)
    }
}

impl<M: Message> From<M> for Json {
    fn from(message: M) -> Self {
        message.to_json()
    }
}

fn number(raw: Raw<'_>) -> Result<u64, Malformed> {
    if let Raw::Number(number) = raw { Ok(number) } else { Err(Malformed) }
}

fn bytes(raw: Raw<'_>) -> Result<&[u8], Malformed> {
    if let Raw::Bytes(bytes) = raw { Ok(bytes) } else { Err(Malformed) }
}

fn wanted<T>(value: Option<T>, what: &str) -> Result<T, String> {
    value.ok_or_else(|| what.to_owned())
}

macro_rules! values {
    ($($type:ty, $kind:ident, $what:literal, $zero:expr, |$v:ident, $n:ident, $out:ident| $put:expr, |$raw:ident| $take:expr, |$json:ident| $of:expr;)*) => { $(
        impl Value for $type {
            fn put(&self, $n: u32, $out: &mut Vec<u8>) {
                let $v = self;
                if *$v != $zero {
                    $put
                }
            }
            fn take(&mut self, $raw: Raw<'_>) -> Result<(), Malformed> {
                *self = $take;
                Ok(())
            }
            fn json(&self) -> Option<Json> {
                Some(self.clone().into())
            }
            fn set(&mut self, $json: &Json) -> Result<(), String> {
                *self = wanted($of, $what)?;
                Ok(())
            }
            fn kind(&self) -> Kind {
                Kind::$kind
            }
        }
    )* };
}

values! {
    bool, Number, "true or false", false, |v, n, out| put_number(n, u64::from(*v), out), |raw| number(raw)? != 0, |json| json.as_bool();
    u32, Number, "a whole number", 0, |v, n, out| put_number(n, u64::from(*v), out), |raw| number(raw)? as u32, |json| json.as_i64().and_then(|v| v.try_into().ok());
    u64, Number, "a whole number", 0, |v, n, out| put_number(n, *v, out), |raw| number(raw)?, |json| json.as_i64().and_then(|v| v.try_into().ok());
    i32, Number, "a whole number", 0, |v, n, out| put_number(n, i64::from(*v) as u64, out), |raw| number(raw)? as i32, |json| json.as_i64().and_then(|v| v.try_into().ok());
    f64, Double, "a number", 0.0, |v, n, out| put_double(n, *v, out), |raw| f64::from_le_bytes(bytes(raw)?.try_into().map_err(|_| Malformed)?), |json| json.as_f64();
    String, Bytes, "text", "", |v, n, out| put_bytes(n, v.as_bytes(), out), |raw| String::from_utf8_lossy(bytes(raw)?).into_owned(), |json| json.as_str().map(str::to_owned);
    Json, Bytes, "a value", Json::Null, |v, n, out| put_bytes(n, v.to_string().as_bytes(), out), |raw| Json::parse(&String::from_utf8_lossy(bytes(raw)?)).unwrap_or_default(), |json| Some(json.clone());
}

/// Bytes; a list of small numbers in JSON.
impl Value for Vec<u8> {
    fn put(&self, number: u32, out: &mut Vec<u8>) {
        if !self.is_empty() {
            put_bytes(number, self, out);
        }
    }
    fn take(&mut self, raw: Raw<'_>) -> Result<(), Malformed> {
        *self = bytes(raw)?.to_vec();
        Ok(())
    }
    fn json(&self) -> Option<Json> {
        Some(Json::list(self.iter().map(|byte| u32::from(*byte))))
    }
    fn set(&mut self, value: &Json) -> Result<(), String> {
        let byte = |item: &Json| u8::try_from(item.as_i64()?).ok();
        *self = wanted(value.items().iter().map(byte).collect(), "a list of bytes")?;
        Ok(())
    }
}

/// Appends a value of a list or of an optional field: zero, too.
fn put_always(value: &dyn Value, number: u32, out: &mut Vec<u8>) {
    let before = out.len();
    value.put(number, out);
    if out.len() == before {
        match value.kind() {
            Kind::Number => put_number(number, 0, out),
            Kind::Double => put_double(number, 0.0, out),
            Kind::Bytes => put_bytes(number, &[], out),
        }
    }
}

impl<T: Value + Default> Value for Option<T> {
    fn put(&self, number: u32, out: &mut Vec<u8>) {
        if let Some(value) = self {
            put_always(value, number, out);
        }
    }
    fn take(&mut self, raw: Raw<'_>) -> Result<(), Malformed> {
        self.get_or_insert_with(T::default).take(raw)
    }
    fn json(&self) -> Option<Json> {
        self.as_ref().and_then(Value::json)
    }
    fn set(&mut self, value: &Json) -> Result<(), String> {
        *self = None;
        if *value == Json::Null { Ok(()) } else { self.get_or_insert_with(T::default).set(value) }
    }
}

impl<T: Value + Default> Value for Vec<T> {
    fn put(&self, number: u32, out: &mut Vec<u8>) {
        self.iter().for_each(|item| put_always(item, number, out));
    }
    fn take(&mut self, raw: Raw<'_>) -> Result<(), Malformed> {
        let mut item = T::default();
        match raw {
            Raw::Bytes(mut packed) if item.kind() == Kind::Number => {
                while !packed.is_empty() {
                    let mut item = T::default();
                    item.take(Raw::Number(varint(&mut packed).ok_or(Malformed)?))?;
                    self.push(item);
                }
            }
            raw => {
                item.take(raw)?;
                self.push(item);
            }
        }
        Ok(())
    }
    fn json(&self) -> Option<Json> {
        Some(Json::List(self.iter().filter_map(Value::json).collect()))
    }
    fn set(&mut self, value: &Json) -> Result<(), String> {
        let Json::List(items) = value else {
            return Err("a list".to_owned());
        };
        self.clear();
        for value in items {
            let mut item = T::default();
            item.set(value)?;
            self.push(item);
        }
        Ok(())
    }
}

impl Value for BTreeMap<String, String> {
    fn put(&self, number: u32, out: &mut Vec<u8>) {
        for (key, value) in self {
            put_bytes(number, &pair(key.as_bytes(), value.as_bytes()), out);
        }
    }
    fn take(&mut self, raw: Raw<'_>) -> Result<(), Malformed> {
        let (key, value) = read_pair(bytes(raw)?)?;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        self.insert(text(key), text(value));
        Ok(())
    }
    fn json(&self) -> Option<Json> {
        Some(Json::object(self.iter().map(|(key, value)| (key.clone(), Json::from(value)))))
    }
    fn set(&mut self, value: &Json) -> Result<(), String> {
        let Json::Object(members) = value else {
            return Err("an object".to_owned());
        };
        for (key, value) in members {
            self.insert(key.clone(), wanted(value.as_str(), "texts")?.to_owned());
        }
        Ok(())
    }
}

impl Value for Any {
    fn put(&self, number: u32, out: &mut Vec<u8>) {
        let name = format!("{ANY_PREFIX}{}", self.name);
        put_bytes(number, &pair(name.as_bytes(), &self.bytes), out);
    }
    fn take(&mut self, raw: Raw<'_>) -> Result<(), Malformed> {
        let (name, body) = read_pair(bytes(raw)?)?;
        let name = String::from_utf8_lossy(name);
        self.name = name.strip_prefix(ANY_PREFIX).unwrap_or(&name).to_owned();
        self.bytes = body.to_vec();
        Ok(())
    }
    fn json(&self) -> Option<Json> {
        let mut members = vec![("@type".to_owned(), Json::from(&self.name))];
        if let Some(Json::Object(fields)) = super::commands::any_to_json(self) {
            members.extend(fields);
        }
        Some(Json::Object(members))
    }
    fn set(&mut self, value: &Json) -> Result<(), String> {
        let name = wanted(value["@type"].as_str(), "an object with `@type`")?;
        *self = super::commands::any_from_json(name, value)?;
        Ok(())
    }
}

/// A message of two fields of bytes: an entry of a map, or an Any.
fn pair(first: &[u8], second: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_bytes(1, first, &mut out);
    put_bytes(2, second, &mut out);
    out
}

fn read_pair(message: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    let (mut first, mut second): (&[u8], &[u8]) = (&[], &[]);
    for entry in entries(message) {
        match entry? {
            (1, raw) => first = bytes(raw)?,
            (2, raw) => second = bytes(raw)?,
            _ => {}
        }
    }
    Ok((first, second))
}
