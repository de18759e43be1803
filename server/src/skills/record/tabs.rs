//! A script has one tab: the steps of several are put into one where that
//! comes to the same.

use browse_proto::Command;
use serde_json::json;

use super::step::{Role, Spot, Step};

/// The steps that lead to the last read, all in one tab.
///
/// # Errors
/// Why one tab does not do.
pub fn of_one(steps: &[&Step]) -> Result<Vec<Step>, String> {
    let read = steps.iter().rev().find(|step| step.role() == Role::Read && step.failed.is_none());
    let Some(last) = read.map(|step| step.tab) else {
        return Ok(steps.iter().copied().cloned().collect());
    };
    let first = steps.iter().position(|step| step.tab == last).unwrap_or_default();
    let mut out: Vec<Step> = steps[..first].iter().copied().cloned().collect();
    let opener = out.iter().rposition(|step| step.opened == Some(last));
    if steps[first].role() != Role::Open && !out.is_empty() {
        let from = opener.ok_or("it was made in several tabs")?;
        let place = steps[first].before.clone();
        out[from] = followed(&out[from], last, place).ok_or("a click opened its tab")?;
    }
    let idle =
        |step: &Step| matches!(step.role(), Role::Read | Role::Look) || step.failed.is_some();
    for step in &steps[first..] {
        match step.tab == last {
            true => out.push((*step).clone()),
            false if idle(step) => {}
            false => return Err("it goes back and forth between tabs".to_owned()),
        }
    }
    let mut others: Vec<u64> =
        out.iter().map(|step| step.tab).filter(|tab| *tab != last && *tab != 0).collect();
    others.dedup();
    if others.len() > 1 {
        return Err("it was made in several tabs".to_owned());
    }
    Ok(out)
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
