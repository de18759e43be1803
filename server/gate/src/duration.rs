//! Times in the settings.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de::Error as _};

/// A time such as `30s`.
pub fn from_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    humantime::parse_duration(&text)
        .map_err(|error| D::Error::custom(format!("`{text}` is not a time such as `30s`: {error}")))
}
