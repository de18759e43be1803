//! Tells the crate which build of the daemon it belongs to.

#[path = "../proto/build/build_id.rs"]
mod build_id;

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    build_id::emit()
}
