//! By which means a process is confined.

/// A way to confine, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxBackend {
    /// Linux namespaces, with Landlock and seccomp in them.
    Namespaces,
    /// Landlock and seccomp alone.
    Landlock,
    /// `sandbox-exec` of macOS.
    Seatbelt,
}

/// Which means the user wants to have used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxMode {
    /// The best that works.
    #[default]
    Auto,
    /// Namespaces or nothing.
    Namespaces,
    /// Landlock or nothing.
    Landlock,
    /// None, so that untrusted skills are refused.
    None,
}

impl SandboxBackend {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Landlock => "landlock",
            Self::Seatbelt => "sandbox-exec",
        }
    }

    /// What it enforces.
    pub fn description(self) -> &'static str {
        match self {
            Self::Namespaces => {
                "it sees its own folder, its runtime and an empty scratch of 64 MiB, no network \
                 but the socket of the daemon, and no process but its own; all of these have one \
                 limit of memory"
            }
            Self::Landlock => {
                "it reads its own folder and its runtime, writes an empty scratch, connects to \
                 the port of the daemon, and reaches no process but its own; all of these have \
                 one limit of memory"
            }
            Self::Seatbelt => {
                "it reads its own folder and its runtime, writes an empty scratch, connects to \
                 the port of the daemon, and reaches no process but its own"
            }
        }
    }
}

impl SandboxMode {
    /// The choice that goes by this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "namespaces" => Some(Self::Namespaces),
            "landlock" => Some(Self::Landlock),
            "none" => Some(Self::None),
            _ => None,
        }
    }

    /// What to try, in order.
    pub fn backends(self) -> &'static [SandboxBackend] {
        match self {
            Self::None => &[],
            _ if cfg!(target_os = "macos") => &[SandboxBackend::Seatbelt],
            Self::Auto => &[SandboxBackend::Namespaces, SandboxBackend::Landlock],
            Self::Namespaces => &[SandboxBackend::Namespaces],
            Self::Landlock => &[SandboxBackend::Landlock],
        }
    }
}
