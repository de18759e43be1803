//! Small skills to start from, one in each language: they run, and have tests
//! that pass.

use std::ffi::OsStr;
use std::io;

use browse_proto::v1::ScaffoldLanguage;

use super::{runtime::RuntimeKind, sdk, store::OpenFolder};
use crate::browser::address;

/// A file of a scaffold: its path, its text, and whether it is executable.
type ScaffoldFile = (&'static str, &'static str, bool);

const MANIFEST: &str = include_str!("scaffold/SKILL.md");
const EXECUTABLE_MANIFEST: &str = include_str!("scaffold/run/SKILL.md");
const FIXTURE: &str = include_str!("scaffold/fixtures/page.html");

const TYPESCRIPT: &[ScaffoldFile] = &[
    ("script.ts", include_str!("scaffold/ts/script.ts"), false),
    ("parser.ts", include_str!("scaffold/ts/parser.ts"), false),
    ("script.test.ts", include_str!("scaffold/ts/script.test.ts"), false),
];

const PYTHON: &[ScaffoldFile] = &[
    ("script.py", include_str!("scaffold/py/script.py"), false),
    ("parser.py", include_str!("scaffold/py/parser.py"), false),
    ("test_script.py", include_str!("scaffold/py/test_script.py"), false),
];

const RUST: &[ScaffoldFile] = &[
    ("Cargo.toml", include_str!("scaffold/rust/Cargo.toml"), false),
    ("Cargo.lock", include_str!("scaffold/rust/Cargo.lock"), false),
    ("src/main.rs", include_str!("scaffold/rust/src/main.rs"), false),
    ("src/parser.rs", include_str!("scaffold/rust/src/parser.rs"), false),
];

const EXECUTABLE: &[ScaffoldFile] = &[
    ("run", include_str!("scaffold/run/run"), true),
    ("tests/run", include_str!("scaffold/run/test"), true),
];

/// The kind of program that a language asks for; none for an empty draft.
pub fn runtime_kind(language: ScaffoldLanguage) -> Option<RuntimeKind> {
    match language {
        ScaffoldLanguage::Ts => Some(RuntimeKind::TypeScript),
        ScaffoldLanguage::Py => Some(RuntimeKind::Python),
        ScaffoldLanguage::Rust => Some(RuntimeKind::Rust),
        ScaffoldLanguage::Run => Some(RuntimeKind::Executable),
        ScaffoldLanguage::Unspecified => None,
    }
}

/// Writes the skill `name` for `host` into an empty folder.
///
/// # Errors
/// The folder cannot be written.
pub fn write(folder: &OpenFolder, kind: RuntimeKind, name: &str, host: &str) -> io::Result<()> {
    let visit = host.trim_start_matches("*.");
    let page = format!("{}://{visit}/", address::default_scheme(visit));
    let date = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let fixture = format!("{}-{}.html", visit.replace(':', "-"), &date[..10]);
    let filled = |text: &str| {
        let text = text.replace("{name}", name).replace("{host}", host);
        text.replace("{visit}", visit).replace("{page}", &page).replace("{fixture}", &fixture)
    };
    let manifest = if kind == RuntimeKind::Executable { EXECUTABLE_MANIFEST } else { MANIFEST };
    folder.write(OsStr::new("SKILL.md"), filled(manifest).as_bytes(), false)?;
    let files = match kind {
        RuntimeKind::TypeScript => TYPESCRIPT,
        RuntimeKind::Python => PYTHON,
        RuntimeKind::Rust => RUST,
        RuntimeKind::Executable => EXECUTABLE,
    };
    for (path, text, executable) in files {
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
    if kind == RuntimeKind::Executable {
        return folder.sync();
    }
    let fixtures = folder.create_child(OsStr::new("fixtures"), 0o755)?;
    fixtures.write(OsStr::new(&fixture), FIXTURE.as_bytes(), false)?;
    fixtures.sync()?;
    sdk::install(folder, kind)?;
    folder.sync()
}
