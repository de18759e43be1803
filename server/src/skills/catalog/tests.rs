//! Which skills are found, and when.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::{Catalog, Tier};

fn write(tier: &Path, name: &str, description: &str) {
    let folder = tier.join(name);
    fs::create_dir_all(&folder).expect("made");
    let text = format!("---\nname: {name}\ndescription: {description}\nhost: a.example\n---\n");
    fs::write(folder.join("SKILL.md"), text).expect("written");
    fs::write(folder.join("script.py"), "").expect("written");
}

fn described(catalog: &Catalog, tier: Option<Tier>) -> Vec<String> {
    let describe = |skill: &super::Skill| {
        let description = skill.contents().map(|contents| contents.manifest.description.clone());
        format!(
            "{} {} {}",
            skill.name,
            skill.tier.name(),
            description.unwrap_or("broken".to_owned())
        )
    };
    catalog.list(tier).iter().map(describe).collect()
}

#[test]
fn the_first_tier_wins_and_each_can_be_picked() {
    let root = tempfile::tempdir().expect("a folder");
    let (project, global) = (root.path().join("p"), root.path().join("g"));
    let tiers = vec![(Tier::Project, project.clone()), (Tier::Global, global.clone())];
    let catalog = Catalog::new(tiers);
    assert!(described(&catalog, None).is_empty());
    write(&global, "b", "global");
    write(&global, "a", "global");
    assert_eq!(described(&catalog, None), ["a global global", "b global global"]);
    write(&project, "b", "project");
    assert_eq!(described(&catalog, None), ["a global global", "b project project"]);
    assert_eq!(described(&catalog, Some(Tier::Global)), ["a global global", "b global global"]);
    assert_eq!(catalog.find("b", None).expect("there").tier, Tier::Project);
    assert_eq!(catalog.find("b", Some(Tier::Global)).expect("there").tier, Tier::Global);
    assert!(catalog.find("c", None).is_err());
}

/// How long a listing takes, the benchmark says.
#[test]
fn what_has_not_changed_is_not_read_again() {
    let root = tempfile::tempdir().expect("a folder");
    let catalog = Catalog::new(vec![(Tier::Global, root.path().to_owned())]);
    for number in 0..50 {
        write(root.path(), &format!("s{number}"), "one");
    }
    // The watcher may have news of the writing yet.
    let settled = || Arc::ptr_eq(&catalog.all(), &catalog.all());
    assert!((0..20).any(|_| settled()), "each listing reads all again");
    let known = catalog.all();
    write(root.path(), "s7", "two");
    assert!(!Arc::ptr_eq(&known, &catalog.all()));
}

#[test]
fn changes_are_seen_at_once() {
    let root = tempfile::tempdir().expect("a folder");
    let catalog = Catalog::new(vec![(Tier::Global, root.path().to_owned())]);
    write(root.path(), "a", "one");
    assert_eq!(described(&catalog, None), ["a global one"]);
    write(root.path(), "a", "another");
    assert_eq!(described(&catalog, None), ["a global another"]);
    fs::remove_file(root.path().join("a/script.py")).expect("removed");
    assert_eq!(described(&catalog, None), ["a global broken"]);
    fs::remove_dir_all(root.path().join("a")).expect("removed");
    assert!(described(&catalog, None).is_empty());
}

#[test]
fn folders_that_are_no_skills_say_why() {
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(root.path().join("empty")).expect("made");
    fs::create_dir_all(root.path().join(".tombstones")).expect("made");
    fs::write(root.path().join("file"), "").expect("written");
    let catalog = Catalog::new(vec![(Tier::Global, root.path().to_owned())]);
    let list = catalog.list(None);
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].problem(), Some("it has no SKILL.md"));
}
