//! Counts where two trees agree.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use browse_chromium::Page;
use browse_engine::ENGINE_SCRIPT;
use serde_json::{Value, json};

/// Roles of what a person operates.
const OPERABLE: [&str; 19] = [
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "listbox",
    "option",
    "checkbox",
    "radio",
    "switch",
    "slider",
    "spinbutton",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "tab",
    "treeitem",
    "scrollbar",
    "PopUpButton",
];

/// What one of the two says about an element.
#[derive(Debug, Clone, Default)]
pub struct Side {
    pub role: String,
    pub name: String,
    pub raw: String,
}

/// How many differences of each kind there are.
#[derive(Default)]
pub struct Kinds(pub BTreeMap<String, usize>);

pub struct Agreement {
    pub equal: usize,
    pub all: usize,
    pub differences: Vec<String>,
}

pub async fn compare(
    page: &Page,
    ours: &HashMap<i64, Side>,
    theirs: &HashMap<i64, Side>,
    kinds: &mut Kinds,
) -> super::Outcome<Agreement> {
    let operable = |side: &Side| OPERABLE.contains(&side.role.as_str());
    let numbers: BTreeSet<i64> = ours
        .iter()
        .chain(theirs)
        .filter(|(_, side)| operable(side))
        .map(|(number, _)| *number)
        .collect();
    let mut agreement = Agreement { equal: 0, all: 0, differences: Vec::new() };
    for number in numbers {
        let (our, their) = (ours.get(&number), theirs.get(&number));
        if our.is_none()
            && let Some(why) = left_out(page, number, their).await?
        {
            *kinds.0.entry(format!("not counted: {why}")).or_default() += 1;
            continue;
        }
        agreement.all += 1;
        let Some(kind) = difference(our, their) else {
            agreement.equal += 1;
            continue;
        };
        *kinds.0.entry(kind.clone()).or_default() += 1;
        let text = |side: Option<&Side>| {
            side.map_or_else(|| "–".to_owned(), |side| format!("{} {:?}", side.role, side.name))
        };
        let html = html(page, number).await;
        agreement.differences.push(format!(
            "{kind}: ours {} theirs {}\n        {html}",
            text(our),
            text(their)
        ));
    }
    Ok(agreement)
}

fn difference(ours: Option<&Side>, theirs: Option<&Side>) -> Option<String> {
    match (ours, theirs) {
        (None, None) => None,
        (None, Some(theirs)) => Some(format!("only Chromium lists the {}", theirs.role)),
        (Some(ours), None) => Some(format!("only the engine lists the {}", ours.role)),
        (Some(ours), Some(theirs)) if ours.role != theirs.role => {
            Some(format!("role {} against {}", ours.role, theirs.raw))
        }
        (Some(ours), Some(theirs)) => {
            let (our, their) = (plain(&ours.name), plain(&theirs.name));
            let kind = match (our.as_str(), their.as_str()) {
                (our, their) if our == their => return None,
                (_, "") => "only the engine finds a name for the",
                ("", _) => "only Chromium finds a name for the",
                (our, their) if squeezed(our) == squeezed(their) => "spaces in the name of the",
                _ => "another name for the",
            };
            Some(format!("{kind} {}", ours.role))
        }
    }
}

fn plain(name: &str) -> String {
    let kept: String =
        name.chars().filter(|letter| !matches!(letter, '\u{e000}'..='\u{f8ff}')).collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn squeezed(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// Why an element that only Chromium lists does not count.
async fn left_out(
    page: &Page,
    number: i64,
    theirs: Option<&Side>,
) -> super::Outcome<Option<&'static str>> {
    let world = page.world(&page.main_frame().id, &ENGINE_SCRIPT).await?;
    let params = json!({ "backendNodeId": number, "executionContextId": world.context() });
    let node: Value = page.session().call_method("DOM.resolveNode", &params).await?;
    let object = node["object"]["objectId"].as_str().unwrap_or_default();
    let facts = "function () { return [this.getRootNode() === document, [...this.getClientRects()].some((box) => box.width > 0 && box.height > 0)]; }";
    let (in_page, has_area): (bool, bool) = world.call_on(object, facts, &[]).await?;
    Ok(match theirs {
        _ if !in_page => Some("inner part of a native control"),
        Some(theirs) if !has_area && plain(&theirs.name).is_empty() => Some("no name and no area"),
        _ => None,
    })
}

async fn html(page: &Page, number: i64) -> String {
    let outer: Result<Value, _> =
        page.session().call_method("DOM.getOuterHTML", &json!({ "backendNodeId": number })).await;
    let outer = outer
        .ok()
        .and_then(|outer| outer["outerHTML"].as_str().map(str::to_owned))
        .unwrap_or_default();
    outer.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}
