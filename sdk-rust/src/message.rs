//! Messages as plain structs: how their fields are written and read. Fields that
//! a message does not know are skipped, so that a vendored copy goes on working
//! with a newer daemon.

use std::collections::BTreeMap;

use super::json::Json;
use super::wire::{Malformed, Raw, entries, put_bytes, put_double, put_number, varint};

/// What comes before the name of a message in `google.protobuf.Any`.
const ANY_PREFIX: &str = "type.googleapis.com/browse.v1.";

/// A message of the contract.
pub trait Message: Default {
    /// Its name, without the package.
    const NAME: &'static str;
    /// Its fields: number, name and value.
    fn fields(&self) -> Vec<(u32, &'static str, &dyn Value)>;
    /// Its fields, to be filled.
    fn fields_mut(&mut self) -> Vec<(u32, &'static str, &mut dyn Value)>;
    /// Its fields as an object; absent ones are left out.
    fn to_json(&self) -> Json {
        object(&self.fields())
    }
}

/// A request, and what its call answers with.
pub trait Request: Message {
    /// What its call answers with, or one message of its stream.
    type Response: Message;
    /// Its RPC.
    const METHOD: &'static str;
    /// Time that a call gets when the caller names none, in milliseconds.
    const TIMEOUT_MS: u64;
}

/// The bytes of a message.
pub fn encode<M: Message>(message: &M) -> Vec<u8> {
    let mut out = Vec::new();
    message.fields().iter().for_each(|(number, _, value)| value.put(*number, &mut out));
    out
}

/// Reads a message.
pub fn decode<M: Message>(bytes: &[u8]) -> Result<M, Malformed> {
    let mut message = M::default();
    merge(&mut message.fields_mut(), bytes)?;
    Ok(message)
}

fn merge(
    fields: &mut [(u32, &'static str, &mut dyn Value)],
    bytes: &[u8],
) -> Result<(), Malformed> {
    for entry in entries(bytes) {
        let (number, raw) = entry?;
        if let Some((_, _, value)) = fields.iter_mut().find(|(known, ..)| *known == number) {
            value.take(raw)?;
        }
    }
    Ok(())
}

/// Reads a message from an object; the error says what does not fit.
pub fn from_json<M: Message>(value: &Json) -> Result<M, String> {
    let mut message = M::default();
    fill(M::NAME, &mut message.fields_mut(), value)?;
    Ok(message)
}

fn fill(
    of: &str,
    fields: &mut [(u32, &'static str, &mut dyn Value)],
    value: &Json,
) -> Result<(), String> {
    let Json::Object(members) = value else {
        return Err(format!("`{of}` wants an object"));
    };
    for (name, value) in members.iter().filter(|(name, _)| name != "@type") {
        let is_meant = |known: &str| known.strip_prefix("r#").unwrap_or(known) == name;
        let found = fields.iter_mut().find(|(_, known, _)| is_meant(known));
        let (_, _, field) = found.ok_or_else(|| format!("`{of}` has no field `{name}`"))?;
        field.set(value).map_err(|what| format!("`{name}` wants {what}"))?;
    }
    Ok(())
}

fn object(fields: &[(u32, &'static str, &dyn Value)]) -> Json {
    let plain = |name: &'static str| name.strip_prefix("r#").unwrap_or(name);
    Json::object(fields.iter().filter_map(|(_, name, value)| Some((plain(name), value.json()?))))
}

/// A message of any kind, packed with its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Any {
    /// Name of the message, without the package.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Any {
    /// Packs a message, such as the request of a step.
    pub fn of<M: Message>(message: &M) -> Self {
        Self { name: M::NAME.to_owned(), bytes: encode(message) }
    }

    /// The message, when it is of this kind.
    pub fn to<M: Message>(&self) -> Option<M> {
        if self.name == M::NAME { decode(&self.bytes).ok() } else { None }
    }
}

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

/// Makes structs into messages.
macro_rules! browse_messages {
    ($( $(#[$help:meta])* struct $name:ident { $( $(#[$about:meta])* $number:literal $field:ident: $type:ty, )* } )*) => { $(
        $(#[$help])*
        #[derive(Clone, Debug, Default)]
        pub struct $name { $( $(#[$about])* pub $field: $type, )* }

        impl Message for $name {
            const NAME: &'static str = stringify!($name);
            fn fields(&self) -> Vec<(u32, &'static str, &dyn Value)> {
                vec![$( ($number, stringify!($field), &self.$field), )*]
            }
            fn fields_mut(&mut self) -> Vec<(u32, &'static str, &mut dyn Value)> {
                vec![$( ($number, stringify!($field), &mut self.$field), )*]
            }
        }
    )* };
}

/// Makes enums of the contract; `Unspecified` leaves the choice to the daemon,
/// and stands for what a newer daemon says.
macro_rules! browse_enums {
    ($( enum $name:ident { $( $(#[$about:meta])* $number:literal $variant:ident $word:literal, )* } )*) => { $(
        #[doc = concat!("`", stringify!($name), "` of the contract.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name {
            /// Not said.
            #[default]
            Unspecified = 0,
            $( $(#[$about])* $variant = $number, )*
        }

        impl $name {
            /// The word for it; empty when it is not said.
            pub fn as_str(self) -> &'static str {
                match self {
                    Self::Unspecified => "",
                    $( Self::$variant => $word, )*
                }
            }
        }

        impl Value for $name {
            fn kind(&self) -> Kind {
                Kind::Number
            }
            fn put(&self, number: u32, out: &mut Vec<u8>) {
                if *self != Self::Unspecified {
                    put_number(number, *self as u64, out);
                }
            }
            fn take(&mut self, raw: Raw<'_>) -> Result<(), Malformed> {
                *self = match raw {
                    $( Raw::Number($number) => Self::$variant, )*
                    Raw::Number(_) => Self::Unspecified,
                    Raw::Bytes(_) => return Err(Malformed),
                };
                Ok(())
            }
            fn json(&self) -> Option<Json> {
                Some(self.as_str().into())
            }
            fn set(&mut self, value: &Json) -> Result<(), String> {
                *self = match value.as_str() {
                    Some("") => Self::Unspecified,
                    $( Some($word) => Self::$variant, )*
                    _ => return Err(["one of", $( $word ),*].join(" ")),
                };
                Ok(())
            }
        }
    )* };
}

/// Makes messages into requests, and finds them by name.
macro_rules! browse_requests {
    ($( $request:ident => $response:ident $method:literal $timeout:literal; )*) => {
        $( impl Request for $request {
            type Response = $response;
            const METHOD: &'static str = $method;
            const TIMEOUT_MS: u64 = $timeout;
        } )*

        /// The fields of what is packed, when it is of a call.
        pub fn any_to_json(any: &Any) -> Option<Json> {
            match any.name.as_str() {
                $(
                    stringify!($request) => Some(any.to::<$request>()?.to_json()),
                    name if name == stringify!($response) => Some(any.to::<$response>()?.to_json()),
                )*
                _ => None,
            }
        }

        /// Packs the request `name`.
        pub fn any_from_json(name: &str, value: &Json) -> Result<Any, String> {
            match name {
                $( stringify!($request) => Ok(Any::of(&from_json::<$request>(value)?)), )*
                _ => Err(format!("a request; `{name}` is none")),
            }
        }
    };
}
