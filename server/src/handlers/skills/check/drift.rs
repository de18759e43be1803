//! Tells what is wrong with a page from what is only different.

use browse_proto::Command;

use crate::skills::record::UsedTarget;
use browse_engine::{RecordGroup, Region, TargetStanding};

/// How bad a difference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DriftSeverity {
    /// The script still works, on a page of another structure.
    Drifted,
    /// The script fails, or its result is empty.
    Broken,
}

/// A difference.
pub type DriftFinding = (DriftSeverity, String);

/// Share of the records that have a fact which is typical of them.
const TYPICAL_SHARE: f64 = 0.8;

/// Share of the records that still have a typical fact, at least.
const MIN_REMAINING_SHARE: f64 = 0.3;

/// Whether a command acts on an element, which therefore has to show.
fn acts_on_element(command: &str) -> bool {
    Command::by_name(command).is_some_and(Command::acts_on_element)
}

/// Roles that take text.
const TEXT_ROLES: &[&str] = &["textbox", "searchbox", "combobox", "spinbutton", "generic", ""];

/// Roles that can be checked.
const CHECKABLE_ROLES: &[&str] =
    &["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio", "option", "treeitem"];

/// What became of a selector. `was` is what it found in the fixture.
pub fn compare_target(
    used: &UsedTarget,
    now: &TargetStanding,
    was: Option<&TargetStanding>,
) -> Option<DriftFinding> {
    let (command, target) = (used.command.as_str(), used.target.as_str());
    let broken =
        |what: String| Some((DriftSeverity::Broken, format!("`{command}`: `{target}` {what}")));
    let drifted =
        |what: String| Some((DriftSeverity::Drifted, format!("`{command}`: `{target}` {what}")));
    if now.count == 0 {
        return broken("finds nothing".to_owned());
    }
    if now.count > 1 {
        return broken(format!("finds {} elements", now.count));
    }
    if now.visible == 0 && (acts_on_element(command) || matches!(command, "text" | "markdown")) {
        return broken("is hidden".to_owned());
    }
    if now.idle && acts_on_element(command) && command != "hover" {
        return broken("takes no input".to_owned());
    }
    let fits = match command {
        "fill" => TEXT_ROLES.contains(&now.role.as_str()) && now.tag != "select",
        "check" | "uncheck" => CHECKABLE_ROLES.contains(&now.role.as_str()),
        "select" => matches!(now.role.as_str(), "combobox" | "listbox") && now.tag != "input",
        _ => true,
    };
    if !fits {
        return broken(format!("is a {} now", now.role));
    }
    let has = |wanted: &String| {
        let wanted = wanted.to_lowercase();
        now.options.iter().any(|option| option.to_lowercase() == wanted)
    };
    if let Some(missing) = used.options.iter().find(|wanted| !has(wanted)) {
        return broken(format!("has no option `{missing}`"));
    }
    let role = if used.role.is_empty() {
        was.map(|was| was.role.as_str())
    } else {
        Some(used.role.as_str())
    };
    if let Some(role) = role.filter(|role| !role.is_empty() && *role != now.role) {
        return drifted(format!("is a {} now, and was a {role}", now.role));
    }
    if !used.kind.is_empty() && used.kind != now.kind {
        return drifted(format!("is of the type {} now, and was of {}", now.kind, used.kind));
    }
    let before = used.demands.as_ref().or(was.map(|was| &was.demands));
    if let Some(before) = before
        && let Some(new) = now.demands.iter().find(|name| !before.contains(name))
    {
        return drifted(format!("stands in a form that wants `{new}` as well"));
    }
    None
}

/// What became of a part of the page.
pub fn compare_region(name: &str, now: &Region, was: &Region) -> Vec<DriftFinding> {
    if !was.found || !now.found {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let drifted = |what: String| (DriftSeverity::Drifted, format!("{name}: {what}"));
    for headers in &was.tables {
        if now.tables.contains(headers) {
            continue;
        }
        findings.push(match nearest(headers, &now.tables) {
            Some(other) => drifted(format!(
                "the columns of a table are {}, and were {}",
                other.join(", "),
                headers.join(", ")
            )),
            None => drifted(format!("the table of {} is gone", headers.join(", "))),
        });
    }
    let Some(main) = main_group(&was.groups) else { return findings };
    let typical: Vec<&String> = typical(main);
    let overlap = |group: &&RecordGroup| {
        typical.iter().filter(|slot| share(group, slot) >= MIN_REMAINING_SHARE).count()
    };
    let size = |group: &&RecordGroup| group.size.min(main.size);
    let best = now.groups.iter().max_by_key(|group| (overlap(group), size(group)));
    match best.filter(|group| overlap(group) > 0) {
        None => findings.push(drifted(format!("the list of {} records is gone", main.size))),
        Some(group) => {
            let lost = typical.iter().filter(|slot| share(group, slot) < MIN_REMAINING_SHARE);
            findings
                .extend(lost.map(|slot| drifted(format!("the records have no {slot} any more"))));
        }
    }
    findings
}

fn share(group: &RecordGroup, slot: &str) -> f64 {
    group.slots.get(slot).copied().unwrap_or_default()
}

fn typical(group: &RecordGroup) -> Vec<&String> {
    group.slots.iter().filter(|(_, share)| **share >= TYPICAL_SHARE).map(|(slot, _)| slot).collect()
}

/// The group that the page is about: many records with much in common.
fn main_group(groups: &[RecordGroup]) -> Option<&RecordGroup> {
    let weight = |group: &&RecordGroup| group.size as usize * typical(group).len();
    // The outermost of equal ones comes first.
    groups.iter().rev().max_by_key(weight).filter(|group| weight(group) >= 4)
}

/// The headers that have most in common with `headers`.
fn nearest<'a>(headers: &[String], tables: &'a [Vec<String>]) -> Option<&'a Vec<String>> {
    let common =
        |other: &&Vec<String>| headers.iter().filter(|header| other.contains(header)).count();
    tables.iter().max_by_key(common).filter(|other| common(other) > 0)
}

/// Whether a text is figures only: a price, a count.
pub fn is_numeric(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    text.chars().any(|letter| letter.is_numeric()) && letters == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_an_element_wants_it_to_show() {
        let names = Command::all().iter().filter(|command| command.acts_on_element());
        let names: Vec<_> = names.map(|command| command.name).collect();
        for name in ["click", "dblclick", "fill", "select", "check", "uncheck", "hover", "drag"] {
            assert!(names.contains(&name), "{name} {names:?}");
        }
        for name in ["upload", "type", "press", "scroll", "text", "wait"] {
            assert!(!names.contains(&name), "{name} {names:?}");
        }
        let used =
            |command: &str| UsedTarget { command: command.to_owned(), ..UsedTarget::default() };
        let hidden = TargetStanding { count: 1, visible: 0, ..TargetStanding::default() };
        for name in names {
            let found = compare_target(&used(name), &hidden, None).expect("it is broken");
            assert!(found.1.ends_with("is hidden"), "{}", found.1);
        }
        assert_eq!(compare_target(&used("upload"), &hidden, None), None);
    }
}
