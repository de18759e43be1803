//! The answers of `CSS` and `DOM` about one element, and how they are read.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::styles::{BoxEdges, Declaration, MatchedStyles, RuleOrigin, StyleRule, StylesheetIndex};

#[derive(Deserialize)]
pub(super) struct StyleSheetAdded {
    pub header: StyleSheetHeader,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StyleSheetHeader {
    pub style_sheet_id: String,
    #[serde(
        default,
        rename = "sourceURL",
        deserialize_with = "crate::url_credentials::deserialize_url"
    )]
    pub source_url: String,
    #[serde(default)]
    pub start_line: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestNodeResult {
    pub node_id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ComputedStyleResult {
    pub computed_style: Vec<WireProperty>,
}

#[derive(Deserialize)]
pub(super) struct BoxModelResult {
    pub model: WireBox,
}

#[derive(Deserialize)]
pub(super) struct WireBox {
    content: Vec<f64>,
    padding: Vec<f64>,
    border: Vec<f64>,
    margin: Vec<f64>,
}

impl WireBox {
    /// Exact unless the element is turned: then the box is that of its corners.
    pub fn edges(&self) -> BoxEdges {
        let bounds = |quad: &[f64]| {
            let axis = |from: usize| {
                let all = quad.iter().skip(from).step_by(2);
                all.fold((f64::MAX, f64::MIN), |(least, most), at| (least.min(*at), most.max(*at)))
            };
            (axis(0), axis(1))
        };
        let between = |outer: &[f64], inner: &[f64]| {
            let ((left, right), (top, bottom)) = bounds(outer);
            let ((inner_left, inner_right), (inner_top, inner_bottom)) = bounds(inner);
            [inner_top - top, right - inner_right, bottom - inner_bottom, inner_left - left]
        };
        let ((left, right), (top, bottom)) = bounds(&self.content);
        BoxEdges {
            margin: between(&self.margin, &self.border),
            border: between(&self.border, &self.padding),
            padding: between(&self.padding, &self.content),
            width: right - left,
            height: bottom - top,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct MatchedStylesResult {
    inline_style: Option<WireStyle>,
    attributes_style: Option<WireStyle>,
    #[serde(rename = "matchedCSSRules")]
    matched: Vec<WireMatch>,
    pseudo_elements: Vec<WirePseudo>,
    inherited: Vec<WireInherited>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireInherited {
    inline_style: Option<WireStyle>,
    #[serde(rename = "matchedCSSRules")]
    matched: Vec<WireMatch>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WirePseudo {
    pseudo_type: String,
    #[serde(default)]
    pseudo_identifier: Option<String>,
    matches: Vec<WireMatch>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMatch {
    rule: WireRule,
    matching_selectors: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireRule {
    #[serde(default)]
    style_sheet_id: Option<String>,
    selector_list: WireSelectors,
    origin: String,
    style: WireStyle,
    #[serde(default)]
    media: Vec<WireText>,
    #[serde(default)]
    container_queries: Vec<WireText>,
    #[serde(default)]
    supports: Vec<WireText>,
    #[serde(default)]
    layers: Vec<WireText>,
}

#[derive(Deserialize)]
struct WireText {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct WireSelectors {
    selectors: Vec<WireSelector>,
}

#[derive(Deserialize)]
struct WireSelector {
    text: String,
    #[serde(default)]
    specificity: Option<WireSpecificity>,
    #[serde(default)]
    range: Option<WireRange>,
}

#[derive(Deserialize)]
struct WireSpecificity {
    a: u32,
    b: u32,
    c: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireRange {
    start_line: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireStyle {
    css_properties: Vec<WireProperty>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireProperty {
    pub name: String,
    pub value: String,
    #[serde(default)]
    important: bool,
    #[serde(default)]
    disabled: bool,
    #[serde(default)]
    parsed_ok: Option<bool>,
    #[serde(default)]
    range: Option<IgnoredAny>,
    #[serde(default)]
    longhand_properties: Vec<WireProperty>,
}

impl MatchedStylesResult {
    pub fn styles(self, sheets: &StylesheetIndex) -> MatchedStyles {
        let rules = |matched: Vec<WireMatch>| -> Vec<StyleRule> {
            matched.into_iter().map(|matched| matched.rule(sheets)).collect()
        };
        let (browser, page): (Vec<_>, Vec<_>) =
            rules(self.matched).into_iter().partition(|rule| rule.origin == RuleOrigin::Browser);
        let attributes =
            self.attributes_style.map(|style| own_style_rule(RuleOrigin::Attributes, style));
        let inline = self.inline_style.map(|style| own_style_rule(RuleOrigin::Inline, style));
        let filled = |rule: &StyleRule| !rule.declarations.is_empty();
        let all = browser.into_iter().chain(attributes).chain(page).chain(inline);
        let inherited = self.inherited.into_iter().map(|from| {
            let inline = from.inline_style.map(|style| own_style_rule(RuleOrigin::Inline, style));
            rules(from.matched).into_iter().chain(inline).filter(filled).collect()
        });
        let pseudo = self.pseudo_elements.into_iter().map(|pseudo| {
            let name = match pseudo.pseudo_identifier {
                Some(part) => format!("{}({part})", pseudo.pseudo_type),
                None => pseudo.pseudo_type,
            };
            (name, rules(pseudo.matches))
        });
        MatchedStyles {
            rules: all.filter(filled).collect(),
            inherited: inherited.collect(),
            pseudo: pseudo.collect(),
            ..MatchedStyles::default()
        }
    }
}

/// What an element says of itself.
fn own_style_rule(origin: RuleOrigin, style: WireStyle) -> StyleRule {
    let selector = if origin == RuleOrigin::Inline { "element.style" } else { "attributes" };
    StyleRule {
        origin,
        selector: selector.to_owned(),
        specificity: None,
        conditions: Vec::new(),
        layer: String::new(),
        url: String::new(),
        line: None,
        declarations: style.declarations(),
    }
}

impl WireMatch {
    fn rule(self, sheets: &StylesheetIndex) -> StyleRule {
        let rule = self.rule;
        let all = &rule.selector_list.selectors;
        let matching: Vec<_> =
            self.matching_selectors.iter().filter_map(|at| all.get(*at)).collect();
        let specificity = matching.iter().filter_map(|selector| selector.specificity.as_ref());
        let sheet = rule.style_sheet_id.as_ref().and_then(|id| sheets.get(id));
        let range = matching.first().and_then(|selector| selector.range.as_ref());
        let line = |first: u32| range.map(|range| first + range.start_line + 1);
        let named = |word: &'static str, texts: &[WireText]| -> Vec<String> {
            texts.iter().map(|text| format!("{word} {}", text.text)).collect()
        };
        let conditions = [
            named("@media", &rule.media),
            named("@supports", &rule.supports),
            named("@container", &rule.container_queries),
        ];
        let layers: Vec<_> = rule.layers.iter().rev().map(|layer| layer.text.as_str()).collect();
        StyleRule {
            origin: if rule.origin == "user-agent" {
                RuleOrigin::Browser
            } else {
                RuleOrigin::Page
            },
            selector: matching.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(", "),
            specificity: specificity.map(|s| (s.a, s.b, s.c)).max(),
            conditions: conditions.concat(),
            layer: layers.join("."),
            url: sheet.map(|(url, _)| url.clone()).unwrap_or_default(),
            line: sheet.and_then(|(_, first)| line(*first)),
            declarations: rule.style.declarations(),
        }
    }
}

impl WireStyle {
    /// Sheets of the page list what was written, with its place in the text,
    /// and then all longhands once more; other styles list longhands only.
    fn declarations(self) -> Vec<Declaration> {
        let written = self.css_properties.iter().any(|property| property.range.is_some());
        let counts = |property: &WireProperty| {
            (!written || property.range.is_some())
                && !property.disabled
                && property.parsed_ok != Some(false)
        };
        let all = self.css_properties.into_iter().filter(counts);
        all.map(|property| {
            let longhands: Vec<_> =
                property.longhand_properties.into_iter().map(|one| one.name).collect();
            let value = property.value.trim().trim_end_matches("important").trim_end();
            let value = match property.important {
                true => value.trim_end_matches('!').trim_end(),
                false => property.value.trim(),
            };
            Declaration {
                value: value.to_owned(),
                important: property.important,
                longhands: if longhands.is_empty() {
                    vec![property.name.clone()]
                } else {
                    longhands
                },
                name: property.name,
            }
        })
        .collect()
    }
}
