//! Landlock: what the kernel itself lets the program reach, whatever is
//! mounted where.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort,
    PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _,
    RulesetError, Scope,
};
use nix::libc;

use super::{SCRATCH, profile};
use crate::skills::process_plan::{Confinement, ProcessPlan};

/// The rules that this kernel knows, of those that we do; 0 is none.
#[allow(unsafe_code)]
pub fn abi() -> u8 {
    const VERSION: libc::c_uint = 1;
    let (nothing, size): (*const u8, usize) = (std::ptr::null(), 0);
    // SAFETY: asks for a number.
    let answer =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, size, VERSION) };
    u8::try_from(answer.clamp(0, 7)).unwrap_or(0)
}

/// Confines this process to what `plan` may reach. Nothing is left out because
/// the kernel could not enforce it: then this fails.
///
/// # Errors
/// The kernel does not enforce all of it.
pub fn enforce(plan: &ProcessPlan, abi: u8) -> Result<(), RulesetError> {
    let known = abi_version(abi);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(known))?;
    if abi >= 4 {
        rules = rules.handle_access(AccessNet::from_all(known))?;
    }
    if abi >= 6 {
        rules = rules.scope(Scope::from_all(known))?;
    }
    let rules = rules.create()?;
    let rules = match &plan.confinement {
        Confinement::Landlock { port, scratch } => add_paths(plan, known, rules, *port, scratch)?,
        _ => {
            let rules = allow(rules, Path::new("/"), read_access(known))?;
            let rules = allow(rules, Path::new(SCRATCH), AccessFs::from_all(known))?;
            let rules = add_devices(&["null", "zero", "full", "random", "urandom"], rules, known)?;
            add_writable(plan, known, rules)?
        }
    };
    rules.restrict_self()?;
    Ok(())
}

fn add_paths(
    plan: &ProcessPlan,
    known: ABI,
    mut rules: RulesetCreated,
    port: Option<u16>,
    scratch: &Path,
) -> Result<RulesetCreated, RulesetError> {
    let system = profile::system_paths(plan);
    for path in system.iter().chain(&plan.readable).chain([&plan.folder]) {
        rules = allow(rules, path, read_access(known))?;
    }
    rules = allow(rules, scratch, AccessFs::from_all(known))?;
    // Not `zero`: a shared mapping of it is memory that no process shows.
    rules = add_devices(&["null", "full", "random", "urandom"], rules, known)?;
    rules = add_writable(plan, known, rules)?;
    match port {
        Some(port) => rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp)),
        None => Ok(rules),
    }
}

fn add_writable(
    plan: &ProcessPlan,
    known: ABI,
    rules: RulesetCreated,
) -> Result<RulesetCreated, RulesetError> {
    let all = AccessFs::from_all(known);
    plan.writable.iter().try_fold(rules, |rules, path| allow(rules, path, all))
}

fn add_devices(
    names: &[&str],
    rules: RulesetCreated,
    known: ABI,
) -> Result<RulesetCreated, RulesetError> {
    let usage = AccessFs::ReadFile | AccessFs::WriteFile;
    let usage = usage & AccessFs::from_all(known);
    names.iter().try_fold(rules, |rules, name| allow(rules, &Path::new("/dev").join(name), usage))
}

fn read_access(known: ABI) -> BitFlags<AccessFs> {
    AccessFs::from_read(known)
}

/// Allows `access` below `path`, if that exists.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(place) = PathFd::new(path) else { return Ok(rules) };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(ABI::V7) };
    rules.add_rule(PathBeneath::new(place, access))
}

fn abi_version(abi: u8) -> ABI {
    match abi {
        0 => ABI::Unsupported,
        1 => ABI::V1,
        2 => ABI::V2,
        3 => ABI::V3,
        4 => ABI::V4,
        5 => ABI::V5,
        6 => ABI::V6,
        _ => ABI::V7,
    }
}
