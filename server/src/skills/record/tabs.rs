//! A script has one tab: the steps of several are put into one where that
//! comes to the same.

use browse_proto::Command;
use serde_json::json;

use super::step::{Role, Spot, Step};

/// The steps that lead to the last read, all in one tab. Those of a tab that
/// was opened, looked at and left again are marked as [`Step::aside`].
///
/// # Errors
/// Why one tab does not do.
pub fn of_one(steps: &[&Step]) -> Result<Vec<Step>, String> {
    let mut out: Vec<Step> = steps.iter().copied().cloned().collect();
    let read = steps.iter().rev().find(|step| step.answers() && step.failed.is_none());
    let Some(last) = read.map(|step| step.tab) else { return Ok(out) };
    set_aside(&mut out, last);
    let first = out.iter().position(|step| step.tab == last && !step.aside).unwrap_or_default();
    let before = |step: &&Step| !step.aside && step.tab != last && step.tab != 0;
    let opener = out[..first].iter().rposition(|step| step.opened == Some(last));
    if out[first].role() != Role::Open && out[..first].iter().any(|step| before(&step)) {
        let from = opener.ok_or("it was made in several tabs")?;
        let place = out[first].before.clone();
        out[from] = followed(&out[from], last, place).ok_or("a click opened its tab")?;
    }
    let idle = |step: &Step| {
        step.aside || matches!(step.role(), Role::Read | Role::Look) || step.failed.is_some()
    };
    for step in &mut out[first..] {
        match step.tab == last {
            // It is in this tab that the script goes on.
            true => step.opened = None,
            false if idle(&*step) => step.aside = true,
            false => return Err("it goes back and forth between tabs".to_owned()),
        }
    }
    let mut others: Vec<u64> = out[..first].iter().filter(before).map(|step| step.tab).collect();
    others.dedup();
    if others.len() > 1 {
        return Err("it was made in several tabs".to_owned());
    }
    Ok(out)
}

/// Marks the steps of tabs that a script does without, with the links that
/// opened them.
fn set_aside(steps: &mut [Step], last: u64) {
    let mut others: Vec<u64> = steps.iter().map(|step| step.tab).collect();
    others.extend(steps.iter().filter_map(|step| step.opened));
    others.sort_unstable();
    others.dedup();
    // The result may stand in a tab that one of them opened.
    let opens = |tab: u64| steps.iter().any(|step| step.tab == tab && step.opened == Some(last));
    let is_idle = |tab: u64| {
        let mut own = steps.iter().filter(|step| step.tab == tab && step.failed.is_none());
        own.all(|step| !step.has_effect() || step.is_link())
    };
    // What came before the last tab was there may be what it needs.
    let begun = steps.iter().position(|step| step.tab == last).unwrap_or_default();
    let is_later = |tab: u64| !steps[..begun].iter().any(|step| step.tab == tab);
    let aside: Vec<u64> = others
        .into_iter()
        .filter(|tab| *tab != last && *tab != 0 && !opens(*tab) && is_idle(*tab) && is_later(*tab))
        .collect();
    for step in steps {
        let opened = step.opened.filter(|tab| aside.contains(tab));
        step.aside |= aside.contains(&step.tab) || opened.is_some() && step.is_link();
        if opened.is_some() {
            step.opened = None;
        }
    }
}

/// A click on a link that opens a tab, as an address that is opened.
fn followed(click: &Step, tab: u64, place: Spot) -> Option<Step> {
    let url = click.leads.clone()?;
    Some(Step {
        command: Command::by_name("goto")?,
        fields: json!({ "url": url }).as_object().cloned()?,
        tab,
        before: Spot::default(),
        after: place,
        opened: None,
        leads: None,
        element: None,
        frame: None,
        ..click.clone()
    })
}
