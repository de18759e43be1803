//! A script has one tab: the steps of several are put into one where that
//! comes to the same.

use browse_proto::{Command, StepRole};
use serde_json::json;

use super::step::{PageLocation, RecordedStep};

/// The steps that lead to the last read, all in one tab. Those of a tab that
/// was opened, looked at and left again are marked as [`Step::aside`].
///
/// # Errors
/// Why one tab does not do.
pub fn merge_into_one_tab(steps: &[&RecordedStep]) -> Result<Vec<RecordedStep>, String> {
    let mut out: Vec<RecordedStep> = steps.iter().copied().cloned().collect();
    let read = steps.iter().rev().find(|step| step.has_result() && step.failure_reason.is_none());
    let Some(last) = read.map(|step| step.tab) else { return Ok(out) };
    mark_other_tabs(&mut out, last);
    let first =
        out.iter().position(|step| step.tab == last && !step.in_other_tab).unwrap_or_default();
    let before = |step: &&RecordedStep| !step.in_other_tab && step.tab != last && step.tab != 0;
    let opener = out[..first].iter().rposition(|step| step.opened_tab == Some(last));
    if out[first].role() != StepRole::Open && out[..first].iter().any(|step| before(&step)) {
        let from = opener.ok_or("it was made in several tabs")?;
        let place = out[first].before.clone();
        out[from] = open_link_step(&out[from], last, place).ok_or("a click opened its tab")?;
    }
    let idle = |step: &RecordedStep| {
        step.in_other_tab
            || matches!(step.role(), StepRole::Read | StepRole::Inspect)
            || step.failure_reason.is_some()
    };
    for step in &mut out[first..] {
        match step.tab == last {
            // It is in this tab that the script goes on.
            true => step.opened_tab = None,
            false if idle(&*step) => step.in_other_tab = true,
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
fn mark_other_tabs(steps: &mut [RecordedStep], last: u64) {
    let mut others: Vec<u64> = steps.iter().map(|step| step.tab).collect();
    others.extend(steps.iter().filter_map(|step| step.opened_tab));
    others.sort_unstable();
    others.dedup();
    // The result may stand in a tab that one of them opened.
    let opens =
        |tab: u64| steps.iter().any(|step| step.tab == tab && step.opened_tab == Some(last));
    let is_idle = |tab: u64| {
        let mut own = steps.iter().filter(|step| step.tab == tab && step.failure_reason.is_none());
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
        let opened = step.opened_tab.filter(|tab| aside.contains(tab));
        step.in_other_tab |= aside.contains(&step.tab) || opened.is_some() && step.is_link();
        if opened.is_some() {
            step.opened_tab = None;
        }
    }
}

/// A click on a link that opens a tab, as an address that is opened.
fn open_link_step(click: &RecordedStep, tab: u64, place: PageLocation) -> Option<RecordedStep> {
    let url = click.link_url.clone()?;
    Some(RecordedStep {
        command: Command::by_name("goto")?,
        fields: json!({ "url": url }).as_object().cloned()?,
        tab,
        before: PageLocation::default(),
        after: place,
        opened_tab: None,
        link_url: None,
        element: None,
        frame: None,
        ..click.clone()
    })
}
