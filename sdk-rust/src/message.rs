//! Messages as plain structs, made by macros from the contract. Fields that a
//! message does not know are skipped, so that a vendored copy goes on working
//! with a newer daemon.

use super::json::Json;
use super::value::Value;
use super::wire::{Malformed, entries};

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

/// Takes the fields that stand in `bytes` into a message.
pub fn merge(
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

/// Takes the members of an object into the message `of`.
pub fn fill(
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
