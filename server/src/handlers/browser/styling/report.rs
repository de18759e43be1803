//! The looks of an element as text.

use browse_proto::v1;

/// Characters of a value that are shown.
const MAX_VALUE_CHARS: usize = 160;

/// Everything in `response`; with `history` also that there is none.
pub fn text(response: &v1::InspectResponse, history: bool) -> String {
    let mut out = Vec::new();
    if !response.r#ref.is_empty() {
        element(response, &mut out);
    }
    if history {
        out.push("changes by `style`:".to_owned());
        out.extend(response.history.iter().map(change));
        if response.history.is_empty() {
            out.push("  none".to_owned());
        }
    }
    out.join("\n")
}

fn element(response: &v1::InspectResponse, out: &mut Vec<String>) {
    let v1::InspectResponse { r#ref, element, selector, .. } = response;
    out.push(format!("{} {element} <{}>", r#ref, truncate(selector)));
    match &response.r#box {
        Some(model) => out.push(box_model(model)),
        None => out.push("box: none, it is not rendered".to_owned()),
    }
    let (own, pseudo): (Vec<_>, Vec<_>) =
        response.rules.iter().partition(|rule| rule.pseudo.is_empty());
    out.push("rules, strongest first:".to_owned());
    out.extend(own.iter().map(|rule| format!("  {}", self::rule(rule))));
    if own.is_empty() {
        out.push("  none of the page's".to_owned());
    }
    if !response.inherited.is_empty() {
        out.push("inherited:".to_owned());
        out.extend(response.inherited.iter().map(|rule| format!("  {}", self::rule(rule))));
    }
    let mut last = "";
    for rule in pseudo {
        if rule.pseudo != last {
            last = &rule.pseudo;
            out.push(format!("::{last}:"));
        }
        out.push(format!("  {}", self::rule(rule)));
    }
    if !response.computed.is_empty() {
        out.push("computed:".to_owned());
    }
    for (name, value) in merge_equal_sides(&response.computed) {
        out.push(format!("  {}: {}", truncate(&name), truncate(&value)));
    }
}

const SIDES: [&str; 4] = ["top", "right", "bottom", "left"];

/// The name without its side, and the side, of a property of one side of a box.
fn split_side(name: &str) -> Option<(String, &'static str)> {
    let side = SIDES.into_iter().find(|side| name.split('-').any(|part| part == *side))?;
    let is_box = matches!(name.split('-').next(), Some("margin" | "padding" | "border"));
    let whole = name.replacen(&format!("-{side}"), "", 1);
    (is_box && whole != "border").then_some((whole, side))
}

/// The computed properties with four equal sides as one: `margin: 4px`.
fn merge_equal_sides(computed: &[v1::ComputedProperty]) -> Vec<(String, String)> {
    let value_of = |name: &str| computed.iter().find(|one| one.name == name).map(|one| &one.value);
    let mut lines: Vec<(String, String)> = Vec::new();
    for one in computed {
        let Some((whole, side)) = split_side(&one.name) else {
            lines.push((one.name.clone(), one.value.clone()));
            continue;
        };
        let named = |other: &str| one.name.replacen(side, other, 1);
        let equal = SIDES.iter().all(|other| value_of(&named(other)) == Some(&one.value));
        if !equal {
            lines.push((one.name.clone(), one.value.clone()));
        } else if !lines.iter().any(|(name, _)| *name == whole) {
            lines.push((whole, one.value.clone()));
        }
    }
    lines
}

/// `box: 120x32 at 8,8, margin 0 8 0 0, border 1, padding 4 12`.
fn box_model(model: &v1::BoxModel) -> String {
    let bounds = model.border_box.unwrap_or_default();
    let mut text = format!("box: {}x{} at {},{}", bounds.width, bounds.height, bounds.x, bounds.y);
    for (name, sides) in
        [("margin", model.margin), ("border", model.border), ("padding", model.padding)]
    {
        let v1::Sides { top, right, bottom, left } = sides.unwrap_or_default();
        let widths = match (top == bottom, right == left, top == right) {
            (true, true, true) => format!("{top}"),
            (true, true, false) => format!("{top} {right}"),
            _ => format!("{top} {right} {bottom} {left}"),
        };
        text.push_str(&format!(", {name} {widths}"));
    }
    text.push_str(&format!(", content {}x{}", model.content_width, model.content_height));
    text
}

/// `#s (1,0,0) @media (min-width: 1px) site.css:12 { color: red; … }`.
fn rule(rule: &v1::StyleRule) -> String {
    let mut head = vec![truncate(&rule.selector)];
    if !rule.specificity.is_empty() {
        head.push(format!("({})", rule.specificity));
    }
    if !rule.layer.is_empty() {
        head.push(format!("@layer {}", truncate(&rule.layer)));
    }
    head.extend(rule.conditions.iter().map(|condition| truncate(condition)));
    match rule.origin.as_str() {
        "browser" => head.push("browser".to_owned()),
        _ if !rule.source.is_empty() => head.push(file_name_and_line(&rule.source)),
        _ => {}
    }
    let declarations: Vec<_> = rule.declarations.iter().map(declaration).collect();
    format!("{} {{ {} }}", head.join(" "), declarations.join("; "))
}

fn declaration(declaration: &v1::StyleDeclaration) -> String {
    let important = if declaration.important { " !important" } else { "" };
    let standing = match declaration.standing.as_str() {
        "wins" | "inherited" => String::new(),
        other => format!(" [{other}]"),
    };
    format!(
        "{}: {}{important}{standing}",
        truncate(&declaration.name),
        truncate(&declaration.value)
    )
}

/// `3 @e5 color: red → blue`.
fn change(change: &v1::StyleChange) -> String {
    let v1::StyleChange { id, r#ref, property, before, after, .. } = change;
    format!("  {id} {} {property}: {} → {}", r#ref, truncate(before), truncate(after))
}

/// The file of an address, which says enough.
fn file_name_and_line(source: &str) -> String {
    let (address, line) = source.rsplit_once(':').unwrap_or((source, ""));
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("/");
    truncate(&format!("{name}:{line}"))
}

fn truncate(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
