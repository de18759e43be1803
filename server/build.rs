//! Joins the scripts of the page engine into one, and checks them.
//!
//! The engine is injected into every document that is read, so its size costs
//! time on every page: comments and indentation stay behind.

#[path = "build/bundled.rs"]
mod bundled;
#[path = "build/link.rs"]
mod link;
#[path = "build/vendored.rs"]
mod vendored;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The files in the order in which one may use what another declares at once.
const MODULE_ORDER: &[&str] = &[
    "reach",
    "dom",
    "tree",
    "visibility",
    "text",
    "roles",
    "names",
    "native-names",
    "states",
    "secrets",
    "markup",
    "refs",
    "frames",
    "editors",
    "clickable",
    "notices",
    "grids",
    "contexts",
    "emit",
    "walk",
    "snapshot",
    "targets",
    "near",
    "aim",
    "guard",
    "early",
    "changes",
    "news",
    "fill",
    "arrived",
    "editing",
    "typed",
    "choose",
    "drafts",
    "drag",
    "files",
    "facts",
    "held",
    "expect",
    "style",
    "cleanup",
    "perf",
    "scroll",
    "furniture",
    "lay",
    "steady",
    "keeping",
    "survey",
    "read",
    "links",
    "forms",
    "media",
    "data",
    "seen",
    "content",
    "inline",
    "tables",
    "markdown",
    "audit",
    "wait",
    "place",
    "marks",
    "footing",
    "keepsake",
    "outline",
    "suspects",
    "selecting",
    "foreign",
    "wants",
    "skipping",
    "colours",
    "shades",
    "gradients",
    "pictures",
    "grounds",
    "layers",
    "lids",
    "covers",
    "edges",
    "origins",
    "clips",
    "stencils",
    "masks",
    "folds",
    "plates",
    "inks",
    "hosts",
    "paint",
    "turns",
    "letters",
    "tints",
    "bars",
    "spans",
    "words",
    "drawn",
    "unseen",
    "rehearse",
    "install",
];

/// The files that the markup of a whole document takes. By themselves they are
/// there at once, where the whole engine takes longer than the answer: whoever
/// reads markup and parses it, as skills do, needs nothing else of it.
const MARKUP_MODULES: &[&str] = &["reach", "secrets", "markup"];

/// What has no place in the engine: it would reach the page, or stop the world.
const FORBIDDEN_WORDS: [&str; 8] = [
    "debugger",
    "eval(",
    "new Function",
    ".innerHTML =",
    "import(",
    "fetch(",
    "XMLHttpRequest",
    "TODO",
];

fn main() {
    link::set_size_flags();
    let folder = Path::new("src/engine/js");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let scripts = engine_script(folder).and_then(|script| {
        let scripts = [("engine.js", script), ("markup.js", markup_script(folder)?)];
        let alone = [
            ("first.js", standalone_script(folder, "ear")?),
            ("blank.js", standalone_script(folder, "blank")?),
        ];
        Ok(scripts.into_iter().chain(alone))
    });
    match scripts {
        Ok(scripts) => {
            for (name, script) in scripts {
                fs::write(out.join(name), script).expect("OUT_DIR can be written");
            }
        }
        Err(problem) => println!("cargo::error=page engine: {problem}"),
    }
    if let Err(problem) = bundled::write() {
        println!("cargo::error=bundled skills: {problem}");
    }
    if let Err(problem) = vendored::write() {
        println!("cargo::error=SDK bundles: {problem}");
    }
}

/// A script that needs nothing of the engine.
fn standalone_script(folder: &Path, stem: &'static str) -> Result<String, String> {
    let path = folder.join("alone").join(stem).with_extension("js");
    let source =
        fs::read_to_string(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
    check_module(stem, &source, &mut HashMap::new())?;
    minify(stem, &source)
}

/// Answers the markup of the document.
fn markup_script(folder: &Path) -> Result<String, String> {
    let mut script = String::from("(() => {\n'use strict';\n");
    for stem in MARKUP_MODULES {
        let path = folder.join(stem).with_extension("js");
        let source =
            fs::read_to_string(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        script.push_str(&minify(stem, &source)?);
    }
    script.push_str("return documentMarkup();\n})()\n");
    Ok(script)
}

fn engine_script(folder: &Path) -> Result<String, String> {
    let listed = fs::read_dir(folder).map_err(|error| error.to_string())?;
    for entry in listed.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "alone" {
            continue;
        }
        let known = name.strip_suffix(".js").is_some_and(|stem| MODULE_ORDER.contains(&stem));
        if !known {
            return Err(format!("`{name}` is not in the order of build.rs"));
        }
    }
    let mut declared = HashMap::new();
    let mut script = String::from(
        "(() => {\n'use strict';\nconst ENGINE = 'browseEngine';\nif (Object.hasOwn(globalThis, ENGINE)) return;\n",
    );
    for stem in MODULE_ORDER.iter().copied() {
        let path = folder.join(stem).with_extension("js");
        let source =
            fs::read_to_string(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        check_module(stem, &source, &mut declared)?;
        script.push_str(&minify(stem, &source)?);
    }
    script.push_str("})();\n");
    Ok(script)
}

/// Laws of the folder: a subject on top, short files, one scope of names.
fn check_module(
    stem: &'static str,
    source: &str,
    declared: &mut HashMap<String, &'static str>,
) -> Result<(), String> {
    if !source.starts_with("// ") {
        return Err(format!("`{stem}.js` does not begin with its subject"));
    }
    if source.lines().count() > 400 {
        return Err(format!("`{stem}.js` is longer than 400 lines"));
    }
    for (number, line) in source.lines().enumerate() {
        if let Some(word) = FORBIDDEN_WORDS.iter().find(|word| line.contains(*word)) {
            return Err(format!("`{stem}.js:{}` holds `{word}`", number + 1));
        }
        let Some(name) = declared_name(line) else { continue };
        if let Some(other) = declared.insert(name.to_owned(), stem) {
            return Err(format!("`{name}` is declared in `{stem}.js` and in `{other}.js`"));
        }
    }
    Ok(())
}

/// The name that a line declares for all files, if it does.
fn declared_name(line: &str) -> Option<&str> {
    let rest = ["const ", "let ", "class ", "function "]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    let end =
        rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$')?;
    (end > 0).then(|| &rest[..end])
}

/// Leaves out lines that are only comment, and the indentation. Letters beyond
/// ASCII are written as escapes: a single one would have all of the script carried
/// and compiled as text of two bytes a letter.
fn minify(stem: &str, source: &str) -> Result<String, String> {
    let mut script = String::with_capacity(source.len());
    let mut in_comment = false;
    for line in source.lines() {
        let line = line.trim();
        if line.starts_with("/*") || in_comment {
            in_comment = !line.ends_with("*/");
            continue;
        }
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        if line.matches('`').count() % 2 != 0 {
            return Err(format!("`{stem}.js` has a template of several lines: `{line}`"));
        }
        for unit in line.encode_utf16() {
            match u8::try_from(unit) {
                Ok(byte) if byte.is_ascii() => script.push(byte.into()),
                _ => script.push_str(&format!("\\u{unit:04x}")),
            }
        }
        script.push('\n');
    }
    Ok(script)
}
