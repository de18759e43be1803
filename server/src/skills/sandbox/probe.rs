//! What this machine can hold untrusted skills to, and what it cannot.

use std::time::{Duration, Instant};

use nix::unistd::geteuid;

use super::{SandboxBackend, SandboxMode, SkillSocket};
use crate::skills::{
    confinement::PROBE_LIMITS_IGNORED,
    process::{ProcessError, run_to_end},
    process_plan::{Confinement, Limits, ProcessPlan, Purpose},
};

/// Longest time that a probe may take.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// Most bytes that a probe prints.
const MAX_PROBE_OUTPUT_BYTES: u64 = 4096;

/// The means of this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxProbe {
    /// The best that works.
    pub backend: Option<SandboxBackend>,
    /// What it leaves open.
    pub gaps: Vec<&'static str>,
    /// Why what is better does not work.
    pub failures: Vec<String>,
}

impl SandboxProbe {
    /// Tries the means, the best first, by confining a process that does
    /// nothing.
    pub async fn run(wanted: SandboxMode, door: Option<&SkillSocket>, port: u16) -> Self {
        let mut found = Self::default();
        let Some(door) = door else {
            found.failures.push("the daemon has no folder for it".to_owned());
            return found;
        };
        for means in wanted.backends() {
            let confinement = match means {
                SandboxBackend::Namespaces => {
                    Confinement::Namespaces { socket: Some(door.socket().to_owned()) }
                }
                SandboxBackend::Landlock => {
                    let scratch = door.folder().to_owned();
                    Confinement::Landlock { port: Some(port), scratch }
                }
                SandboxBackend::Seatbelt => {
                    let scratch = door.folder().to_owned();
                    Confinement::Seatbelt { port: Some(port), scratch }
                }
            };
            match probe_backend(confinement).await {
                Ok(bound) => {
                    found.backend = Some(*means);
                    found.gaps = backend_gaps(*means, bound);
                    return found;
                }
                Err(trouble) => found.failures.push(format!("{}: {trouble}", means.name())),
            }
        }
        found
    }

    /// What whoever runs a skill should know.
    pub fn gap_notice(&self) -> Option<String> {
        let means = self.backend.filter(|_| !self.gaps.is_empty())?;
        Some(format!(
            "the sandbox is {}; not enforced here: {}",
            means.name(),
            self.gaps.join("; ")
        ))
    }

    /// All of it in one line.
    pub fn describe(&self) -> String {
        let Some(means) = self.backend else {
            let why = self.failures.join("; ");
            return format!("none that works here ({why})");
        };
        let held = means.description();
        match self.gaps.as_slice() {
            [] => format!("{}: {held}", means.name()),
            gaps => format!("{}: {held}; not enforced here: {}", means.name(), gaps.join("; ")),
        }
    }
}

/// Confines a process that does nothing. True when its limits hold.
async fn probe_backend(confinement: Confinement) -> Result<bool, String> {
    let plan = ProcessPlan {
        purpose: Purpose::Run,
        program: std::path::PathBuf::new(),
        words: Vec::new(),
        environment: Default::default(),
        folder: "/usr".into(),
        readable: Vec::new(),
        writable: Vec::new(),
        limits: Limits { processes: 1, ..Limits::for_purpose(Purpose::Run) },
        confinement,
    };
    let (ended, errors) = run_to_end(&plan, Instant::now() + PROBE_TIMEOUT, MAX_PROBE_OUTPUT_BYTES)
        .await
        .map_err(|trouble| match trouble {
            ProcessError::Io(problem) => problem,
            ProcessError::TimedOut => "it hangs".to_owned(),
            ProcessError::TooMuchOutput => "it prints".to_owned(),
        })?;
    match ended.code {
        0 => Ok(true),
        code if code == i32::from(PROBE_LIMITS_IGNORED) => Ok(false),
        code => {
            let text = String::from_utf8_lossy(&errors);
            let text = text.trim().trim_start_matches("error: the program cannot be started: ");
            Err(if text.is_empty() { format!("exit code {code}") } else { text.to_owned() })
        }
    }
}

fn backend_gaps(means: SandboxBackend, bound: bool) -> Vec<&'static str> {
    let mut gaps = Vec::new();
    match means {
        SandboxBackend::Namespaces if !bound => gaps.push("the number of processes"),
        SandboxBackend::Namespaces => {}
        SandboxBackend::Landlock => {
            gaps.extend([
                "the host of a connection (only its port)",
                "that names, sizes and times of files stay hidden",
                "the size of the scratch as a whole",
            ]);
            if !bound {
                gaps.push(match geteuid().is_root() {
                    true => "the number of processes",
                    false => "the number of processes, but for that of the whole system",
                });
            }
        }
        SandboxBackend::Seatbelt => gaps.extend([
            "the size of the scratch as a whole",
            "the number of processes, and the memory of all together",
            "anything for certain: browse has not been tried on this system",
        ]),
    }
    gaps
}
