//! The profile of `sandbox-exec` on macOS: everything is denied that is not
//! named. It has not been tried on a Mac.

use std::fmt::Write as _;
use std::path::Path;

use super::profile;
use crate::skills::process_plan::ProcessPlan;

/// What Apple's own libraries need before a program does anything.
const BASE_PROFILE: &str = r#"(version 1)
(deny default)
(allow process-fork)
(allow process-info* (target self))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))
(allow file-read-metadata)
(allow file-read* file-map-executable (subpath "/System") (subpath "/usr/lib") (subpath "/usr/share") (subpath "/Library/Apple") (literal "/") (literal "/dev/random") (literal "/dev/urandom"))
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero"))
"#;

/// The profile of a plan.
#[cfg_attr(target_os = "linux", allow(dead_code))]
pub fn profile(plan: &ProcessPlan, port: Option<u16>, scratch: &Path) -> String {
    let mut text = BASE_PROFILE.to_owned();
    let system = profile::system_paths(plan);
    for path in system.iter().chain(&plan.readable).chain([&plan.folder]) {
        let path = quote(path);
        let _ =
            writeln!(text, "(allow file-read* file-map-executable process-exec (subpath {path}))");
    }
    for path in plan.writable.iter().map(|path| path.as_path()).chain([scratch]) {
        let path = quote(path);
        let _ = writeln!(text, "(allow file-read* file-write* process-exec (subpath {path}))");
    }
    if let Some(port) = port {
        let _ = writeln!(text, "(allow network-outbound (remote tcp \"localhost:{port}\"))");
    }
    text
}

/// A path as a string of the profile, whose escapes are those of Scheme.
fn quote(path: &Path) -> String {
    let path = path.to_string_lossy();
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A process that waits for its plan, of which there are none here.
#[cfg(not(target_os = "linux"))]
pub enum PendingProgram {}

#[cfg(not(target_os = "linux"))]
impl PendingProgram {
    /// There is none.
    ///
    /// # Errors
    /// Never.
    pub fn run_plan(
        self,
        _: &ProcessPlan,
    ) -> std::io::Result<crate::skills::confinement::StartedProgram> {
        match self {}
    }
}

/// Starts none.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn fork_pending(_: bool) -> std::io::Result<PendingProgram> {
    Err(std::io::Error::other("there are no namespaces on this system"))
}

/// Starts the program of `plan` behind `sandbox-exec`.
///
/// # Errors
/// It cannot be started.
#[cfg(not(target_os = "linux"))]
pub fn start(plan: &ProcessPlan) -> std::io::Result<crate::skills::confinement::StartedProgram> {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use crate::skills::process_plan::Confinement;

    let Confinement::Seatbelt { port, scratch } = &plan.confinement else {
        return Err(std::io::Error::other("there is no such confinement on this system"));
    };
    let is_probe = plan.program.as_os_str().is_empty();
    let program = if is_probe { Path::new("/usr/bin/true") } else { plan.program.as_path() };
    let mut readable = plan.clone();
    if is_probe {
        readable.readable.push(program.to_owned());
    }
    let mut command = Command::new("/usr/bin/sandbox-exec");
    command.arg("-p").arg(profile(&readable, *port, scratch)).arg(program).args(&plan.words);
    command.env_clear().envs(&plan.environment).current_dir(&plan.folder);
    command.stdin(Stdio::null()).process_group(0);
    let child = nix::unistd::Pid::from_raw(command.spawn()?.id().cast_signed());
    Ok(crate::skills::confinement::StartedProgram { child, exit_pipe: None, group: None })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::profile;
    use crate::skills::process_plan::{Confinement, Limits, ProcessPlan, Purpose};

    fn plan(folder: &str) -> ProcessPlan {
        ProcessPlan {
            purpose: Purpose::Run,
            program: "/opt/node/bin/node".into(),
            words: Vec::new(),
            environment: Default::default(),
            folder: folder.into(),
            readable: vec!["/cache/script.js".into()],
            writable: Vec::new(),
            limits: Limits::for_purpose(Purpose::Run),
            confinement: Confinement::None,
        }
    }

    #[test]
    fn everything_is_denied_but_what_is_named() {
        let text = profile(&plan("/skills/a"), Some(4000), Path::new("/scratch"));
        let rules: Vec<_> = text.lines().skip(2).collect();
        assert!(text.starts_with("(version 1)\n(deny default)\n"));
        assert!(rules.iter().all(|rule| rule.starts_with("(allow ") && rule.ends_with(')')));
        let written = rules.iter().filter(|rule| rule.contains("file-write*"));
        assert_eq!(
            written.collect::<Vec<_>>(),
            [&r#"(allow file-read* file-write* process-exec (subpath "/scratch"))"#]
        );
        let network: Vec<_> = rules.iter().filter(|rule| rule.contains("network")).collect();
        assert_eq!(network, [&r#"(allow network-outbound (remote tcp "localhost:4000"))"#]);
        for path in ["/skills/a", "/opt/node/bin/node", "/cache/script.js"] {
            assert!(text.contains(&format!("(subpath \"{path}\")")), "{path}");
        }
        let none = profile(&plan("/skills/a"), None, Path::new("/scratch"));
        assert!(!none.contains("network"));
    }

    #[test]
    fn a_folder_cannot_add_rules() {
        let text = profile(&plan("/a\"))(allow default)(\\"), None, Path::new("/scratch"));
        assert!(text.contains(r#"(subpath "/a\"))(allow default)(\\")"#), "{text}");
    }
}
