//! The crates of the workspace are those of docs/architecture.md, in its order.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use serde_json::Value;

/// The table of docs/architecture.md: each crate with those that it uses, from the
/// lowest layer up.
fn documented(document: &str) -> Vec<(String, Vec<String>)> {
    let table = document.lines().skip_while(|line| !line.starts_with("| crate | "));
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, _, uses] = cells[..] else { panic!("not three cells: {row}") };
        let uses = uses.split(", ").filter(|name| !name.is_empty());
        let uses = uses.map(|name| name.trim_matches('`').to_owned());
        (name.trim_matches('`').to_owned(), uses.collect())
    })
    .collect()
}

/// The crates of the workspace without the prefix `browse-`, each with those of the
/// workspace that it is built with.
fn built() -> BTreeMap<String, Vec<String>> {
    let asked = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    let metadata: Value = serde_json::from_slice(&asked.stdout).expect("metadata");
    let packages = metadata["packages"].as_array().expect("packages");
    let short = |package: &Value| {
        let name = package["name"].as_str().expect("a name");
        name.trim_start_matches("browse-").to_owned()
    };
    let own: Vec<_> = packages.iter().map(short).collect();
    packages
        .iter()
        .map(|package| {
            let used = package["dependencies"].as_array().expect("dependencies").iter();
            // Tests may use what stands above them.
            let used = used.filter(|used| used["kind"] != "dev" && !used["path"].is_null());
            let mut used: Vec<_> = used.map(short).filter(|name| own.contains(name)).collect();
            used.sort();
            used.dedup();
            (short(package), used)
        })
        .collect()
}

#[test]
fn the_crates_are_those_of_the_architecture() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/architecture.md");
    let rows = documented(&fs::read_to_string(path).expect("the document"));
    for (at, (name, uses)) in rows.iter().enumerate() {
        for used in uses {
            let below = rows[..at].iter().any(|(lower, _)| lower == used);
            assert!(below, "`{name}` uses `{used}`, which does not stand above it in the table");
        }
    }
    let mut documented: BTreeMap<_, _> = rows.into_iter().collect();
    documented.values_mut().for_each(|uses| uses.sort());
    assert_eq!(documented, built());
}
