//! Joins the modules of the page script into one, and checks them.

#[path = "build/js_roles.rs"]
mod js_roles;
#[path = "build/js_tokens.rs"]
mod js_tokens;
#[path = "build/minify.rs"]
mod minify;
#[path = "build/page_script.rs"]
mod page_script;

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let folder = Path::new("src/js");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    match page_script::scripts(folder) {
        Ok(scripts) => {
            for (name, script) in scripts {
                fs::write(out.join(name), script).expect("OUT_DIR can be written");
            }
        }
        Err(problem) => println!("cargo::error=page script: {problem}"),
    }
}
