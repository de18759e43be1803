//! Messages as plain structs, made by macros from the contract. Fields that a
//! message does not know are skipped, so that a vendored copy goes on working
//! with a newer daemon.

use super::json::Json;

/// Which JSON is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonForm {
    /// What callers write and print.
    Plain,
    /// What travels: bytes are base64, a JSON value is text, and members of a newer
    /// daemon are skipped. <https://protobuf.dev/programming-guides/json/>
    Wire,
}

/// The type of a field.
pub trait Value {
    /// The value as JSON; `None` when it is absent.
    fn json(&self, form: JsonForm) -> Option<Json>;
    /// Takes in a JSON value; the error says what is wanted.
    fn set(&mut self, value: &Json, form: JsonForm) -> Result<(), String>;
}

/// A message of the contract.
pub trait Message: Default {
    /// Its name, without the package.
    const NAME: &'static str;
    /// Its fields: name and value.
    fn fields(&self) -> Vec<(&'static str, &dyn Value)>;
    /// Its fields, to be filled.
    fn fields_mut(&mut self) -> Vec<(&'static str, &mut dyn Value)>;
    /// Its fields as an object; absent ones are left out.
    fn to_json(&self) -> Json {
        to_json(self, JsonForm::Plain)
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
    /// Whether the answer is a stream.
    const STREAMS: bool;
}

/// A message as an object.
pub fn to_json<M: Message>(message: &M, form: JsonForm) -> Json {
    let plain = |name: &'static str| name.strip_prefix("r#").unwrap_or(name);
    let fields = message.fields().into_iter();
    Json::object(fields.filter_map(|(name, value)| Some((plain(name), value.json(form)?))))
}

/// Reads a message from an object; the error says what does not fit.
pub fn from_json<M: Message>(value: &Json, form: JsonForm) -> Result<M, String> {
    let mut message = M::default();
    fill(M::NAME, &mut message.fields_mut(), value, form)?;
    Ok(message)
}

/// Takes the members of an object into the message `of`.
pub fn fill(
    of: &str,
    fields: &mut [(&'static str, &mut dyn Value)],
    value: &Json,
    form: JsonForm,
) -> Result<(), String> {
    let Json::Object(members) = value else {
        return Err(format!("`{of}` wants an object"));
    };
    for (name, value) in members.iter().filter(|(name, _)| name != "@type") {
        let is_meant = |known: &str| known.strip_prefix("r#").unwrap_or(known) == name;
        match fields.iter_mut().find(|(known, _)| is_meant(known)) {
            Some((_, field)) => {
                field.set(value, form).map_err(|what| format!("`{name}` wants {what}"))?;
            }
            None if form == JsonForm::Wire => {}
            None => return Err(format!("`{of}` has no field `{name}`")),
        }
    }
    Ok(())
}

/// A message in a message.
impl<M: Message> Value for M {
    fn json(&self, form: JsonForm) -> Option<Json> {
        Some(to_json(self, form))
    }
    fn set(&mut self, value: &Json, form: JsonForm) -> Result<(), String> {
        fill(M::NAME, &mut self.fields_mut(), value, form)
    }
}

impl<M: Message> From<M> for Json {
    fn from(message: M) -> Self {
        message.to_json()
    }
}

/// Makes structs into messages.
macro_rules! browse_messages {
    ($( $(#[$help:meta])* struct $name:ident { $( $(#[$about:meta])* $field:ident: $type:ty, )* } )*) => { $(
        $(#[$help])*
        #[derive(Clone, Debug, Default)]
        pub struct $name { $( $(#[$about])* pub $field: $type, )* }

        impl Message for $name {
            const NAME: &'static str = stringify!($name);
            fn fields(&self) -> Vec<(&'static str, &dyn Value)> {
                vec![$( (stringify!($field), &self.$field), )*]
            }
            fn fields_mut(&mut self) -> Vec<(&'static str, &mut dyn Value)> {
                vec![$( (stringify!($field), &mut self.$field), )*]
            }
        }
    )* };
}

/// Makes enums of the contract; `Unspecified` leaves the choice to the daemon,
/// and stands for what a newer daemon says.
macro_rules! browse_enums {
    ($( enum $name:ident { $( $(#[$about:meta])* $variant:ident $word:literal, )* } )*) => { $(
        #[doc = concat!("`", stringify!($name), "` of the contract.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name {
            /// Not said.
            #[default]
            Unspecified,
            $( $(#[$about])* $variant, )*
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
            fn json(&self, form: JsonForm) -> Option<Json> {
                // It has no word of its own.
                let is_absent = form == JsonForm::Wire && *self == Self::Unspecified;
                (!is_absent).then(|| self.as_str().into())
            }
            fn set(&mut self, value: &Json, form: JsonForm) -> Result<(), String> {
                *self = match value.as_str() {
                    Some("") => Self::Unspecified,
                    $( Some($word) => Self::$variant, )*
                    _ if form == JsonForm::Wire => Self::Unspecified,
                    _ => return Err(["one of", $( $word ),*].join(" ")),
                };
                Ok(())
            }
        }
    )* };
}

/// Makes messages into requests, and finds them by name.
macro_rules! browse_requests {
    ($( $request:ident => $response:ident $method:literal $timeout:literal $streams:literal; )*) => {
        $( impl Request for $request {
            type Response = $response;
            const METHOD: &'static str = $method;
            const TIMEOUT_MS: u64 = $timeout;
            const STREAMS: bool = $streams;
        } )*

        impl Value for Any {
            fn json(&self, form: JsonForm) -> Option<Json> {
                Some(self.to_object(form, any_to_json))
            }
            fn set(&mut self, value: &Json, form: JsonForm) -> Result<(), String> {
                self.set_object(value, form, any_from_json)
            }
        }

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
                $( stringify!($request) => Ok(Any::of(&from_json::<$request>(value, JsonForm::Plain)?)), )*
                _ => Err(format!("a request; `{name}` is none")),
            }
        }
    };
}
