//! Writes what is derived from the contract: `browse-gen` writes, `browse-gen
//! --check` fails when a file on disk is stale. `sdk-ts/dist` is not in git:
//! `browse-gen --dist` writes that alone.

mod bundle;
mod dashboard;
mod docs;
mod plugin;
mod python;
mod python_bundle;
mod rust;
mod select;
mod tables;
mod typescript;
mod vendor;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use select::FacadeAudience;

/// A file and what it must hold.
struct GeneratedFile {
    path: PathBuf,
    text: String,
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let mode = std::env::args().nth(1).unwrap_or_default();
    let outcome = match mode.as_str() {
        "--check" => generate(root).and_then(|files| check_stale(&files)),
        "--dist" => distribution(root).and_then(|file| write(&[file])),
        _ => generate(root).and_then(|files| write(&files)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn generate(root: &Path) -> Result<Vec<GeneratedFile>> {
    let mut files = Vec::new();
    let mut add = |folder: &Path, name: &str, text| {
        files.push(GeneratedFile { path: folder.join(name), text });
    };
    let all = FacadeAudience::Everyone;
    let sdk = root.join("sdk-ts");
    add(&sdk, "src/generated/tables.ts", tables::tables(all));
    add(&sdk, "src/generated/outputs.ts", tables::typescript_outputs());
    add(&sdk, "src/generated/commands.ts", typescript::commands(all));
    for (name, text) in python::modules() {
        add(&root.join("sdk-python/src/browse_sdk/_generated"), &format!("{name}.py"), text);
    }
    let python = root.join("sdk-python/src/browse_sdk/_generated");
    add(&python, "outputs.py", tables::python_outputs());
    add(&root.join("sdk-rust"), "src/messages.rs", rust::messages(all));
    add(&root.join("sdk-rust"), "src/commands.rs", rust::commands(all));
    add(&root.join("sdk-rust"), "src/project.rs", rust::project());
    for (name, text) in rust::outputs() {
        add(&root.join("sdk-rust"), &format!("src/{name}.rs"), text);
    }
    add(&root.join("server/dashboard"), "src/rpc/contract.ts", dashboard::contract());
    add(&root.join("docs"), "commands.md", docs::commands());
    add(&root.join("docs"), "errors.md", docs::errors());
    files.extend(plugin::files(root)?);
    files.extend(vendor::files(root)?);
    Ok(files)
}

/// What the package of TypeScript is compiled from.
fn distribution(root: &Path) -> Result<GeneratedFile> {
    let text = vendor::typescript_bundle(root, FacadeAudience::Everyone)?;
    Ok(GeneratedFile { path: root.join("sdk-ts/dist/browse.ts"), text })
}

fn write(files: &[GeneratedFile]) -> Result<()> {
    for file in files {
        if std::fs::read_to_string(&file.path).is_ok_and(|found| found == file.text) {
            continue;
        }
        if let Some(folder) = file.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&file.path, &file.text)?;
        println!("wrote {}", file.path.display());
    }
    Ok(())
}

fn check_stale(files: &[GeneratedFile]) -> Result<()> {
    let differs = |file: &&GeneratedFile| {
        std::fs::read_to_string(&file.path).map_or(true, |found| found != file.text)
    };
    let stale: Vec<_> =
        files.iter().filter(differs).map(|f| f.path.display().to_string()).collect();
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("stale, run `make gen`: {}", stale.join(", ")).into())
}
