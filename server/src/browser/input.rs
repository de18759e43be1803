//! Interaction: what a person could do with mouse and keyboard.

mod act;
mod clipboard;
mod dialog;
mod drag;
mod mouse;
mod receipt;
mod upload;

pub(super) use act::act;
pub use clipboard::{read_clipboard, write_clipboard};
pub use dialog::{dialog_accept, dialog_dismiss};
pub use drag::drag;
pub use mouse::{move_mouse, press_mouse, release_mouse, turn_wheel};
pub(super) use receipt::report;
pub use upload::upload;

use std::sync::Arc;

use browse_proto::{Reason, v1};
use futures::Stream;

use super::capture;

use crate::{
    dispatch::Context,
    engine::{self, Button, Click, Direction, Engine, Modifiers, Scroll, Target, Waiting},
    error::{Error, Result},
};

/// Clicks in a row that a caller may ask for.
const MOST_CLICKS: u32 = 10;

/// Clicks an element.
pub async fn click(cx: &Context, request: v1::ClickRequest) -> Result<v1::ClickResponse> {
    let at = point(cx, request.at.as_deref())?;
    let click = Click {
        button: button(request.button()),
        count: clicks(request.count)?,
        modifiers: modifiers(request.modifiers.as_deref())?,
        at,
    };
    if let Some(point) = mouse::pair(&request.target) {
        let receipt = click_at(cx, point, click, request.no_wait).await?;
        return Ok(v1::ClickResponse { receipt: Some(receipt) });
    }
    let receipt = press_on(cx, &request.target, click, request.no_wait).await?;
    Ok(v1::ClickResponse { receipt: Some(receipt) })
}

/// The point of an element that `--at` names.
fn point(cx: &Context, text: Option<&str>) -> Result<Option<(f64, f64)>> {
    let Some(text) = text else { return Ok(None) };
    mouse::pair(text).map(Some).ok_or_else(|| {
        let message = format!("`--at` is `{text}`, and not two numbers such as `10,20`");
        Error::new(Reason::ArgumentInvalid, message).with("command", cx.command().name)
    })
}

/// Clicks an element, and saves the file that the page sends for it.
pub async fn click_download(
    cx: Arc<Context>,
    request: v1::ClickDownloadRequest,
) -> Result<impl Stream<Item = Result<v1::FilePart>> + Send + 'static> {
    let (button, count) = (button(request.button()), clicks(request.count)?);
    let at = point(&cx, request.at.as_deref())?;
    let modifiers = modifiers(request.modifiers.as_deref())?;
    let click = Click { button, count, modifiers, at };
    Ok(capture::save_clicked(cx, target(&request.target)?, click))
}

/// Double-clicks an element.
pub async fn double_click(
    cx: &Context,
    request: v1::DoubleClickRequest,
) -> Result<v1::DoubleClickResponse> {
    let click = Click {
        button: button(request.button()),
        count: 2,
        modifiers: modifiers(request.modifiers.as_deref())?,
        at: None,
    };
    let receipt = press_on(cx, &request.target, click, request.no_wait).await?;
    Ok(v1::DoubleClickResponse { receipt: Some(receipt) })
}

/// Moves the pointer over an element.
pub async fn hover(cx: &Context, request: v1::HoverRequest) -> Result<v1::HoverResponse> {
    let target = target(&request.target)?;
    let until = cx.deadline();
    let hover = |engine: Engine| async move { engine.hover(&target, until).await };
    let receipt = act(cx, engine(cx, request.no_wait), hover).await?;
    Ok(v1::HoverResponse { receipt: Some(receipt) })
}

/// Replaces the content of a field.
pub async fn fill(cx: &Context, request: v1::FillRequest) -> Result<v1::FillResponse> {
    let target = target(&request.target)?;
    let (until, text) = (cx.deadline(), request.text);
    let fill = |engine: Engine| async move { engine.fill(&target, &text, until).await };
    Ok(v1::FillResponse { receipt: Some(act(cx, engine(cx, request.no_wait), fill).await?) })
}

/// Types into the focused element.
pub async fn r#type(cx: &Context, request: v1::TypeRequest) -> Result<v1::TypeResponse> {
    let (until, text) = (cx.deadline(), request.text);
    let keys = |engine: Engine| async move { engine.type_text(&text, until).await };
    Ok(v1::TypeResponse { receipt: Some(act(cx, engine(cx, request.no_wait), keys).await?) })
}

/// Presses a key or a chord.
pub async fn press(cx: &Context, request: v1::PressRequest) -> Result<v1::PressResponse> {
    let (until, key) = (cx.deadline(), request.key);
    let press = |engine: Engine| async move { engine.press(&key, until).await };
    Ok(v1::PressResponse { receipt: Some(act(cx, engine(cx, request.no_wait), press).await?) })
}

/// Chooses options of a dropdown or list.
pub async fn select(cx: &Context, request: v1::SelectRequest) -> Result<v1::SelectResponse> {
    if request.value.is_empty() {
        let error = Error::new(Reason::ArgumentInvalid, "no option is named");
        return Err(error.with("command", "select"));
    }
    let target = target(&request.target)?;
    let (until, values) = (cx.deadline(), request.value);
    let select = |engine: Engine| async move { engine.select(&target, &values, until).await };
    Ok(v1::SelectResponse { receipt: Some(act(cx, engine(cx, request.no_wait), select).await?) })
}

/// Checks a checkbox, radio button or switch.
pub async fn check(cx: &Context, request: v1::CheckRequest) -> Result<v1::CheckResponse> {
    let target = target(&request.target)?;
    let receipt = set_checked(cx, engine(cx, request.no_wait), target, engine::Checked::On).await?;
    Ok(v1::CheckResponse { receipt: Some(receipt) })
}

/// Unchecks a checkbox or switch.
pub async fn uncheck(cx: &Context, request: v1::UncheckRequest) -> Result<v1::UncheckResponse> {
    let target = target(&request.target)?;
    let receipt =
        set_checked(cx, engine(cx, request.no_wait), target, engine::Checked::Off).await?;
    Ok(v1::UncheckResponse { receipt: Some(receipt) })
}

/// Scrolls to an element, by a distance, or to the bottom.
pub async fn scroll(cx: &Context, request: v1::ScrollRequest) -> Result<v1::ScrollResponse> {
    let scroll = match (request.target.as_deref(), request.by) {
        (None, None) => Scroll::Bottom,
        (None, Some(by)) => Scroll::Toward(Direction::Down, Some(by)),
        (Some("top"), None) => Scroll::Toward(Direction::Up, Some(u32::MAX)),
        (Some("bottom"), None) => Scroll::Bottom,
        (Some(pixels), None) if pixels.bytes().all(|byte| byte.is_ascii_digit()) => {
            let by = pixels.parse().map_err(|_| {
                Error::new(Reason::ArgumentInvalid, format!("`{pixels}` pixels are too many"))
            })?;
            Scroll::Toward(Direction::Down, Some(by))
        }
        (Some("up"), by) => Scroll::Toward(Direction::Up, by),
        (Some("down"), by) => Scroll::Toward(Direction::Down, by),
        (Some("left"), by) => Scroll::Toward(Direction::Left, by),
        (Some("right"), by) => Scroll::Toward(Direction::Right, by),
        (Some(text), None) => Scroll::Into(target(text)?),
        (Some(text), Some(by)) => Scroll::Within(target(text)?, by),
    };
    let at = cx.engine().scroll(&scroll, cx.deadline()).await?;
    let summary = format!("scrolled to {:.0}, {:.0}", at.x, at.y);
    Ok(v1::ScrollResponse { summary, x: at.x, y: at.y })
}

/// Clicks whatever lies at a point of the viewport.
async fn click_at(
    cx: &Context,
    (x, y): (f64, f64),
    click: Click,
    no_wait: bool,
) -> Result<v1::Receipt> {
    let refuse =
        |message: &str| Err(Error::new(Reason::ArgumentInvalid, message).with("command", "click"));
    if click.at.is_some() {
        return refuse("`--at` belongs to an element, and the target is a point");
    }
    if x < 0.0 || y < 0.0 {
        return refuse("points of the viewport are not negative");
    }
    let mouse = engine::Mouse::Click(click.button, click.count);
    let spot = engine::Spot::At(x, y);
    let (keys, until) = (click.modifiers, cx.deadline());
    let click = |engine: Engine| async move { engine.use_mouse(&spot, mouse, keys, until).await };
    act(cx, engine(cx, no_wait), click).await
}

async fn press_on(cx: &Context, text: &str, click: Click, no_wait: bool) -> Result<v1::Receipt> {
    let (target, until) = (target(text)?, cx.deadline());
    let click = |engine: Engine| async move { engine.click(&target, &click, until).await };
    act(cx, engine(cx, no_wait), click).await
}

async fn set_checked(
    cx: &Context,
    engine: Engine,
    target: Target,
    checked: engine::Checked,
) -> Result<v1::Receipt> {
    let until = cx.deadline();
    let set = |engine: Engine| async move { engine.set_checked(&target, checked, until).await };
    act(cx, engine, set).await
}

/// The engine of the tab, whose receipts wait unless the caller said not to.
fn engine(cx: &Context, no_wait: bool) -> Engine {
    cx.engine().waiting(if no_wait { Waiting::None } else { Waiting::Patient })
}

fn clicks(count: Option<u32>) -> Result<u32> {
    let count = count.unwrap_or(1);
    if (1..=MOST_CLICKS).contains(&count) {
        return Ok(count);
    }
    let message = format!("`count` is {count}, and can be 1 to {MOST_CLICKS}");
    Err(Error::new(Reason::ArgumentInvalid, message).with("command", "click"))
}

fn target(text: &str) -> Result<Target> {
    Ok(text.parse::<Target>()?)
}

fn button(button: v1::MouseButton) -> Button {
    match button {
        v1::MouseButton::Unspecified | v1::MouseButton::Left => Button::Left,
        v1::MouseButton::Right => Button::Right,
        v1::MouseButton::Middle => Button::Middle,
    }
}

fn modifiers(text: Option<&str>) -> Result<Modifiers> {
    let parsed = text.map(str::parse).transpose();
    Ok(parsed?.unwrap_or_default())
}
