//! The screen that the caller sits at.

use std::env;

use serde_json::{Map, Value};

/// Fields, and the variables that they are filled from.
const VARIABLES: [(&str, &str); 4] = [
    ("display", "DISPLAY"),
    ("wayland_display", "WAYLAND_DISPLAY"),
    ("xauthority", "XAUTHORITY"),
    ("xdg_runtime_dir", "XDG_RUNTIME_DIR"),
];

/// What the environment says of the screen, and nothing else of it.
pub fn screen() -> Value {
    let filled = |(field, variable): &(&str, &str)| {
        let value = env::var(variable).ok().filter(|value| !value.is_empty())?;
        Some(((*field).to_owned(), Value::String(value)))
    };
    Value::Object(VARIABLES.iter().filter_map(filled).collect::<Map<_, _>>())
}
