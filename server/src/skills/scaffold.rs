//! Small skills to start from, one in each language: they run, and have tests
//! that pass.

use std::ffi::OsStr;
use std::io;

use browse_proto::v1::ScaffoldLanguage;

use super::{
    runtime::{self, Runtime},
    sdk,
    store::OpenFolder,
};
use crate::address;

const FIXTURE: &str = include_str!("scaffold/fixtures/page.html");

/// The runtime that a language asks for; none for an empty draft.
pub fn runtime(language: ScaffoldLanguage) -> Option<&'static dyn Runtime> {
    runtime::ALL.into_iter().find(|runtime| runtime.scaffold_language() == language)
}

/// Writes the skill `name` for `host` into an empty folder.
///
/// # Errors
/// The folder cannot be written.
pub fn write(folder: &OpenFolder, runtime: &dyn Runtime, name: &str, host: &str) -> io::Result<()> {
    let visit = host.trim_start_matches("*.");
    let page = format!("{}://{visit}/", address::default_scheme(visit));
    let date = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let fixture = format!("{}-{}.html", visit.replace(':', "-"), &date[..10]);
    let filled = |text: &str| {
        let text = text.replace("{name}", name).replace("{host}", host);
        text.replace("{visit}", visit).replace("{page}", &page).replace("{fixture}", &fixture)
    };
    let scaffold = runtime.scaffold();
    folder.write(OsStr::new("SKILL.md"), filled(scaffold.manifest).as_bytes(), false)?;
    for (path, text, executable) in scaffold.files {
        let inner;
        let (folder, file) = match path.split_once('/') {
            Some((parent, file)) => {
                let parent = OsStr::new(parent);
                let made = folder.has(parent);
                inner = if made {
                    folder.child(parent)?
                } else {
                    folder.create_child(parent, 0o755)?
                };
                (&inner, file)
            }
            None => (folder, *path),
        };
        folder.write(OsStr::new(file), filled(text).as_bytes(), *executable)?;
        folder.sync()?;
    }
    if !scaffold.has_fixture {
        return folder.sync();
    }
    let fixtures = folder.create_child(OsStr::new("fixtures"), 0o755)?;
    fixtures.write(OsStr::new(&fixture), FIXTURE.as_bytes(), false)?;
    fixtures.sync()?;
    sdk::install(folder, runtime.sdk())?;
    folder.sync()
}
