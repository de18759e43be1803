//! Which browsers their people have let browse use.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use serde::{Deserialize, Serialize};

use crate::project::{unwritable, write_private};
use browse_base::Result;

/// The consents of a user, for all of their projects.
pub(super) struct ConsentStore {
    file: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct ConsentFile {
    browsers: Vec<Consent>,
}

#[derive(Serialize, Deserialize)]
struct Consent {
    /// Scheme, host and port, or the channel: nothing secret.
    browser: String,
    /// When it was given, as RFC 3339.
    given: String,
}

impl ConsentStore {
    /// Those that lie in `home`.
    pub(super) fn new(home: &Path) -> Self {
        Self { file: home.join("cdp-consents.json") }
    }

    /// Whether the person of this browser agreed. A file that cannot be read says no.
    pub(super) fn has(&self, browser: &str) -> bool {
        self.read().browsers.iter().any(|consent| consent.browser == browser)
    }

    /// Records that the person of this browser agrees.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub(super) fn add(&self, browser: &str) -> Result<()> {
        if self.has(browser) {
            return Ok(());
        }
        let unwritable = |error| unwritable(&self.file, &error);
        // Two daemons may record at once.
        let _lock = self.lock().map_err(unwritable)?;
        let text = self.text_with(browser).map_err(|error| unwritable(error.into()))?;
        write_private(&self.file, &text)
    }

    /// Locks the home.
    fn lock(&self) -> io::Result<File> {
        let home = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(home)?;
        let lock = File::open(home)?;
        lock.lock()?;
        Ok(lock)
    }

    /// The record with one more consent.
    fn text_with(&self, browser: &str) -> serde_json::Result<String> {
        let mut record = self.read();
        record.browsers.push(Consent {
            browser: browser.to_owned(),
            given: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        });
        serde_json::to_string_pretty(&record)
    }

    fn read(&self) -> ConsentFile {
        let text = fs::read(&self.file).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_consent_is_for_one_browser_and_stays() {
        let home = tempfile::tempdir().unwrap();
        let store = ConsentStore::new(home.path());
        assert!(!store.has("channel:chrome"));
        store.add("channel:chrome").unwrap();
        store.add("channel:chrome").unwrap();
        store.add("ws://127.0.0.1:9222").unwrap();
        let again = ConsentStore::new(home.path());
        assert!(again.has("channel:chrome") && again.has("ws://127.0.0.1:9222"));
        assert!(!again.has("channel:chrome-beta") && !again.has("ws://127.0.0.1:922"));
        assert_eq!(again.read().browsers.len(), 2);
        let mode = fs::metadata(home.path().join("cdp-consents.json")).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
        fs::write(home.path().join("cdp-consents.json"), "{garbage").unwrap();
        assert!(!again.has("channel:chrome"), "what cannot be read says no");
    }
}
