//! What a function in a page is called with.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// One argument.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptArgument {
    /// A plain value.
    Value(Value),
    /// A remote object of the same world.
    Object(String),
}

impl<T: Into<Value>> From<T> for ScriptArgument {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

impl Serialize for ScriptArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        match self {
            Self::Value(value) => map.serialize_entry("value", value)?,
            Self::Object(id) => map.serialize_entry("objectId", id)?,
        }
        map.end()
    }
}
