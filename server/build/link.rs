//! How the daemon is linked: small, because the pages of the program that were
//! ever touched are most of its memory.

use std::env;

/// Folds functions that have the same code, and packs the addresses that are
/// put right at the start. Both need LLD, which Rust uses by itself on this one
/// target; see docs/architecture.md.
pub fn set_size_flags() {
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|own| own == value);
    if is("TARGET", "x86_64-unknown-linux-gnu") && is("PROFILE", "release") {
        for argument in ["-Wl,--icf=all", "-Wl,-z,pack-relative-relocs"] {
            println!("cargo::rustc-link-arg-bin=browsed={argument}");
        }
    }
}
