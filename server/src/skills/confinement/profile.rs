//! What programs of each kind read of the system.

use std::path::PathBuf;

use crate::skills::process_plan::{ProcessPlan, Purpose};

/// Libraries, and what the C library looks at. Most of it is absent on most
/// systems.
const LIBRARY_PATHS: [&str; 18] = [
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/nix/store",
    "/gnu/store",
    "/home/linuxbrew/.linuxbrew",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/openssl.cnf",
    "/usr/share/zoneinfo",
    // Debian's node keeps parts of itself there.
    "/usr/share/nodejs",
];

/// Programs of the system, for those that start others.
const PROGRAM_PATHS: [&str; 8] = [
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/libexec",
    "/etc/alternatives",
];

/// What `plan` reads of the system.
pub fn system_paths(plan: &ProcessPlan) -> Vec<PathBuf> {
    let starts_others = plan.purpose != Purpose::Run || plan.program.starts_with(&plan.folder);
    let programs = PROGRAM_PATHS.iter().filter(|_| starts_others);
    let program = Some(plan.program.clone()).filter(|path| !path.as_os_str().is_empty());
    let paths = LIBRARY_PATHS.iter().chain(programs).map(PathBuf::from);
    let mut paths: Vec<_> = paths.collect();
    // What lies in a folder that is there already must not hide it.
    let known = paths.clone();
    paths.extend(program.filter(|program| !known.iter().any(|folder| program.starts_with(folder))));
    paths
}
