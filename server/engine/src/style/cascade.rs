//! Which declaration wins: the cascade of CSS over the rules of one element.
//!
//! The browser lists rules by their strength for normal declarations. For
//! `!important` ones origins and layers count the other way round (CSS
//! Cascading and Inheritance Level 5, section 6).

use std::collections::HashMap;

use browse_chromium::{Declaration, RuleOrigin, StyleRule};

/// What became of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CascadeResult {
    /// It sets everything that it names.
    Applied,
    /// Some of its longhands are set by stronger ones.
    PartlyOverridden,
    /// Stronger ones set all that it names.
    Overridden,
}

/// How strong a declaration is; what is written later wins among equals.
type CascadePriority = (bool, i32, i32, usize, usize);

/// The standing of each declaration, by rule and place; `rules` come weakest
/// first.
pub(crate) fn cascade_results(rules: &[StyleRule]) -> Vec<Vec<CascadeResult>> {
    let layers = layers(rules);
    let strength = |at: usize, place: usize| -> CascadePriority {
        let rule = &rules[at];
        let important = rule.declarations[place].important;
        let origin = match rule.origin {
            RuleOrigin::Browser => 0,
            _ => 1,
        };
        let layer = match rule.origin {
            // A style attribute is above all layers, whichever way they count.
            RuleOrigin::Inline => i32::MAX,
            _ => layers.get(rule.layer.as_str()).copied().unwrap_or_default(),
        };
        match important {
            false => (false, origin, layer, at, place),
            true => {
                let layer = if rule.origin == RuleOrigin::Inline { layer } else { -layer };
                (true, -origin, layer, at, place)
            }
        }
    };
    let mut winners: HashMap<&str, CascadePriority> = HashMap::new();
    for (at, rule) in rules.iter().enumerate() {
        for (place, declaration) in rule.declarations.iter().enumerate() {
            let own = strength(at, place);
            for longhand in &declaration.longhands {
                let winner = winners.entry(longhand).or_insert(own);
                *winner = own.max(*winner);
            }
        }
    }
    let standing = |at: usize, place: usize, declaration: &Declaration| {
        let wins = |name: &&String| winners.get(name.as_str()) == Some(&strength(at, place));
        match declaration.longhands.iter().filter(wins).count() {
            0 => CascadeResult::Overridden,
            count if count == declaration.longhands.len() => CascadeResult::Applied,
            _ => CascadeResult::PartlyOverridden,
        }
    };
    let of_rule = |(at, rule): (usize, &StyleRule)| {
        let all = rule.declarations.iter().enumerate();
        all.map(|(place, declaration)| standing(at, place, declaration)).collect()
    };
    rules.iter().enumerate().map(of_rule).collect()
}

/// The layers of the page's rules in their order; what is in none is strongest.
fn layers(rules: &[StyleRule]) -> HashMap<&str, i32> {
    let mut order = HashMap::new();
    for rule in rules.iter().filter(|rule| rule.origin == RuleOrigin::Page) {
        let next = i32::try_from(order.len()).unwrap_or(i32::MAX);
        if !rule.layer.is_empty() {
            order.entry(rule.layer.as_str()).or_insert(next);
        }
    }
    let above = i32::try_from(order.len()).unwrap_or(i32::MAX);
    order.insert("", above);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(origin: RuleOrigin, layer: &str, text: &str) -> StyleRule {
        let declaration = |part: &str| {
            let (name, value) = part.split_once(':').expect("a declaration");
            let longhands = match name {
                "margin" => vec!["margin-top".to_owned(), "margin-left".to_owned()],
                name => vec![name.to_owned()],
            };
            Declaration {
                name: name.to_owned(),
                value: value.trim_end_matches('!').to_owned(),
                important: value.ends_with('!'),
                longhands,
            }
        };
        StyleRule {
            origin,
            selector: String::new(),
            specificity: None,
            conditions: Vec::new(),
            layer: layer.to_owned(),
            url: String::new(),
            line: None,
            declarations: text.split(';').map(declaration).collect(),
        }
    }

    #[test]
    fn the_stronger_wins_and_important_turns_layers_round() {
        use {CascadeResult::*, RuleOrigin::*};
        let rules = [
            rule(Browser, "", "display:block;color:x!"),
            rule(Attributes, "", "align:left"),
            rule(Page, "base", "top:1!;left:1"),
            rule(Page, "theme", "top:2!;left:2"),
            rule(Page, "", "top:3!;margin:4;align:right"),
            rule(Inline, "", "margin-top:5;color:y!;display:none;left:3"),
        ];
        assert_eq!(
            cascade_results(&rules),
            [
                vec![Overridden, Applied],
                vec![Overridden],
                vec![Applied, Overridden],
                vec![Overridden, Overridden],
                vec![Overridden, PartlyOverridden, Applied],
                vec![Applied, Overridden, Applied, Applied],
            ]
        );
    }
}
