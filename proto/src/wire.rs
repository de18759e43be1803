//! A protobuf codec that works from the static tables: JSON in, JSON out.
//!
//! It is what the CLI speaks with: it knows every message without linking the
//! generated types. Names are those of the proto files, enums are the words of
//! the CLI, bytes are base64, absent optional fields are left out.
//! Encoding: <https://protobuf.dev/programming-guides/encoding/>.

pub mod base64;
mod decode;
mod encode;
mod error_info;
mod json;
mod read;

pub use decode::{bytes_field, decode, number_field, set_fields, text_field};
pub use encode::encode;
pub use error_info::{ErrorInfo, error_info, error_page};
pub use json::{holds_page_content, write_members};

/// Why a value does not fit a message, or bytes are not a message.
#[derive(Debug, PartialEq, Eq)]
pub enum WireError {
    /// The message has no such field.
    UnknownField(String),
    /// The value of this field is of another type; the second part says which
    /// is wanted.
    WrongType(String, String),
    /// The bytes end early or hold an impossible tag.
    Malformed,
}

impl std::fmt::Display for WireError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownField(name) => write!(f, "unknown field `{name}`"),
            Self::WrongType(name, wanted) => write!(f, "`{name}` wants {wanted}"),
            Self::Malformed => f.write_str("the bytes are no such message"),
        }
    }
}

impl std::error::Error for WireError {}

const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH_DELIMITED: u32 = 2;
const FIXED32: u32 = 5;

const TYPE_PREFIX: &str = "type.googleapis.com/";
