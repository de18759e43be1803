//! Finds runtimes on the PATH of the daemon.
//!
//! What is found may be a script of a version manager, which takes 70 ms and
//! wants HOME and a shell. So it is asked once which program it leads to, and
//! that one is started from then on.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::Mutex;

/// How long a version manager may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The runtimes that were found.
#[derive(Default)]
pub struct Programs {
    resolved: Mutex<HashMap<PathBuf, PathBuf>>,
}

impl Programs {
    /// The program `name`; `question` makes it print its own path.
    pub async fn find(&self, name: &str, question: &[&str]) -> Option<PathBuf> {
        let found = on_path(name, std::env::var_os("PATH")?)?;
        if !is_script(&found) {
            return Some(found);
        }
        let mut resolved = self.resolved.lock().await;
        if let Some(program) = resolved.get(&found).filter(|program| program.is_file()) {
            return Some(program.clone());
        }
        let program = ask(&found, question).await.unwrap_or_else(|| found.clone());
        resolved.insert(found, program.clone());
        Some(program)
    }
}

/// The first executable file `name` in the folders of `path`.
pub fn on_path(name: &str, path: OsString) -> Option<PathBuf> {
    let candidates = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    candidates.map(|folder| folder.join(name)).find(|file| is_executable(file))
}

pub fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn is_script(file: &Path) -> bool {
    let mut head = [0; 2];
    let read = std::fs::File::open(file).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == *b"#!"
}

async fn ask(program: &Path, question: &[&str]) -> Option<PathBuf> {
    let mut command = Command::new(program);
    command.args(question).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(PATIENCE, command.output()).await.ok()?.ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    is_executable(&path).then_some(path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::{ask, is_script, on_path};

    #[tokio::test]
    async fn a_script_is_asked_where_it_leads() {
        let folder = tempfile::tempdir().expect("a folder");
        let shim = folder.path().join("python9");
        fs::write(&shim, "#!/bin/sh\necho /bin/sh\n").expect("written");
        assert_eq!(on_path("python9", folder.path().into()), None);
        fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).expect("set");
        assert_eq!(on_path("python9", folder.path().into()), Some(shim.clone()));
        assert!(is_script(&shim));
        assert_eq!(ask(&shim, &[]).await, Some("/bin/sh".into()));
    }
}
