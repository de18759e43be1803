//! Why an element looks as it does.

use browse_proto::{Reason, v1};

use super::report;
use crate::{dispatch::CallContext, handlers::browser::bounds::to_box};
use browse_base::{Error, Result};
use browse_chromium::{RuleOrigin, StyleRule};
use browse_content::Sources;
use browse_engine::{CascadeResult, ElementStyles, MatchedRule, Target, UndoableChange};

/// Answers the rules, styles and box of an element, and the changes that
/// `style` made.
pub async fn inspect(cx: &CallContext, request: v1::InspectRequest) -> Result<v1::InspectResponse> {
    let wants_element = request.target.is_some() || request.at.is_some() || !request.history;
    let inspected = match wants_element {
        true => {
            Some(cx.engine().inspect(&inspected_target(cx, &request).await?, request.all).await?)
        }
        false => None,
    };
    let changes = request.history.then(|| cx.engine().style_changes());
    let mut response = inspected.map(to_response).unwrap_or_default();
    response.history = changes.iter().flatten().map(to_style_change).collect();
    if !request.structured {
        let report = report::text(&response, request.history);
        return Ok(v1::InspectResponse { report, ..Default::default() });
    }
    Ok(response)
}

async fn inspected_target(cx: &CallContext, request: &v1::InspectRequest) -> Result<Target> {
    let Some(point) = &request.at else {
        return Ok(request.target.as_deref().unwrap_or("body").parse()?);
    };
    let (x, y) = parse_point(point).ok_or_else(|| {
        let message = format!("`{}` is not a point: x,y", browse_base::quote(point));
        Error::new(Reason::ArgumentInvalid, message).with("command", "inspect")
    })?;
    let target = Target::from_ref(cx.engine().element_at(x, y).await?);
    // It may be in a frame of another site.
    let frame = cx.engine().frame_for_target(Some(&target)).await?;
    let mut sources = Sources::default();
    if sources.add_url(&cx.page().frame(&frame)?.url) {
        cx.set_sources(sources);
    }
    Ok(target)
}

fn parse_point(text: &str) -> Option<(f64, f64)> {
    let (x, y) = text.split_once(',')?;
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    Some((number(x)?, number(y)?))
}

fn to_response(inspected: ElementStyles) -> v1::InspectResponse {
    let of_pseudo = |(name, rules): (String, Vec<MatchedRule>)| {
        rules.into_iter().map(move |judged| to_style_rule(judged, &name, "")).collect::<Vec<_>>()
    };
    v1::InspectResponse {
        report: String::new(),
        r#ref: inspected.reference.to_string(),
        element: inspected.label,
        selector: inspected.selector,
        r#box: inspected.bounds.map(|(bounds, edges)| v1::BoxModel {
            border_box: Some(to_box(bounds)),
            margin: Some(sides(edges.margin)),
            border: Some(sides(edges.border)),
            padding: Some(sides(edges.padding)),
            content_width: round(edges.width),
            content_height: round(edges.height),
        }),
        rules: inspected
            .rules
            .into_iter()
            .map(|judged| to_style_rule(judged, "", ""))
            .chain(inspected.pseudo.into_iter().flat_map(of_pseudo))
            .collect(),
        inherited: inspected.inherited.into_iter().map(inherited_rule).collect(),
        computed: inspected
            .computed
            .into_iter()
            .map(|(name, value)| v1::ComputedProperty { name, value })
            .collect(),
        history: Vec::new(),
    }
}

/// A change as the contract has it.
pub fn to_style_change(change: &UndoableChange) -> v1::StyleChange {
    v1::StyleChange {
        id: change.id,
        r#ref: change.reference.to_string(),
        target: change.target.clone(),
        property: change.property.clone(),
        value: change.value.clone(),
        before: change.before.clone(),
        after: change.after.clone(),
    }
}

fn inherited_rule(rule: StyleRule) -> v1::StyleRule {
    let standings = vec![CascadeResult::Applied; rule.declarations.len()];
    self::to_style_rule(MatchedRule { rule, results: standings }, "", "inherited")
}

fn to_style_rule(judged: MatchedRule, pseudo: &str, standing: &str) -> v1::StyleRule {
    let MatchedRule { rule, results: standings } = judged;
    let source = match rule.line {
        Some(line) if !rule.url.is_empty() => format!("{}:{line}", rule.url),
        _ => rule.url,
    };
    let declarations = rule.declarations.into_iter().zip(standings);
    v1::StyleRule {
        selector: rule.selector,
        specificity: rule.specificity.map(|(a, b, c)| format!("{a},{b},{c}")).unwrap_or_default(),
        origin: match rule.origin {
            RuleOrigin::Browser => "browser",
            RuleOrigin::Attributes => "attributes",
            RuleOrigin::Page => "page",
            RuleOrigin::Inline => "inline",
        }
        .to_owned(),
        pseudo: pseudo.to_owned(),
        conditions: rule.conditions,
        layer: rule.layer,
        source,
        declarations: declarations
            .map(|(declaration, own)| v1::StyleDeclaration {
                name: declaration.name,
                value: declaration.value,
                important: declaration.important,
                standing: match (standing, own) {
                    ("", CascadeResult::Applied) => "wins",
                    ("", CascadeResult::PartlyOverridden) => "partly overridden",
                    ("", CascadeResult::Overridden) => "overridden",
                    (other, _) => other,
                }
                .to_owned(),
            })
            .collect(),
    }
}

fn sides([top, right, bottom, left]: [f64; 4]) -> v1::Sides {
    v1::Sides { top: round(top), right: round(right), bottom: round(bottom), left: round(left) }
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
