//! What the program may do from here on: call the service and the listener, and
//! find their addresses. No other port, no other program, no file of the user.

use std::io;

use nix::sys::resource::{Resource, setrlimit};

/// Bytes of address space: what a service asks for is bounded by that.
#[cfg(target_os = "linux")]
const MAX_ADDRESS_SPACE_BYTES: u64 = 2 << 30;

/// Confines this process, which has one thread, to these ports.
///
/// # Errors
/// The system has means that do not work.
pub fn enter_sandbox(ports: &[u16]) -> io::Result<()> {
    for resource in [Resource::RLIMIT_CORE, Resource::RLIMIT_FSIZE] {
        setrlimit(resource, 0, 0)?;
    }
    confine(ports)
}

#[cfg(not(target_os = "linux"))]
fn confine(_: &[u16]) -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
fn confine(ports: &[u16]) -> io::Result<()> {
    use nix::sys::{prctl, signal::Signal};
    setrlimit(Resource::RLIMIT_AS, MAX_ADDRESS_SPACE_BYTES, MAX_ADDRESS_SPACE_BYTES)?;
    // Should its supervisor be killed.
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    // Nobody else reads its memory and its environment.
    prctl::set_dumpable(false)?;
    linux::landlock(ports).map(drop).map_err(io::Error::other)
}

#[cfg(target_os = "linux")]
mod linux {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, NetPort, PathBeneath,
        PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
    };

    /// Port of name servers.
    const DNS_PORT: u16 = 53;

    /// What finding addresses and knowing authorities reads. Files of `/etc` are
    /// replaced when the network changes, so the folder counts.
    const READABLE_PATHS: [&str; 11] = [
        "/etc",
        "/lib",
        "/lib64",
        "/usr/lib",
        "/usr/lib64",
        "/usr/share/ca-certificates",
        "/usr/local/share/ca-certificates",
        "/run/systemd/resolve",
        "/run/NetworkManager",
        "/run/resolvconf",
        "/dev/urandom",
    ];

    /// Lets this process read these, write nowhere, run nothing, and connect to
    /// `ports` and name servers alone. What an older kernel does not know is left
    /// out; answers what is enforced.
    pub fn landlock(ports: &[u16]) -> Result<RulesetStatus, RulesetError> {
        let known = ABI::V5;
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(known))?
            .handle_access(AccessNet::from_all(known))?
            .create()?;
        let files = AccessFs::ReadFile;
        for path in READABLE_PATHS {
            let Ok(place) = PathFd::new(path) else { continue };
            let folder = std::path::Path::new(path).is_dir();
            let access = if folder { files | AccessFs::ReadDir } else { files.into() };
            rules = rules.add_rule(PathBeneath::new(place, access))?;
        }
        for port in ports.iter().chain([&DNS_PORT]) {
            rules = rules.add_rule(NetPort::new(*port, AccessNet::ConnectTcp))?;
        }
        rules.restrict_self().map(|restricted| restricted.ruleset)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        fs,
        net::{TcpListener, TcpStream},
        process::Command,
        thread,
    };

    use landlock::RulesetStatus;

    use super::linux;

    #[test]
    fn what_is_held_reaches_what_it_needs_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let secret = folder.path().join("secret");
        fs::write(&secret, "x").expect("it is written");
        let bind = || TcpListener::bind("127.0.0.1:0").expect("a free port");
        let (good, other) = (bind(), bind());
        let [good, other] = [&good, &other].map(|at| at.local_addr().expect("an address"));
        // What holds a thread holds no other.
        let held = thread::spawn(move || {
            let status = linux::landlock(&[good.port()]).expect("the kernel takes the rules");
            if status == RulesetStatus::NotEnforced {
                eprintln!("left out: this kernel has no Landlock");
                return;
            }
            assert!(fs::read("/etc/passwd").is_ok());
            assert!(fs::read(&secret).is_err() && fs::write(&secret, "y").is_err());
            assert!(Command::new("/bin/sh").arg("-c").arg(":").status().is_err());
            assert!(TcpStream::connect(good).is_ok());
            if status == RulesetStatus::FullyEnforced {
                assert!(TcpStream::connect(other).is_err());
                assert!(TcpListener::bind("127.0.0.1:0").is_err());
            }
        });
        held.join().expect("it is held");
    }
}
