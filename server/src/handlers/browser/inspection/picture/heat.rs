//! The page with elements tinted by the values that a caller gives them.

use std::collections::BTreeMap;

use browse_proto::{Reason, v1};
use futures::future::join_all;
use serde_json::{Map, Value};

use super::capture::{self, PictureView};
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_engine::{Color, Reference, Target};

/// How much of an element the tint covers.
const TINT_OPACITY: f64 = 0.45;

/// Refs that one picture may hold.
const MAX_REFS: usize = 500;

/// Colours that can be named.
const NAMED_COLORS: [(&str, Color); 7] = [
    ("red", Color::new(214, 39, 40)),
    ("orange", Color::new(240, 130, 20)),
    ("yellow", Color::new(240, 200, 0)),
    ("green", Color::new(30, 150, 70)),
    ("blue", Color::new(31, 100, 200)),
    ("purple", Color::new(148, 60, 189)),
    ("gray", Color::new(120, 120, 120)),
];

/// A ref, how hot it is, and how that is written.
struct RefHeat {
    reference: Reference,
    order: f64,
    color: Color,
    text: String,
}

/// Captures the page with the elements of refs tinted.
pub async fn heat_snapshot(
    cx: &CallContext,
    request: v1::HeatSnapshotRequest,
) -> Result<v1::HeatSnapshotResponse> {
    let mut heats = parse_heats(&request.heat)?;
    heats.sort_by(|a, b| b.order.total_cmp(&a.order));
    let engine = cx.engine();
    let described = join_all(heats.iter().map(|heat| async move {
        let described = engine.describe(&Target::from_ref(heat.reference)).await?;
        Ok::<_, Error>(match described.name.as_str() {
            "" => described.role,
            name => format!("{} \"{name}\"", described.role),
        })
    }));
    let labels: Vec<_> = described.await.into_iter().collect::<Result<_>>()?;
    let view = if request.viewport { PictureView::Viewport } else { PictureView::Page };
    let references: Vec<_> = heats.iter().map(|heat| heat.reference).collect();
    let taken = capture::capture_with_marks(cx, &view, &references).await?;
    let places: BTreeMap<_, _> =
        taken.marks.iter().map(|(reference, rect)| (reference.number, *rect)).collect();
    let lines = heats.iter().zip(labels).map(|(heat, label)| {
        let hidden = if places.contains_key(&heat.reference.number) { "" } else { " (not shown)" };
        format!("{} {} {label}{hidden}", heat.reference, heat.text)
    });
    let legend = lines.collect::<Vec<_>>().join("\n");
    let drawn = capture::run_blocking(move || {
        let capture::MarkedPicture { mut canvas, note, .. } = taken;
        let mut shown = Vec::new();
        // The hottest last, on top of what it lies in.
        for heat in heats.iter().rev() {
            let Some(rect) = places.get(&heat.reference.number) else { continue };
            canvas.tint(*rect, heat.color, TINT_OPACITY);
            if canvas.outline(*rect, heat.color) {
                shown.push((heat.reference, *rect));
            }
        }
        for heat in &heats {
            if let Some((reference, rect)) = shown.iter().find(|one| one.0 == heat.reference) {
                canvas.label(*rect, &format!("{reference} {}", heat.text), heat.color);
            }
        }
        canvas.to_png().map(|image| (image, canvas.dimensions(), shown, note))
    });
    let (image, (width, height), shown, note) = drawn.await?;
    Ok(v1::HeatSnapshotResponse {
        image,
        mime: "image/png".to_owned(),
        width,
        height,
        note,
        marks: capture::mark_messages(&shown),
        legend,
    })
}

/// `{"@e1": 0.8, "@e2": "red"}`.
fn parse_heats(text: &str) -> Result<Vec<RefHeat>> {
    let map: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| invalid_argument(format!("the heat is not JSON object: {error}")))?;
    if map.is_empty() || map.len() > MAX_REFS {
        let message = format!("the heat names {} refs, and can name 1 to {MAX_REFS}", map.len());
        return Err(invalid_argument(message));
    }
    map.into_iter().map(|(name, value)| parse_heat(&name, &value)).collect()
}

fn parse_heat(name: &str, value: &Value) -> Result<RefHeat> {
    let reference: Reference =
        name.parse().map_err(|error| invalid_argument(format!("`{name}`: {error}")))?;
    let color = match value {
        Value::Number(number) => {
            let share = number.as_f64().filter(|share| (0.0..=1.0).contains(share));
            let share = share.ok_or_else(|| invalid_heat(name, value))?;
            let text = format!("{}", (share * 100.0).round() / 100.0);
            return Ok(RefHeat { reference, order: share, color: gradient_color(share), text });
        }
        Value::String(word) => parse_color(word).ok_or_else(|| invalid_heat(name, value))?,
        _ => return Err(invalid_heat(name, value)),
    };
    let text = value.as_str().unwrap_or_default().to_owned();
    Ok(RefHeat { reference, order: -1.0, color, text })
}

fn invalid_heat(name: &str, value: &Value) -> Error {
    let names = NAMED_COLORS.map(|(name, _)| name).join(", ");
    let message = format!(
        "`{name}` is {value}, and can be a number from 0 to 1, a colour such as #ff8800, or one of {names}"
    );
    invalid_argument(message)
}

fn parse_color(word: &str) -> Option<Color> {
    if let Some((_, color)) = NAMED_COLORS.iter().find(|(name, _)| *name == word) {
        return Some(*color);
    }
    let digits = word.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    Some(Color::new(red, green, blue))
}

/// From blue over green and yellow to red.
fn gradient_color(share: f64) -> Color {
    const STOPS: [(f64, f64, f64); 5] = [
        (40.0, 80.0, 220.0),
        (0.0, 160.0, 200.0),
        (40.0, 170.0, 60.0),
        (240.0, 200.0, 0.0),
        (220.0, 30.0, 30.0),
    ];
    let at = share * 4.0;
    let index = (at.floor() as usize).min(3);
    let part = at - index as f64;
    let mix = |from: f64, to: f64| (from + (to - from) * part).round() as u8;
    let (from, to) = (STOPS[index], STOPS[index + 1]);
    Color::new(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

fn invalid_argument(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "snapshot --heatmap")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_is_a_number_or_a_colour_of_a_ref() {
        let heats =
            parse_heats(r##"{"@e1": 1, "@c2": "#102030", "@e3": "green", "@e4": 0}"##).unwrap();
        let color = |number| {
            let found = heats.iter().find(|heat| heat.reference.number == number);
            found.map(|heat| heat.color)
        };
        assert_eq!(color(1), Some(Color::new(220, 30, 30)));
        assert_eq!(color(2), Some(Color::new(16, 32, 48)));
        assert_eq!(color(4), Some(Color::new(40, 80, 220)));
        for wrong in [
            "{}",
            "[1]",
            "x",
            r#"{"e1": 1}"#,
            r#"{"@e1": 1.5}"#,
            r#"{"@e1": "blurple"}"#,
            r##"{"@e1": "#12345é"}"##,
            r#"{"@e1": null}"#,
        ] {
            assert!(parse_heats(wrong).is_err(), "{wrong}");
        }
    }
}
