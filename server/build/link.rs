//! How the daemon is linked: small, because the pages of the program that were
//! ever touched are most of its memory.

use std::env;

/// Folds functions that have the same code, and packs the addresses that are
/// put right at the start. Both need LLD, which Rust uses by itself on this one
/// target; see docs/architecture.md.
pub fn set_size_flags() {
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|own| own == value);
    if is("TARGET", "x86_64-unknown-linux-gnu") && is("PROFILE", "release") {
        println!("cargo::rustc-link-arg-bin=browsed=-Wl,--icf=all");
        // The dynamic loader of glibc knows them since 2.36; a release runs on older ones.
        println!("cargo::rerun-if-env-changed=BROWSE_OLD_LOADER");
        if env::var_os("BROWSE_OLD_LOADER").is_none() {
            println!("cargo::rustc-link-arg-bin=browsed=-Wl,-z,pack-relative-relocs");
        }
    }
}
