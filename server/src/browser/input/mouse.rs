//! The mouse by hand.

use browse_proto::{Reason, v1};

use super::{button, drag::steps, engine, modifiers, target};
use crate::{
    dispatch::Context,
    engine::{Engine, Mouse, Spot},
    error::{Error, Result},
};

/// Pixels that the wheel turns at most.
const MOST_PIXELS: f64 = 100_000.0;

/// Moves the pointer.
pub async fn move_mouse(
    cx: &Context,
    request: v1::MoveMouseRequest,
) -> Result<v1::MoveMouseResponse> {
    if request.to.is_empty() {
        return Err(invalid("a target or two numbers are needed"));
    }
    let spot = spot(&request.to, request.offset.as_deref())?;
    let mouse = Mouse::Move(steps(request.steps, 1)?);
    let receipt = act(cx, spot, mouse, request.modifiers.as_deref(), request.no_wait).await?;
    Ok(v1::MoveMouseResponse { receipt: Some(receipt) })
}

/// Presses a button, which stays down.
pub async fn press_mouse(
    cx: &Context,
    request: v1::PressMouseRequest,
) -> Result<v1::PressMouseResponse> {
    let spot = spot(&request.to, request.offset.as_deref())?;
    let mouse = Mouse::Down(button(request.button()));
    let receipt = act(cx, spot, mouse, request.modifiers.as_deref(), request.no_wait).await?;
    Ok(v1::PressMouseResponse { receipt: Some(receipt) })
}

/// Lets a button go.
pub async fn release_mouse(
    cx: &Context,
    request: v1::ReleaseMouseRequest,
) -> Result<v1::ReleaseMouseResponse> {
    let spot = spot(&request.to, request.offset.as_deref())?;
    let mouse = Mouse::Up(button(request.button()));
    let receipt = act(cx, spot, mouse, request.modifiers.as_deref(), request.no_wait).await?;
    Ok(v1::ReleaseMouseResponse { receipt: Some(receipt) })
}

/// Turns the wheel.
pub async fn turn_wheel(
    cx: &Context,
    request: v1::TurnWheelRequest,
) -> Result<v1::TurnWheelResponse> {
    let (dx, dy) = (request.dx.unwrap_or(0.0), request.dy);
    if [dx, dy].iter().any(|pixels| !pixels.is_finite() || pixels.abs() > MOST_PIXELS) {
        return Err(invalid("the wheel turns by at most 100000 pixels"));
    }
    let spot = match &request.at {
        Some(text) => Spot::On(target(text)?, None),
        None => Spot::Here,
    };
    let (mouse, keys) = (Mouse::Wheel(dx, dy), request.modifiers.as_deref());
    let receipt = act(cx, spot, mouse, keys, request.no_wait).await?;
    Ok(v1::TurnWheelResponse { receipt: Some(receipt) })
}

async fn act(
    cx: &Context,
    spot: Spot,
    mouse: Mouse,
    keys: Option<&str>,
    no_wait: bool,
) -> Result<v1::Receipt> {
    let (keys, until) = (modifiers(keys)?, cx.deadline());
    let action = |engine: Engine| async move { engine.use_mouse(&spot, mouse, keys, until).await };
    super::act(cx, engine(cx, no_wait), action).await
}

/// `@e3`, `200 120` or `200,120`; nothing is where the pointer is.
fn spot(words: &[String], offset: Option<&str>) -> Result<Spot> {
    let point = match words {
        [] => None,
        [one] => pair(one),
        [x, y] => Some(pair(&format!("{x},{y}")).ok_or_else(|| {
            invalid(format!("`{x} {y}` is no point: two numbers are wanted, or one target"))
        })?),
        _ => return Err(invalid("one target or two numbers are wanted")),
    };
    let offset = match offset {
        None => None,
        Some(text) => Some(pair(text).ok_or_else(|| {
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
        (_, Some((x, y))) => Ok(Spot::At(x, y)),
        ([word], None) => Ok(Spot::On(target(word)?, offset)),
        _ => Ok(Spot::Here),
    }
}

/// Two numbers with a comma between them.
pub(super) fn pair(text: &str) -> Option<(f64, f64)> {
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

    fn of(words: &[&str], offset: Option<&str>) -> Result<Spot> {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        spot(&words, offset)
    }

    #[test]
    fn points_targets_and_nothing() {
        assert_eq!(of(&[], None).unwrap(), Spot::Here);
        assert_eq!(of(&["10", "20.5"], None).unwrap(), Spot::At(10.0, 20.5));
        assert_eq!(of(&["10,20"], None).unwrap(), Spot::At(10.0, 20.0));
        assert!(matches!(of(&["@e3"], None).unwrap(), Spot::On(_, None)));
        assert!(matches!(of(&["#a, #b"], None).unwrap(), Spot::On(_, None)));
        assert!(matches!(of(&["#c"], Some("1,2")).unwrap(), Spot::On(_, Some((1.0, 2.0)))));
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
