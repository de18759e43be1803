//! `docs/security.md` links each rule to a test that exists.
//!
//! The links are the last lines of the document. `UPDATE=1` writes them anew
//! from the sources, for instance after a test has moved to another file.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

const LINKS: &str = "<!-- Links to the tests, generated:";

#[test]
fn each_rule_of_security_links_to_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path = root.join("docs/security.md");
    let document = fs::read_to_string(&path).expect("the rules");
    let (rules, links) = document.split_once(LINKS).expect("the line before the links");

    let rows = rows(rules);
    assert!(rows.len() > 80, "{} rules", rows.len());
    let mut named = BTreeSet::new();
    for row in rows {
        let cell = row.trim_end_matches('|').rsplit(" | ").next().unwrap_or_default().trim();
        for link in cell.split(", ") {
            let name = link.strip_prefix("[`").and_then(|rest| rest.strip_suffix("`]"));
            named.insert(name.unwrap_or_else(|| panic!("{row}: `{link}` is not a link to a test")));
        }
    }

    let tests = tests(&root);
    let head = links.lines().next().unwrap_or_default();
    let mut fresh = format!("{rules}{LINKS}{head}\n");
    for name in named {
        let file = tests.get(name).unwrap_or_else(|| panic!("there is no test `{name}`"));
        fresh += &format!("[`{name}`]: ../{file}\n");
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &fresh).expect("a writable document");
    } else {
        assert!(document == fresh, "the links of docs/security.md are stale: run with UPDATE=1");
    }
}

/// Rows of the tables whose last column is `test`.
fn rows(document: &str) -> Vec<&str> {
    let mut in_table = false;
    let lines = document.lines().filter(|line| {
        let is_head = line.starts_with('|') && line.ends_with("| test |");
        in_table = line.starts_with('|') && (in_table || is_head);
        in_table && !is_head && !line.starts_with("|--")
    });
    lines.collect()
}

/// The file of each test function.
fn tests(root: &Path) -> BTreeMap<String, String> {
    let mut tests = BTreeMap::new();
    for file in
        ["server", "cli", "mcp", "proto"].iter().flat_map(|folder| sources(&root.join(folder)))
    {
        let source = fs::read_to_string(&file).expect("a source file");
        let shown =
            file.strip_prefix(root).expect("a file of the repository").display().to_string();
        let mut is_test = false;
        for line in source.lines().map(str::trim) {
            let function = line.trim_start_matches("async ").strip_prefix("fn ");
            if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
                is_test = true;
            } else if let Some((name, _)) = function.and_then(|rest| rest.split_once('('))
                && std::mem::take(&mut is_test)
            {
                tests.insert(name.to_owned(), shown.clone());
            }
        }
    }
    tests
}

/// Every Rust file below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of sources");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| !path.ends_with("node_modules") && !path.ends_with("target"))
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false if path.extension().is_some_and(|end| end == "rs") => vec![path],
            false => Vec::new(),
        })
        .collect()
}
