//! Adds one member or element to a JSON text, or takes it out.

use serde_json::{Map, Value};

use super::{
    scan::{self, Item, JsonNode, NodeKind},
    style::{self, Style},
};

/// Where something belongs in a file.
pub struct ItemPlace<'a> {
    /// Keys from the root to the container.
    pub container: &'a [&'a str],
    /// Key of the member; none for an element of a list.
    pub key: Option<&'a str>,
    /// Whether an element of the list is the one that is meant.
    pub is_element: fn(&Value) -> bool,
}

/// A range of the text, and what comes in its place.
type Splice = (std::ops::Range<usize>, String);

impl ItemPlace<'_> {
    fn is_item(&self, item: &Item) -> bool {
        match self.key {
            Some(key) => item.key == key,
            None => (self.is_element)(&item.value.to_value()),
        }
    }

    /// The containers that there are, from the root on.
    fn containers<'n>(&self, root: &'n JsonNode) -> Result<Vec<&'n JsonNode>, String> {
        if !matches!(root.kind, NodeKind::Object(_)) {
            return Err("it is not an object".to_owned());
        }
        let mut found = vec![root];
        for (depth, key) in self.container.iter().enumerate() {
            let Some(next) = found.last().and_then(|node| node.member(key)) else { break };
            let is_last = depth + 1 == self.container.len();
            let fits = match next.kind {
                NodeKind::Object(_) => self.key.is_some() || !is_last,
                NodeKind::Array(_) => self.key.is_none() && is_last,
                NodeKind::Scalar(_) => false,
            };
            if !fits {
                let kind = if self.key.is_none() && is_last { "a list" } else { "an object" };
                return Err(format!("`{}` is not {kind}", self.container[..=depth].join(".")));
            }
            found.push(next);
        }
        Ok(found)
    }

    /// The item and its container, if both are there.
    fn find<'n>(&self, root: &'n JsonNode) -> Result<Option<(&'n JsonNode, usize)>, String> {
        let containers = self.containers(root)?;
        if containers.len() <= self.container.len() {
            return Ok(None);
        }
        let Some(container) = containers.last() else { return Ok(None) };
        let found = container.items().iter().position(|item| self.is_item(item));
        Ok(found.map(|at| (*container, at)))
    }
}

/// The item that stands at `place`.
pub fn existing_item(text: &str, place: &ItemPlace<'_>) -> Result<Option<Value>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let root = scan::parse(text)?;
    Ok(place.find(&root)?.map(|(container, at)| container.items()[at].value.to_value()))
}

/// The text with `value` at `place`, and how many containers were made for it.
pub fn insert_item(
    text: &str,
    place: &ItemPlace<'_>,
    value: &Value,
) -> Result<(String, usize), String> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        let (key, value) = nested(place, 0, value);
        let root = Value::Object(Map::from_iter([(key, value)]));
        return Ok((format!("{}\n", style::pretty(&root, "  ")), place.container.len()));
    }
    let root = scan::parse(text)?;
    let style = Style::of(text, &root);
    if let Some((container, at)) = place.find(&root)? {
        let item = &container.items()[at];
        let margin = style.margin(text, container);
        let new = style.item("", value, margin.as_deref());
        return Ok((apply(text, vec![(item.value.start..item.value.end, new)]), 0));
    }
    let containers = place.containers(&root)?;
    let depth = containers.len() - 1;
    let container = containers.last().copied().unwrap_or(&root);
    let (key, value) = nested(place, depth, value);
    let made = place.container.len() - depth;
    let margin = style.margin(text, container);
    let item = style.item(&key, &value, margin.as_deref());
    Ok((apply(text, insertion(text, container, &style, margin, item)?), made))
}

/// The item to add to the container at `depth`: what is missing around `value` comes with it.
fn nested(place: &ItemPlace<'_>, depth: usize, value: &Value) -> (String, Value) {
    let mut value = match place.key {
        Some(key) => (key.to_owned(), value.clone()),
        None => (String::new(), value.clone()),
    };
    for key in place.container[depth..].iter().rev() {
        let inner = match value.0.as_str() {
            "" => Value::Array(vec![value.1]),
            _ => Value::Object(Map::from_iter([value])),
        };
        value = ((*key).to_owned(), inner);
    }
    value
}

fn insertion(
    text: &str,
    container: &JsonNode,
    style: &Style,
    margin: Option<String>,
    item: String,
) -> Result<Vec<Splice>, String> {
    let close = container.end - 1;
    let Some(last) = container.items().last() else {
        let inside = container.start + 1..close;
        // A comment in it stays, before the item.
        let kept = text[inside.clone()].trim_end();
        let ends_line = kept.contains("//");
        return Ok(match (margin, ends_line) {
            (Some(margin), _) => {
                let (end, outer) = (style.line_end, style::line_margin(text, container.start));
                vec![(inside, format!("{kept}{end}{margin}{item}{end}{outer}"))]
            }
            (None, true) => vec![(inside, format!("{kept}\n{item}"))],
            (None, false) => vec![(inside, format!("{kept}{item}"))],
        });
    };
    let after = last.comma.map_or(last.value.end, |comma| comma + 1);
    // After the comments that follow the last item.
    let gap = scan::after_blank(text, after)?;
    let at = after + text[after..gap].trim_end().len();
    let has_line_comment = text[after..at].contains("//");
    let comma = if last.comma.is_some() { "," } else { "" };
    let lead = match margin {
        Some(margin) => format!("{}{margin}", style.line_end),
        None if has_line_comment => style.line_end.to_owned(),
        None => style.blank().to_owned(),
    };
    let added = (at..at, format!("{lead}{item}{comma}"));
    Ok(match last.comma {
        Some(_) => vec![added],
        None => vec![(last.value.end..last.value.end, ",".to_owned()), added],
    })
}

/// The text without the item at `place`, and without as many containers around it as
/// `made` says, when they are empty then.
pub fn remove_item(text: &str, place: &ItemPlace<'_>, made: usize) -> Result<String, String> {
    let root = scan::parse(text)?;
    let Some((container, at)) = place.find(&root)? else { return Ok(text.to_owned()) };
    let mut text = apply(text, removal(text, container, at));
    for depth in (0..place.container.len()).rev().take(made) {
        let root = scan::parse(&text)?;
        let outer = ItemPlace {
            container: &place.container[..depth],
            key: Some(place.container[depth]),
            is_element: place.is_element,
        };
        let Some((container, at)) = outer.find(&root)? else { break };
        let node = &container.items()[at].value;
        let inside = text[node.start + 1..node.end - 1].trim();
        if !node.items().is_empty() || !inside.is_empty() {
            break;
        }
        text = apply(&text, removal(&text, container, at));
    }
    Ok(text)
}

fn removal(text: &str, container: &JsonNode, at: usize) -> Vec<Splice> {
    let items = container.items();
    let item = &items[at];
    let end = item.comma.map_or(item.value.end, |comma| comma + 1);
    if items.len() == 1 {
        let inside = &text[container.start + 1..container.end - 1];
        let own = item.start - container.start - 1..end - container.start - 1;
        let is_alone = inside[..own.start].trim().is_empty() && inside[own.end..].trim().is_empty();
        if is_alone {
            return vec![(container.start + 1..container.end - 1, String::new())];
        }
    }
    let before = text[..item.start].trim_end_matches([' ', '\t']);
    let own_line = before.ends_with('\n');
    let mut start = before.strip_suffix('\n').map_or(before, |b| b.strip_suffix('\r').unwrap_or(b));
    let mut stop = end;
    if !own_line && at == 0 {
        // The next one takes its place.
        start = &text[..item.start];
        stop += text[end..].len() - text[end..].trim_start_matches(' ').len();
    }
    let mut splices = vec![(start.len()..stop, String::new())];
    if let Some(comma) = at.checked_sub(1).and_then(|before| items[before].comma)
        && item.comma.is_none()
    {
        splices.insert(0, (comma..comma + 1, String::new()));
    }
    splices
}

/// Applies splices, which stand in order and do not overlap.
fn apply(text: &str, splices: Vec<Splice>) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len() + 256), 0);
    for (range, new) in splices {
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}
