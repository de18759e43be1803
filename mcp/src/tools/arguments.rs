//! The arguments of a tool call, as a client sent them.

use std::time::Duration;

use browse_cli::Failure;
use browse_proto::{Command, Reason};
use serde_json::{Map, Value};

/// The longest timeout of `wait` and `run`.
const MAX_TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The arguments of a call.
pub struct ToolArguments(Map<String, Value>);

impl ToolArguments {
    /// Those that a client sent.
    ///
    /// # Errors
    /// They are not an object.
    pub fn new(arguments: Value) -> Result<Self, Failure> {
        match arguments {
            Value::Object(fields) => {
                Ok(Self(fields.into_iter().filter(|(_, value)| !value.is_null()).collect()))
            }
            _ => Err(invalid("the arguments are an object".to_owned())),
        }
    }

    pub(super) fn check_names(&self, schema: &Map<String, Value>) -> Result<(), Failure> {
        let known = schema.get("properties").and_then(Value::as_object);
        let is_known = |name: &String| known.is_some_and(|known| known.contains_key(name));
        match self.0.keys().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => {
                let names: Vec<_> =
                    known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
                let message =
                    format!("`{name}` is not an argument; there are {}", names.join(", "));
                Err(invalid(message))
            }
        }
    }

    /// The value of an argument.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    pub(super) fn required(&self, name: &str) -> Result<&Value, Failure> {
        self.0.get(name).ok_or_else(|| invalid(format!("`{name}` is missing")))
    }

    /// The text of an argument.
    ///
    /// # Errors
    /// It is not text.
    pub fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(invalid(format!("`{name}` is text"))),
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Failure> {
        match self.0.get(name) {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(*value),
            Some(_) => Err(invalid(format!("`{name}` is true or false"))),
        }
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, Failure> {
        match self.0.get(name) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(invalid(format!("`{name}` is a number"))),
            },
        }
    }

    pub(super) fn timeout(&self) -> Result<Option<Duration>, Failure> {
        let timeout = self.number("timeout_ms")?.map(Duration::from_millis);
        Ok(timeout.map(|timeout| timeout.min(MAX_TIMEOUT)))
    }

    /// The arguments that are fields of the request of `command`.
    pub(super) fn fields(&self, command: &Command, names: &[&str]) -> Map<String, Value> {
        let has = |name: &str| command.request.fields.iter().any(|field| field.name == name);
        let given = names.iter().filter(|name| has(name));
        given.filter_map(|name| Some(((*name).to_owned(), self.0.get(*name)?.clone()))).collect()
    }
}

/// The failure for an argument that is not valid.
pub(super) fn invalid(message: String) -> Failure {
    Failure::new(Reason::ArgumentInvalid, message).with_hint("Read the schema of the tool")
}
