//! The mouse by hand.

use browse_proto::{Reason, v1};

use super::{button, drag::parse_steps, engine_for, parse_modifiers, parse_target};
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_engine::{Engine, MouseAction, PointerTarget};

/// Pixels that the wheel turns at most.
const MAX_WHEEL_PIXELS: f64 = 100_000.0;

/// Moves the pointer.
pub async fn move_mouse(
    cx: &CallContext,
    request: v1::MoveMouseRequest,
) -> Result<v1::MoveMouseResponse> {
    if request.to.is_empty() {
        return Err(invalid("a target or two numbers are needed"));
    }
    let spot = parse_spot(&request.to, request.offset.as_deref())?;
    let mouse = MouseAction::Move(parse_steps(request.steps, 1)?);
    let receipt = use_mouse(cx, spot, mouse, request.modifiers.as_deref(), request.no_wait).await?;
    Ok(v1::MoveMouseResponse { receipt: Some(receipt) })
}

/// Presses a button, which stays down.
pub async fn press_mouse(
    cx: &CallContext,
    request: v1::PressMouseRequest,
) -> Result<v1::PressMouseResponse> {
    let spot = parse_spot(&request.to, request.offset.as_deref())?;
    let mouse = MouseAction::Down(button(request.button()));
    let receipt = use_mouse(cx, spot, mouse, request.modifiers.as_deref(), request.no_wait).await?;
    Ok(v1::PressMouseResponse { receipt: Some(receipt) })
}

/// Lets a button go.
pub async fn release_mouse(
    cx: &CallContext,
    request: v1::ReleaseMouseRequest,
) -> Result<v1::ReleaseMouseResponse> {
    let spot = parse_spot(&request.to, request.offset.as_deref())?;
    let mouse = MouseAction::Up(button(request.button()));
    let receipt = use_mouse(cx, spot, mouse, request.modifiers.as_deref(), request.no_wait).await?;
    Ok(v1::ReleaseMouseResponse { receipt: Some(receipt) })
}

/// Turns the wheel.
pub async fn turn_wheel(
    cx: &CallContext,
    request: v1::TurnWheelRequest,
) -> Result<v1::TurnWheelResponse> {
    let (dx, dy) = (request.dx.unwrap_or(0.0), request.dy);
    if [dx, dy].iter().any(|pixels| !pixels.is_finite() || pixels.abs() > MAX_WHEEL_PIXELS) {
        return Err(invalid("the wheel turns by at most 100000 pixels"));
    }
    let spot = match &request.at {
        Some(text) => PointerTarget::Element(parse_target(text)?, None),
        None => PointerTarget::Current,
    };
    let (mouse, keys) = (MouseAction::Wheel(dx, dy), request.modifiers.as_deref());
    let receipt = use_mouse(cx, spot, mouse, keys, request.no_wait).await?;
    Ok(v1::TurnWheelResponse { receipt: Some(receipt) })
}

async fn use_mouse(
    cx: &CallContext,
    spot: PointerTarget,
    mouse: MouseAction,
    keys: Option<&str>,
    no_wait: bool,
) -> Result<v1::Receipt> {
    let (keys, until) = (parse_modifiers(keys)?, cx.deadline());
    let action = |engine: Engine| async move { engine.use_mouse(&spot, mouse, keys, until).await };
    super::run_action(cx, engine_for(cx, no_wait), action).await
}

/// `@e3`, `200 120` or `200,120`; nothing is where the pointer is.
fn parse_spot(words: &[String], offset: Option<&str>) -> Result<PointerTarget> {
    let point = match words {
        [] => None,
        [one] => parse_pair(one),
        [x, y] => Some(parse_pair(&format!("{x},{y}")).ok_or_else(|| {
            invalid(format!("`{x} {y}` is no point: two numbers are wanted, or one target"))
        })?),
        _ => return Err(invalid("one target or two numbers are wanted")),
    };
    let offset = match offset {
        None => None,
        Some(text) => Some(parse_pair(text).ok_or_else(|| {
            invalid(format!("`--offset` is `{text}`, and not two numbers such as `10,20`"))
        })?),
    };
    match (words, point) {
        ([], _) | (_, Some(_)) if offset.is_some() => {
            Err(invalid("`--offset` belongs to a target"))
        }
        (_, Some((x, y))) if x < 0.0 || y < 0.0 => {
            Err(invalid("points of the viewport are not negative"))
        }
        (_, Some((x, y))) => Ok(PointerTarget::Viewport(x, y)),
        ([word], None) => Ok(PointerTarget::Element(parse_target(word)?, offset)),
        _ => Ok(PointerTarget::Current),
    }
}

/// Two numbers with a comma between them.
pub(super) fn parse_pair(text: &str) -> Option<(f64, f64)> {
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    let (x, y) = text.split_once(',')?;
    Some((number(x)?, number(y)?))
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(Reason::ArgumentInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str], offset: Option<&str>) -> Result<PointerTarget> {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        parse_spot(&words, offset)
    }

    #[test]
    fn points_targets_and_nothing() {
        assert_eq!(of(&[], None).unwrap(), PointerTarget::Current);
        assert_eq!(of(&["10", "20.5"], None).unwrap(), PointerTarget::Viewport(10.0, 20.5));
        assert_eq!(of(&["10,20"], None).unwrap(), PointerTarget::Viewport(10.0, 20.0));
        assert!(matches!(of(&["@e3"], None).unwrap(), PointerTarget::Element(_, None)));
        assert!(matches!(of(&["#a, #b"], None).unwrap(), PointerTarget::Element(_, None)));
        assert!(matches!(
            of(&["#c"], Some("1,2")).unwrap(),
            PointerTarget::Element(_, Some((1.0, 2.0)))
        ));
    }

    #[test]
    fn what_is_neither_is_an_error() {
        for (words, offset) in [
            (&["10", "x"][..], None),
            (&["1", "2", "3"], None),
            (&["-1", "2"], None),
            (&["nan", "2"], None),
            (&["1", "2"], Some("1,2")),
            (&[], Some("1,2")),
            (&["#c"], Some("1")),
        ] {
            assert!(of(words, offset).is_err(), "{words:?} {offset:?}");
        }
    }
}
