//! The environment of the caller, for programs that the daemon starts on its
//! behalf.

use std::env;

use serde_json::{Map, Value, json};

/// Variables that speak for this call or this daemon, and for no program.
const CALL_VARIABLES: &[&str] =
    &["BROWSE_TOKEN", "BROWSE_ADDR", "BROWSE_SKILL_TOKEN", "BROWSE_STATE_FILE", "BROWSE_MCP_TOKEN"];

/// Every variable but our own; those that are not UTF-8 are left out.
pub fn environment() -> Value {
    let text = env::vars_os().filter_map(|(name, value)| {
        Some((name.into_string().ok()?, json!(value.into_string().ok()?)))
    });
    let others = text.filter(|(name, _)| !CALL_VARIABLES.contains(&name.as_str()));
    Value::Object(others.collect::<Map<_, _>>())
}
