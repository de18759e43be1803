//! No folder of modules takes part in a cycle of imports: what lies in a folder can be
//! read, and be made a crate, without what uses it.
//!
//! Read are the paths that begin with `crate`, `super` and `self`, in `use` and in
//! expressions. A name that a module exports from another one counts as of that one.
//! Tests are left out: they may use what lies above. A cycle between plain files of one
//! folder is let through, and so is one between a module and its own parts.
//!
//! The name of a type says which one it is: no other type of the workspace has it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The place of a module below the root of its crate.
type ModulePath = Vec<String>;

/// A module of a crate.
#[derive(Default)]
struct Module {
    /// Its source without comments and tests; of several files where those depend on
    /// the system.
    text: String,
    /// Its parts, in the order in which it declares them.
    parts: Vec<String>,
    /// Names that it exports from others: the name, and the path to it.
    exports: BTreeMap<String, Vec<String>>,
}

/// The modules of a crate.
#[derive(Default)]
struct Modules(BTreeMap<ModulePath, Module>);

/// What lies in one part of a module and uses another part: the file's module and the
/// path that it names, by the two parts.
type Edges = BTreeMap<(String, String), BTreeSet<String>>;

impl Modules {
    fn read(root: &Path) -> Self {
        let mut modules = Self::default();
        let files = ["lib.rs", "main.rs"].map(|name| root.join(name));
        let file = files.iter().find(|file| file.is_file()).expect("the root of a crate");
        modules.add(Vec::new(), file, root);
        modules
    }

    /// Adds the module in `file`, whose parts lie in `folder`.
    fn add(&mut self, at: ModulePath, file: &Path, folder: &Path) {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
        let text = without_tests(&text);
        let beside = file.parent().expect("a folder");
        for (name, path) in declared(&text) {
            let mut part = at.clone();
            part.push(name.clone());
            let (file, inner) = match path {
                Some(path) => (beside.join(path), folder.join(&name)),
                None => match folder.join(format!("{name}.rs")) {
                    file if file.is_file() => (file, folder.join(&name)),
                    _ => (folder.join(&name).join("mod.rs"), folder.join(&name)),
                },
            };
            self.add(part, &file, &inner);
            let parts = &mut self.0.entry(at.clone()).or_default().parts;
            if !parts.contains(&name) {
                parts.push(name);
            }
        }
        let module = self.0.entry(at).or_default();
        module.exports.extend(exported(&text));
        module.text.push_str(&text);
    }

    /// The module of what `path` names in the module `at`.
    fn resolve(&self, at: &[String], path: &[String], depth: usize) -> ModulePath {
        let mut found = at.to_vec();
        let mut rest = path;
        while let Some((first, tail)) = rest.split_first() {
            match first.as_str() {
                "crate" => found.clear(),
                "self" => {}
                "super" => drop(found.pop()),
                name => {
                    let mut part = found.clone();
                    part.push(name.to_owned());
                    if self.0.contains_key(&part) {
                        found = part;
                    } else {
                        let export = self.0.get(&found).and_then(|of| of.exports.get(name));
                        return match export.filter(|_| depth < 8) {
                            Some(to) => self.resolve(&found, &[to, tail].concat(), depth + 1),
                            None => found,
                        };
                    }
                }
            }
            rest = tail;
        }
        found
    }

    /// Who uses whom among the parts of the module `of`.
    fn edges(&self, of: &[String]) -> Edges {
        let mut edges = Edges::new();
        let own = |path: &[String]| path.starts_with(of).then(|| path.get(of.len()).cloned());
        for (at, module) in &self.0 {
            let Some(user) = own(at).flatten() else { continue };
            for path in paths(&module.text) {
                let target = self.resolve(at, &path, 0);
                let Some(used) = own(&target).flatten().filter(|used| *used != user) else {
                    continue;
                };
                let line = format!("{} uses {}", at.join("::"), path.join("::"));
                edges.entry((user.clone(), used)).or_default().insert(line);
            }
        }
        edges
    }

    fn is_folder(&self, of: &[String], part: &str) -> bool {
        let part = [of, &[part.to_owned()]].concat();
        self.0.get(&part).is_some_and(|module| !module.parts.is_empty())
    }
}

/// The parts that `part` uses, by whatever way.
fn reachable<'a>(edges: &'a Edges, part: &'a str) -> BTreeSet<&'a str> {
    let (mut found, mut open) = (BTreeSet::new(), vec![part]);
    while let Some(at) = open.pop() {
        let next = edges.keys().filter(|(user, _)| user == at).map(|(_, used)| used.as_str());
        open.extend(next.filter(|used| found.insert(*used)));
    }
    found
}

/// A source without comments and without its tests, which stand at its end.
fn without_tests(text: &str) -> String {
    let tests = ["#[cfg(test)]\nmod tests {", "#[cfg(test)]\nmod test {"];
    let end = tests.iter().filter_map(|start| text.find(start)).min().unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| match line.find("//") {
        // Not that of an address.
        Some(at) if !line[..at].ends_with(':') => &line[..at],
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The modules that a source declares, with the path of each that names one.
fn declared(text: &str) -> Vec<(String, Option<String>)> {
    let (mut found, mut path, mut is_test) = (Vec::new(), None, false);
    for line in text.lines().map(str::trim) {
        if let Some(value) = line.strip_prefix("#[path = \"") {
            path = value.strip_suffix("\"]").map(str::to_owned);
            continue;
        }
        if line.starts_with("#[") {
            is_test |= line.starts_with("#[cfg(test)]");
            continue;
        }
        let item = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub(super) "));
        let item = item.or(line.strip_prefix("pub ")).unwrap_or(line);
        let name = item.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
        if let Some(name) = name.filter(|_| !is_test) {
            found.push((name.to_owned(), path.take()));
        }
        (path, is_test) = (None, false);
    }
    found
}

/// The names that a source exports, and the paths to them.
fn exported(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for visibility in ["\npub use ", "\npub(crate) use ", "\npub(super) use "] {
        for (at, _) in text.match_indices(visibility) {
            let mut all = Vec::new();
            tree(&text[at + visibility.len()..], &mut Vec::new(), &mut all);
            found.extend(all.into_iter().filter_map(|(path, alias)| {
                let name = alias.or(path.last().cloned())?;
                Some((name, path))
            }));
        }
    }
    found
}

/// The paths of a source that begin with `crate`, `super` or `self`.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for root in ["crate::", "super::", "self::"] {
        for (at, _) in text.match_indices(root) {
            let before = text[..at].chars().next_back();
            // Not within a word, and not after another part of the path.
            if before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | ':' | '$')) {
                tree(&text[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found.into_iter().map(|(path, _)| path).collect()
}

/// Reads a path, which may end with a group of others, and answers what is left of the
/// text.
fn tree<'a>(
    text: &'a str,
    before: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, Option<String>)>,
) -> &'a str {
    let known = before.len();
    let mut text = text.trim_start();
    loop {
        if let Some(group) = text.strip_prefix('{') {
            text = group;
            loop {
                text = tree(text, before, found).trim_start();
                text = match text.strip_prefix(',') {
                    Some(rest) => rest.trim_start(),
                    None => text,
                };
                match text.strip_prefix('}') {
                    Some(rest) => {
                        before.truncate(known);
                        return rest;
                    }
                    None if text.is_empty() => return text,
                    None => {}
                }
            }
        }
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        if end == 0 {
            // A glob, or a part that a macro fills in.
            found.push((before.clone(), None));
            before.truncate(known);
            let rest = text.find([',', '}', ';', '(', '\n']).unwrap_or(text.len());
            return &text[rest..];
        }
        if &text[..end] != "self" || before.is_empty() {
            before.push(text[..end].to_owned());
        }
        text = &text[end..];
        match text.strip_prefix("::") {
            Some(rest) => text = rest,
            None => break,
        }
    }
    let alias = text.strip_prefix(" as ").map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        text = &rest[end..];
        rest[..end].to_owned()
    });
    found.push((before.clone(), alias));
    before.truncate(known);
    text
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The sources of all crates of the workspace, from its root.
fn sources() -> Vec<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    let list = manifest.split_once("members = [").expect("its members").1;
    let list = list.split_once(']').expect("the end of the list").0;
    list.split(',')
        .filter_map(|member| member.trim().strip_prefix('"')?.strip_suffix('"'))
        .map(|member| format!("{member}/src"))
        .collect()
}

/// The types that a source declares outside of functions and macros.
fn types(text: &str) -> Vec<String> {
    let (mut found, mut is_alternative) = (Vec::new(), false);
    for line in text.lines() {
        if line.starts_with("#[") {
            // What stands in for a type on another system.
            is_alternative |= line.starts_with("#[cfg(");
            continue;
        }
        let item = match line.strip_prefix("pub(") {
            Some(rest) => rest.split_once(") ").map_or("", |(_, item)| item),
            None => line.strip_prefix("pub ").unwrap_or(line),
        };
        let kinds = ["struct ", "enum ", "trait ", "union ", "type "];
        let name = kinds.iter().find_map(|kind| item.strip_prefix(kind));
        if let Some(name) = name.filter(|_| !is_alternative) {
            let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
            found.push(name[..end].to_owned());
        }
        is_alternative = false;
    }
    found
}

/// The lines of a cycle: who uses whom in it, and where.
fn describe(edges: &Edges, cycle: &BTreeSet<&str>) -> String {
    let mut text = String::new();
    for ((user, used), lines) in edges {
        if cycle.contains(user.as_str()) && cycle.contains(used.as_str()) {
            text.push_str(&format!("  {user} -> {used}\n"));
            lines.iter().for_each(|line| text.push_str(&format!("    {line}\n")));
        }
    }
    text
}

#[test]
fn no_folder_takes_part_in_a_cycle() {
    let mut problems = String::new();
    for source in sources() {
        let modules = Modules::read(&root().join(&source));
        for (at, module) in &modules.0 {
            let edges = modules.edges(at);
            let mut seen = BTreeSet::new();
            for part in module.parts.iter().map(String::as_str) {
                let below = reachable(&edges, part);
                if !below.contains(part) || seen.contains(part) {
                    continue;
                }
                let is_in_cycle = |other: &&str| reachable(&edges, other).contains(part);
                let cycle: BTreeSet<&str> = below.into_iter().filter(is_in_cycle).collect();
                seen.extend(cycle.iter().copied());
                if cycle.iter().any(|part| modules.is_folder(at, part)) {
                    let place = [vec![source.clone()], at.clone()].concat().join("::");
                    problems.push_str(&format!("{place}: {cycle:?}\n"));
                    problems.push_str(&describe(&edges, &cycle));
                }
            }
        }
    }
    assert!(problems.is_empty(), "these modules use each other:\n{problems}");
}

#[test]
fn no_two_types_have_one_name() {
    // Each crate may have an error of its own, as is usual.
    const OF_EACH_CRATE: [&str; 2] = ["Error", "Result"];
    let mut declared: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources() {
        // The SDK holds copies of modules of the contract, which the generator makes.
        let name = if source == "sdk-rust/src" { "proto/src" } else { &source };
        for (at, module) in Modules::read(&root().join(&source)).0 {
            let place = [vec![name.to_owned()], at].concat().join("::");
            for of in types(&module.text) {
                declared.entry(of).or_default().insert(place.clone());
            }
        }
    }
    assert!(declared.len() > 1000, "{} types were read", declared.len());
    declared.retain(|name, places| places.len() > 1 && !OF_EACH_CRATE.contains(&name.as_str()));
    assert!(declared.is_empty(), "these are names of several types: {declared:#?}");
}

#[test]
fn types_are_read_with_any_visibility() {
    let text = "pub struct A<'a>(&'a str);\n#[derive(Debug)]\npub(super) enum B {}\n\
        #[cfg(target_os = \"macos\")]\nstruct C;\ntype D = u8;\n    struct E;\n";
    assert_eq!(types(text), ["A", "B", "D"]);
}

#[test]
fn the_daemon_declares_its_modules_from_the_highest_layer_down() {
    let modules = Modules::read(&root().join("server/src"));
    let declared = &modules.0[&Vec::new()].parts;
    let place = |name: &String| declared.iter().position(|part| part == name);
    let edges = modules.edges(&[]);
    let upward: Vec<_> =
        edges.iter().filter(|((user, used), _)| place(user) > place(used)).collect();
    assert!(upward.is_empty(), "these use what lies above them: {upward:#?}");
}

#[test]
fn paths_are_read_from_groups_and_expressions() {
    let text = "use super::{a::{self, B}, c as d};\nlet x = crate::e::f(1) + other::crate_x();";
    let read: Vec<_> = paths(text).iter().map(|path| path.join("::")).collect();
    assert_eq!(read, ["crate::e::f", "super::a", "super::a::B", "super::c"]);
    let found = exported("\npub use a::{B, c as d};\n");
    assert_eq!(found["B"], ["a", "B"]);
    assert_eq!(found["d"], ["a", "c"]);
}
