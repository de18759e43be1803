//! Skills that tests write.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A skill in the making.
pub struct Draft {
    folder: PathBuf,
}

/// Writes a skill for `a.example` into `tier`; `more` are further lines of its
/// manifest.
pub fn skill(tier: &Path, name: &str, more: &str) -> Draft {
    skill_for(tier, name, "a.example", more)
}

/// Writes a skill for these hosts.
pub fn skill_for(tier: &Path, name: &str, host: &str, more: &str) -> Draft {
    skill_in(tier.join("skills").join(name), name, host, more)
}

/// Writes a skill into a folder.
pub fn skill_in(folder: PathBuf, name: &str, host: &str, more: &str) -> Draft {
    fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "---\nname: {name}\ndescription: Does it. Well.\nhost: {host}\n{more}\n---\n\nProse.\n"
    );
    fs::write(folder.join("SKILL.md"), text).unwrap();
    Draft { folder }
}

impl Draft {
    pub fn file(self, name: &str, text: &str) -> Self {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// A `run` of the shell.
    pub fn shell(self, script: &str) -> Self {
        self.executable(&format!("#!/bin/sh\n{script}\n"))
    }

    /// A `run` of any kind.
    pub fn executable(self, script: &str) -> Self {
        let draft = self.file("run", script);
        fs::set_permissions(draft.folder.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        draft
    }

    /// An executable test, which ends with this exit code.
    pub fn tested(self, code: u8) -> Self {
        let script = format!("#!/bin/sh\necho tested\nexit {code}\n");
        let draft = self.file("tests/run", &script);
        fs::set_permissions(draft.folder.join("tests/run"), fs::Permissions::from_mode(0o755))
            .unwrap();
        draft
    }

    /// A `script.ts` with the SDK beside it.
    pub fn typescript(self, script: &str) -> Self {
        let sdk = concat!(env!("CARGO_MANIFEST_DIR"), "/../sdk-ts/vendor/browse.ts");
        let sdk = fs::read_to_string(sdk).unwrap();
        self.file("script.ts", script).file("_lib/browse.ts", &sdk)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
