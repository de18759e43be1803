//! The canonical bundles: what a skill carries as its `_lib/`. Each lies in the
//! `vendor/` of its SDK, where the build of the daemon finds it, and in every
//! bundled skill of its language; `--check` compares them byte for byte.

use std::path::Path;

use crate::{
    Generated, Result, bundle, python_bundle, rust,
    select::For,
    tables::{self},
    typescript,
};

/// Most bytes that a skill may have to carry.
const MOST_BYTES: usize = 150 * 1024;

/// The bundles of all languages, wherever they lie.
pub fn files(root: &Path) -> Result<Vec<Generated>> {
    let typescript = vec![("browse.ts", typescript_bundle(root, For::Skills)?)];
    let python = python_bundle::vendored(root)?;
    let rust = rust::vendored(root)?;
    let mut files = Vec::new();
    for (sdk, program, bundle) in [
        ("sdk-ts", "script.ts", typescript),
        ("sdk-python", "script.py", python),
        ("sdk-rust", "src/main.rs", rust),
    ] {
        let bytes: usize = bundle.iter().map(|(_, text)| text.len()).sum();
        if bytes > MOST_BYTES {
            return Err(
                format!("the bundle of {sdk} has {bytes} bytes: more than {MOST_BYTES}").into()
            );
        }
        let skills = bundle::skills(root, program)?.into_iter().map(|skill| skill.join("_lib"));
        for folder in std::iter::once(root.join(sdk).join("vendor")).chain(skills) {
            let file = |(name, text): &(&str, String)| Generated {
                path: folder.join(name),
                text: text.clone(),
            };
            files.extend(bundle.iter().map(file));
        }
    }
    Ok(files)
}

/// All of the TypeScript SDK in one file.
pub fn typescript_bundle(root: &Path, of: For) -> Result<String> {
    let generated = [
        ("generated/tables", tables::tables(of)),
        ("generated/commands", typescript::commands(of)),
    ];
    bundle::typescript(&root.join("sdk-ts"), &generated)
}
