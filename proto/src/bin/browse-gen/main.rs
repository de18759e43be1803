//! Writes what is derived from the contract: `browse-gen` writes, `browse-gen
//! --check` fails when a file on disk is stale.

mod bundle;
mod docs;
mod python;
mod tables;
mod typescript;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A file and what it must hold.
struct Generated {
    path: PathBuf,
    text: String,
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let check = std::env::args().any(|arg| arg == "--check");
    let outcome =
        generate(root).and_then(|files| if check { stale(&files) } else { write(&files) });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn generate(root: &Path) -> Result<Vec<Generated>> {
    let sdk = root.join("sdk-ts");
    let generated =
        [("generated/tables", tables::tables()), ("generated/commands", typescript::commands())];
    let bundle = bundle::typescript(&sdk, &generated)?;
    let module =
        |(name, text): (&str, String)| Generated { path: sdk.join(format!("src/{name}.ts")), text };
    let mut files: Vec<_> = generated.into_iter().map(module).collect();
    let python = root.join("sdk-python/src/browse_sdk/_generated");
    let module = |(name, text)| Generated { path: python.join(format!("{name}.py")), text };
    files.extend(python::modules().into_iter().map(module));
    let page = |name: &str, text| Generated { path: root.join("docs").join(name), text };
    files.push(page("commands.md", docs::commands()));
    files.push(page("errors.md", docs::errors()));
    let copies = bundle::places(root)?;
    files.extend(copies.into_iter().map(|path| Generated { path, text: bundle.clone() }));
    Ok(files)
}

fn write(files: &[Generated]) -> Result<()> {
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

fn stale(files: &[Generated]) -> Result<()> {
    let differs = |file: &&Generated| {
        std::fs::read_to_string(&file.path).map_or(true, |found| found != file.text)
    };
    let stale: Vec<_> =
        files.iter().filter(differs).map(|f| f.path.display().to_string()).collect();
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("stale, run `make gen`: {}", stale.join(", ")).into())
}
