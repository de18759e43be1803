//! Joins the modules of the page script into one script, and checks them.
//!
//! The script is injected into every document that is read, so it is made small: see
//! `minify`. All modules share one scope in it, so their top-level names are unique.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use super::minify::minify;

/// The module that imports all others, directly or not.
const ENTRY: &str = "install";

/// What the scripts beside the engine call.
const ENTRY_FUNCTIONS: [&str; 2] = ["documentMarkup", "documentTokens"];

/// The script may not be larger, in bytes: it is sent to and compiled in every document.
const MAX_SCRIPT_BYTES: usize = 210_000;

/// Lines of a module.
const MAX_LINES: usize = 400;

/// What has no place in the script: it would reach the page, or stop the world.
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

/// A module, without its imports and the word `export`.
struct Module {
    code: String,
    /// Names by the module that they come from.
    imports: Vec<(String, Vec<String>)>,
    declared: Vec<String>,
    exported: HashSet<String>,
}

/// The scripts by the names of their files.
///
/// # Errors
/// What is wrong with a module.
pub fn scripts(folder: &Path) -> Result<Vec<(&'static str, String)>, String> {
    let modules = read_modules(folder)?;
    check_names(&modules)?;
    let engine = format!(
        "(() => {{\n'use strict';\nif (Object.hasOwn(globalThis, 'browseEngine')) return;\n{}}})();\n",
        joined(&modules, ENTRY)?
    );
    let markup = format!(
        "(() => {{\n'use strict';\n{}return documentMarkup();\n}})()\n",
        joined(&modules, "markup")?
    );
    let tokens = format!(
        "(() => {{\n'use strict';\n{}return documentTokens();\n}})()\n",
        joined(&modules, "document-tokens")?
    );
    let engine = minify(&engine)?;
    if engine.len() > MAX_SCRIPT_BYTES {
        let size = engine.len();
        return Err(format!(
            "the script has {size} bytes, at most {MAX_SCRIPT_BYTES} are allowed: make a module \
             shorter, or raise MAX_SCRIPT_BYTES in build/page_script.rs and say why in the commit"
        ));
    }
    Ok(vec![
        ("engine.js", engine),
        ("markup.js", minify(&markup)?),
        ("tokens.js", minify(&tokens)?),
        ("first.js", standalone(folder, "ear")?),
        ("blank.js", standalone(folder, "blank")?),
        ("prompts.js", standalone(folder, "prompts")?),
        ("commands.rs", format!("&{:?}", command_names(&modules)?)),
    ])
}

/// The names in the table of commands of the entry: the daemon calls no others.
fn command_names(modules: &HashMap<String, Module>) -> Result<Vec<&str>, String> {
    let code = modules.get(ENTRY).map_or("", |module| &module.code);
    let table = code.split_once("const COMMANDS = {\n").and_then(|(_, rest)| rest.split_once("};"));
    let (table, _) = table.ok_or("the table of commands is missing")?;
    Ok(table.lines().filter_map(|line| line.trim().split([':', ',']).next()).collect())
}

/// A script that needs no module.
fn standalone(folder: &Path, stem: &str) -> Result<String, String> {
    let source = read(&folder.join("alone").join(stem).with_extension("js"))?;
    check_source(stem, &source)?;
    minify(&source)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("`{}`: {error}", path.display()))
}

fn read_modules(folder: &Path) -> Result<HashMap<String, Module>, String> {
    let mut modules = HashMap::new();
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())?.flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "js") {
            continue;
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = read(&path)?;
        check_source(&stem, &source)?;
        modules.insert(stem.clone(), parse(&stem, &source)?);
    }
    Ok(modules)
}

/// Laws of the folder: a subject on top, short files, nothing that reaches the page.
fn check_source(stem: &str, source: &str) -> Result<(), String> {
    if !source.starts_with("// ") {
        return Err(format!("`{stem}.js` does not begin with its subject"));
    }
    if source.lines().count() > MAX_LINES {
        return Err(format!("`{stem}.js` is longer than {MAX_LINES} lines"));
    }
    for (number, line) in source.lines().enumerate() {
        if let Some(word) = FORBIDDEN_WORDS.iter().find(|word| line.contains(*word)) {
            return Err(format!("`{stem}.js:{}` holds `{word}`", number + 1));
        }
    }
    Ok(())
}

fn parse(stem: &str, source: &str) -> Result<Module, String> {
    let mut module = Module {
        code: String::with_capacity(source.len()),
        imports: Vec::new(),
        declared: Vec::new(),
        exported: HashSet::new(),
    };
    for line in source.lines() {
        if line.starts_with("import ") {
            let import = parse_import(line);
            module
                .imports
                .push(import.ok_or_else(|| format!("`{stem}.js`: unknown form of `{line}`"))?);
            continue;
        }
        let code = line.strip_prefix("export ").unwrap_or(line);
        if let Some(name) = declared_name(code) {
            module.declared.push(name.to_owned());
            if code.len() < line.len() {
                module.exported.insert(name.to_owned());
            }
        } else if code.len() < line.len() {
            return Err(format!("`{stem}.js`: unknown form of `{line}`"));
        }
        module.code.push_str(code);
        module.code.push('\n');
    }
    Ok(module)
}

/// `import { one, two } from './module.js';`
fn parse_import(line: &str) -> Option<(String, Vec<String>)> {
    let (names, module) = line.strip_prefix("import { ")?.split_once(" } from './")?;
    let module = module.strip_suffix(".js';")?;
    Some((module.to_owned(), names.split(", ").map(str::to_owned).collect()))
}

/// The name that a line declares at the top level, if it does.
fn declared_name(line: &str) -> Option<&str> {
    let rest = ["const ", "let ", "class ", "function "]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
    (end > 0).then(|| &rest[..end])
}

fn check_names(modules: &HashMap<String, Module>) -> Result<(), String> {
    let mut owners: HashMap<&str, &str> = HashMap::new();
    for (stem, module) in modules {
        for name in &module.declared {
            if let Some(other) = owners.insert(name, stem) {
                return Err(format!("`{name}` is declared in `{stem}.js` and in `{other}.js`"));
            }
        }
    }
    let mut imported = HashSet::new();
    for (stem, module) in modules {
        for (from, names) in &module.imports {
            let source = modules.get(from);
            let source = source
                .ok_or_else(|| format!("`{stem}.js` imports `{from}.js`, which is missing"))?;
            if let Some(name) = names.iter().find(|name| !source.exported.contains(*name)) {
                return Err(format!(
                    "`{stem}.js` imports `{name}`, which `{from}.js` does not export"
                ));
            }
            imported.extend(names.iter().map(String::as_str));
        }
    }
    for (stem, module) in modules {
        let is_used = |name: &&String| {
            imported.contains(name.as_str()) || ENTRY_FUNCTIONS.contains(&name.as_str())
        };
        if let Some(name) = module.exported.iter().find(|name| !is_used(name)) {
            return Err(format!("nothing imports `{name}`, which `{stem}.js` exports"));
        }
    }
    Ok(())
}

/// A module after all that it imports, as far as these do not import it themselves.
fn joined(modules: &HashMap<String, Module>, entry: &str) -> Result<String, String> {
    let mut script = String::new();
    let mut met = HashSet::new();
    join(modules, entry, &mut met, &mut script)?;
    Ok(script)
}

fn join<'a>(
    modules: &'a HashMap<String, Module>,
    stem: &'a str,
    met: &mut HashSet<&'a str>,
    script: &mut String,
) -> Result<(), String> {
    if !met.insert(stem) {
        return Ok(());
    }
    let module = modules.get(stem).ok_or_else(|| format!("`{stem}.js` is missing"))?;
    for (from, _) in &module.imports {
        join(modules, from, met, script)?;
    }
    script.push_str(&module.code);
    Ok(())
}
