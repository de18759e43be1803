//! What is built into the daemon: the bundled skills, the page of the dashboard and the packages of the SDKs.

#[path = "build/bundled.rs"]
mod bundled;
#[path = "build/dashboard.rs"]
mod dashboard;
#[path = "build/link.rs"]
mod link;
#[path = "build/vendored.rs"]
mod vendored;

fn main() {
    link::set_size_flags();
    println!("cargo::rerun-if-changed=build.rs");
    if let Err(problem) = bundled::write() {
        println!("cargo::error=bundled skills: {problem}");
    }
    if let Err(problem) = dashboard::write() {
        println!("cargo::error=dashboard: {problem}");
    }
    if let Err(problem) = vendored::write() {
        println!("cargo::error=SDK bundles: {problem}");
    }
}
