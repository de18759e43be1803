//! Where the program of a tunnel is, or why it is none.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use browse_proto::Reason;

use browse_base::{Error, HINT_KEY, Result, quote};

/// The file of a program: a path, or a name on the PATH of `environment`.
///
/// # Errors
/// `TUNNEL_PROGRAM_MISSING`.
pub fn find_program(program: &str, environment: &BTreeMap<String, String>) -> Result<PathBuf> {
    if program.contains('/') {
        let file = PathBuf::from(program);
        let quoted = shlex::try_quote(program).unwrap_or_default();
        return unusable_reason(&file).map_or(Ok(file), |(why, hint)| {
            Err(program_missing(program, why).with(HINT_KEY, hint.replace("{}", &quoted)))
        });
    }
    let path = environment.get("PATH").map_or("", String::as_str);
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(Path::new(program)))
        .find(|file| file.is_file() && is_executable(file))
        .ok_or_else(|| program_missing(program, "there is no such program on the PATH"))
}

/// Why a path is not a program, and what helps.
fn unusable_reason(file: &Path) -> Option<(&'static str, &'static str)> {
    const OTHER: &str = "Give the path of a program in `--tunnel-cmd`; `ls -ld {}` shows this one";
    if !file.is_absolute() {
        let why = "in a setting, and from a caller without a folder, its path begins with `/`";
        return Some((why, "Write the whole path of `{}`"));
    }
    if !file.exists() {
        return Some(("there is no such file", "Give the path of a program in `--tunnel-cmd`"));
    }
    if !file.is_file() {
        return Some(("it is not a file", OTHER));
    }
    let denied = ("it may not be executed", "Run `chmod u+x {}`, then run the command again");
    (!is_executable(file)).then_some(denied)
}

fn is_executable(file: &Path) -> bool {
    use nix::unistd::{AccessFlags, access};
    access(file, AccessFlags::X_OK).is_ok()
}

/// The failure of a program that does not start.
pub fn program_missing(program: &str, why: &str) -> Error {
    let message = format!("the program `{}` of the tunnel does not start: {why}", quote(program));
    Error::new(Reason::TunnelProgramMissing, message).with("program", quote(program))
}
