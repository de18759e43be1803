//! Everything about the looks of one element.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::json;

use super::cascade::{self, CascadeResult};
use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::rect::Rect;
use crate::page::refusal::element_label;
use crate::target::reference::Reference;
use crate::target::target::Target;
use browse_chromium::{BoxEdges, RuleOrigin, StyleRule};

/// Properties that are inherited (the property tables of the CSS modules);
/// custom ones are, too.
const INHERITED: &[&str] = &[
    "azimuth",
    "border-collapse",
    "border-spacing",
    "caption-side",
    "caret-color",
    "color",
    "color-scheme",
    "cursor",
    "direction",
    "empty-cells",
    "hyphens",
    "image-rendering",
    "letter-spacing",
    "line-break",
    "line-height",
    "list-style-image",
    "list-style-position",
    "list-style-type",
    "orphans",
    "overflow-wrap",
    "paint-order",
    "pointer-events",
    "quotes",
    "ruby-position",
    "stroke",
    "fill",
    "tab-size",
    "text-align",
    "text-align-last",
    "text-emphasis-color",
    "text-emphasis-style",
    "text-indent",
    "text-orientation",
    "text-rendering",
    "text-shadow",
    "text-transform",
    "text-underline-position",
    "text-wrap-mode",
    "text-wrap-style",
    "user-select",
    "visibility",
    "white-space-collapse",
    "widows",
    "word-break",
    "word-spacing",
    "writing-mode",
    "accent-color",
];

/// A rule with what became of its declarations.
#[derive(Debug, Clone)]
pub struct MatchedRule {
    /// The rule.
    pub rule: StyleRule,
    /// One for each declaration.
    pub results: Vec<CascadeResult>,
}

/// The looks of an element.
#[derive(Debug, Clone)]
pub struct ElementStyles {
    /// Its ref.
    pub reference: Reference,
    /// Role and name: `button "Save"`.
    pub label: String,
    /// Tag, id and classes: `button#save.primary`.
    pub selector: String,
    /// Rules that match, strongest first.
    pub rules: Vec<MatchedRule>,
    /// Rules of what it inherits from, nearest first, each strongest first.
    pub inherited: Vec<StyleRule>,
    /// Rules of its pseudo-elements, strongest first, with their names.
    pub pseudo: Vec<(String, Vec<MatchedRule>)>,
    /// Computed longhands, by name; of those that no rule of the page sets,
    /// only when all were asked for.
    pub computed: Vec<(String, String)>,
    /// Its border box in the viewport of the main frame, and its edges; none
    /// when it has no box.
    pub bounds: Option<(Rect, BoxEdges)>,
}

#[derive(Deserialize)]
struct InspectAnswer {
    role: String,
    name: String,
    selector: String,
}

impl Engine {
    /// Rules, computed styles and box of an element. With `all` also the rules
    /// of the browser, and every computed longhand.
    pub async fn inspect(&self, target: &Target, all: bool) -> Result<ElementStyles> {
        // The object of another question would be released with this one's.
        let _turn = self.state().action_lock.lock().await;
        let reference = self.resolve(target).await?;
        let element = Target::from_ref(reference);
        let (world, object) = self.remote_object(&element).await?;
        let known = self.query_target::<InspectAnswer>(&element, "introduce", json!({}));
        let asked = self.page().styles(world.frame(), &object);
        let (known, styles) = futures::future::join(known, asked).await;
        world.release("targets");
        let (known, styles) =
            (known?, styles.map_err(|e| self.with_target_context(&element, e.into()))?);
        let bounds = match styles.box_edges {
            Some(edges) => Some((self.bounds(&element).await?, edges)),
            None => None,
        };
        let inherited: Vec<_> = styles.inherited.into_iter().map(inheritable).collect();
        let set = page_set_longhands(&styles.rules, &inherited);
        let wanted = |(name, value): &(String, String)| match set.get(name) {
            _ if all => true,
            Some(true) => true,
            // A shorthand resets what it does not name.
            Some(false) => !is_initial(name, value),
            None => false,
        };
        let mut computed: Vec<_> = styles.computed.into_iter().filter(wanted).collect();
        computed.sort();
        computed.dedup();
        let keep = |rule: &StyleRule| all || rule.origin != RuleOrigin::Browser;
        Ok(ElementStyles {
            reference,
            label: element_label(&known.role, &known.name),
            selector: known.selector,
            rules: matched_rules(styles.rules, keep),
            inherited: inherited
                .into_iter()
                .flat_map(|rules| rules.into_iter().rev())
                .filter(keep)
                .collect(),
            pseudo: styles
                .pseudo
                .into_iter()
                .map(|(name, rules)| (name, matched_rules(rules, keep)))
                .filter(|(_, rules)| !rules.is_empty())
                .collect(),
            computed,
            bounds,
        })
    }
}

/// Strongest first, with the standing that each has among all.
fn matched_rules(rules: Vec<StyleRule>, keep: impl Fn(&StyleRule) -> bool) -> Vec<MatchedRule> {
    let standings = cascade::cascade_results(&rules);
    let all = rules.into_iter().zip(standings).rev();
    all.filter(|(rule, _)| keep(rule))
        .map(|(rule, standings)| MatchedRule { rule, results: standings })
        .collect()
}

/// The rules of an ancestor with only what they hand down.
fn inheritable(rules: Vec<StyleRule>) -> Vec<StyleRule> {
    let mut rules = rules;
    for rule in &mut rules {
        rule.declarations.retain(|one| one.longhands.iter().any(|name| is_inherited(name)));
    }
    rules.retain(|rule| !rule.declarations.is_empty());
    rules
}

fn is_inherited(name: &str) -> bool {
    name.starts_with("--") || name.starts_with("font-") || INHERITED.contains(&name)
}

/// The longhands that the page itself sets, on the element or by inheritance,
/// and whether by their own names.
fn page_set_longhands(own: &[StyleRule], inherited: &[Vec<StyleRule>]) -> HashMap<String, bool> {
    let mut set = HashMap::new();
    let own = own.iter().map(|rule| (rule, false));
    let handed = inherited.iter().flatten().map(|rule| (rule, true));
    for (rule, handed) in own.chain(handed) {
        if rule.origin == RuleOrigin::Browser {
            continue;
        }
        for declaration in &rule.declarations {
            for name in declaration.longhands.iter().filter(|name| !handed || is_inherited(name)) {
                *set.entry(name.clone()).or_insert(false) |= declaration.name == *name;
            }
        }
    }
    set
}

/// Whether a longhand has its initial value, of the shorthands that set many.
fn is_initial(name: &str, value: &str) -> bool {
    let family =
        |prefix: &str, values: &[&str]| name.starts_with(prefix) && values.contains(&value);
    family("font-", &["normal", "auto", "none", "100%"])
        || family("border-image-", &["none", "100%", "1", "0", "stretch"])
        || family(
            "background-",
            &["none", "0%", "repeat", "scroll", "padding-box", "border-box", "auto", "normal"],
        )
        || family("transition-", &["0s", "ease", "normal"])
        || family(
            "animation-",
            &["0s", "ease", "1", "normal", "none", "running", "auto", "replace"],
        )
        || family("mask-", &["none", "0%", "repeat", "border-box", "auto", "add", "match-source"])
        || family("grid-", &["none", "auto", "row"])
        || family("text-decoration-", &["auto", "solid"])
}
