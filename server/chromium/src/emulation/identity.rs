//! What the same Chromium says of itself when it has a window.
//!
//! Only the word `Headless` goes, with what it changes: the version in the user
//! agent is shortened, the list of brands has one less, and the languages that the
//! headless shell leaves out are sent. Nothing else of the browser is changed.

use serde_json::{Map, Value, json};

use super::brands::{Brand, VersionForm, brand_list};

/// As `navigator.languages` holds them.
const ENGLISH: &str = "en-US,en";

/// As a request carries them.
const ENGLISH_HEADER: &str = "en-US,en;q=0.9";

/// The part of the user agent that names the system. It is the same on every
/// machine with that system, whatever its processor and version.
const SYSTEM: &str = if cfg!(target_os = "macos") {
    "Macintosh; Intel Mac OS X 10_15_7"
} else {
    "X11; Linux x86_64"
};

/// Who says which languages the user reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Languages {
    /// The browser does.
    Own,
    /// English, which a browser with a window says that nobody set up.
    English,
}

/// A user agent with its client hints.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Identity {
    pub user_agent: String,
    pub metadata: Value,
    languages: Languages,
}

impl Identity {
    /// That of a version such as `156.0.8078.108`.
    pub(crate) fn new(full_version: &str, brand: Brand, languages: Languages) -> Self {
        let major = full_version.split('.').next().unwrap_or_default();
        let (platform, architecture) = (
            if cfg!(target_os = "macos") { "macOS" } else { "Linux" },
            if cfg!(target_arch = "aarch64") { "arm" } else { "x86" },
        );
        Self {
            user_agent: format!(
                "Mozilla/5.0 ({SYSTEM}) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/{major}.0.0.0 Safari/537.36"
            ),
            metadata: json!({
                "brands": brand_list(full_version, brand, VersionForm::Major),
                "fullVersionList": brand_list(full_version, brand, VersionForm::Full),
                "fullVersion": full_version,
                "platform": platform,
                "platformVersion": "",
                "architecture": architecture,
                "model": "",
                "mobile": false,
                "bitness": "64",
                "wow64": false,
                "formFactors": ["Desktop"],
            }),
            languages,
        }
    }

    /// What the override of a session says of languages.
    pub(crate) fn accept_language(&self) -> Option<&'static str> {
        (self.languages == Languages::English).then_some(ENGLISH)
    }

    /// `headers` with its brands in place of those of the headless browser, as a list of names
    /// and values; none when they name no headless browser.
    pub(crate) fn replace_brands(&self, headers: &Map<String, Value>) -> Option<Value> {
        let is_headless =
            |value: &Value| value.as_str().is_some_and(|text| text.contains("HeadlessChrome"));
        if !headers.values().any(is_headless) {
            return None;
        }
        let list = |name: &str| {
            let brands = self.metadata[name].as_array().into_iter().flatten();
            let entry = |entry: &Value| {
                let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
                format!("\"{}\";v=\"{}\"", text("brand"), text("version"))
            };
            brands.map(entry).collect::<Vec<_>>().join(", ")
        };
        let text = |name: &str| format!("\"{}\"", self.metadata[name].as_str().unwrap_or_default());
        let replaced = headers.iter().map(|(name, value)| {
            let value = match name.to_ascii_lowercase().as_str() {
                "sec-ch-ua" if is_headless(value) => list("brands").into(),
                "sec-ch-ua-full-version-list" if is_headless(value) => {
                    list("fullVersionList").into()
                }
                "user-agent" if is_headless(value) => self.user_agent.clone().into(),
                "sec-ch-ua-arch" => text("architecture").into(),
                "sec-ch-ua-bitness" => text("bitness").into(),
                "sec-ch-ua-full-version" => text("fullVersion").into(),
                _ => value.clone(),
            };
            json!({ "name": name, "value": value })
        });
        Some(replaced.collect())
    }

    /// What the command line of the browser says of it.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut line = vec![format!("--user-agent={}", self.user_agent)];
        if self.languages == Languages::English {
            line.push(format!("--accept-lang={ENGLISH_HEADER}"));
        }
        line
    }
}
