//! Interaction: what a person could do with mouse and keyboard.

mod act;
mod clipboard;
mod dialog;
mod drag;
mod mouse;
mod receipt;
mod upload;

pub(super) use act::run_action;
pub use clipboard::{read_clipboard, write_clipboard};
pub use dialog::{dialog_accept, dialog_dismiss};
pub use drag::drag;
pub use mouse::{move_mouse, press_mouse, release_mouse, turn_wheel};
pub(super) use receipt::receipt_message;
pub use upload::{check_file_names, upload};

use std::sync::Arc;

use browse_proto::{Reason, v1};
use futures::Stream;

use super::capture;

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_engine::{Button, Click, Direction, Engine, Modifiers, Scroll, Target, WaitPolicy};

/// Clicks in a row that a caller may ask for.
const MAX_CLICKS: u32 = 10;

/// Clicks an element.
pub async fn click(cx: &CallContext, request: v1::ClickRequest) -> Result<v1::ClickResponse> {
    let at = parse_point(cx, request.at.as_deref())?;
    let click = Click {
        button: button(request.button()),
        count: parse_click_count(request.count)?,
        modifiers: parse_modifiers(request.modifiers.as_deref())?,
        offset: at,
    };
    if let Some(point) = mouse::parse_pair(&request.target) {
        let receipt = click_at(cx, point, click, request.no_wait).await?;
        return Ok(v1::ClickResponse { receipt: Some(receipt) });
    }
    let receipt = click_target(cx, &request.target, click, request.no_wait).await?;
    Ok(v1::ClickResponse { receipt: Some(receipt) })
}

/// The point of an element that `--at` names.
fn parse_point(cx: &CallContext, text: Option<&str>) -> Result<Option<(f64, f64)>> {
    let Some(text) = text else { return Ok(None) };
    mouse::parse_pair(text).map(Some).ok_or_else(|| {
        let message = format!("`--at` is `{text}`, and not two numbers such as `10,20`");
        Error::new(Reason::ArgumentInvalid, message).with("command", cx.command().name)
    })
}

/// Clicks an element, and saves the file that the page sends for it.
pub async fn click_download(
    cx: Arc<CallContext>,
    request: v1::ClickDownloadRequest,
) -> Result<impl Stream<Item = Result<v1::FilePart>> + Send + 'static> {
    let (button, count) = (button(request.button()), parse_click_count(request.count)?);
    let at = parse_point(&cx, request.at.as_deref())?;
    let modifiers = parse_modifiers(request.modifiers.as_deref())?;
    let click = Click { button, count, modifiers, offset: at };
    Ok(capture::save_clicked(cx, parse_target(&request.target)?, click))
}

/// Double-clicks an element.
pub async fn double_click(
    cx: &CallContext,
    request: v1::DoubleClickRequest,
) -> Result<v1::DoubleClickResponse> {
    let click = Click {
        button: button(request.button()),
        count: 2,
        modifiers: parse_modifiers(request.modifiers.as_deref())?,
        offset: None,
    };
    let receipt = click_target(cx, &request.target, click, request.no_wait).await?;
    Ok(v1::DoubleClickResponse { receipt: Some(receipt) })
}

/// Moves the pointer over an element.
pub async fn hover(cx: &CallContext, request: v1::HoverRequest) -> Result<v1::HoverResponse> {
    let target = parse_target(&request.target)?;
    let until = cx.deadline();
    let hover = |engine: Engine| async move { engine.hover(&target, until).await };
    let receipt = run_action(cx, engine_for(cx, request.no_wait), hover).await?;
    Ok(v1::HoverResponse { receipt: Some(receipt) })
}

/// Replaces the content of a field.
pub async fn fill(cx: &CallContext, request: v1::FillRequest) -> Result<v1::FillResponse> {
    let target = parse_target(&request.target)?;
    let (until, text) = (cx.deadline(), request.text);
    let fill = |engine: Engine| async move { engine.fill(&target, &text, until).await };
    Ok(v1::FillResponse {
        receipt: Some(run_action(cx, engine_for(cx, request.no_wait), fill).await?),
    })
}

/// Types into the focused element.
pub async fn r#type(cx: &CallContext, request: v1::TypeRequest) -> Result<v1::TypeResponse> {
    let (until, text) = (cx.deadline(), request.text);
    let keys = |engine: Engine| async move { engine.type_text(&text, until).await };
    Ok(v1::TypeResponse {
        receipt: Some(run_action(cx, engine_for(cx, request.no_wait), keys).await?),
    })
}

/// Presses a key or a chord.
pub async fn press(cx: &CallContext, request: v1::PressRequest) -> Result<v1::PressResponse> {
    let (until, key) = (cx.deadline(), request.key);
    let press = |engine: Engine| async move { engine.press(&key, until).await };
    Ok(v1::PressResponse {
        receipt: Some(run_action(cx, engine_for(cx, request.no_wait), press).await?),
    })
}

/// Chooses options of a dropdown or list.
pub async fn select(cx: &CallContext, request: v1::SelectRequest) -> Result<v1::SelectResponse> {
    if request.value.is_empty() {
        let error = Error::new(Reason::ArgumentInvalid, "no option is named");
        return Err(error.with("command", "select"));
    }
    let target = parse_target(&request.target)?;
    let (until, values) = (cx.deadline(), request.value);
    let select = |engine: Engine| async move { engine.select(&target, &values, until).await };
    Ok(v1::SelectResponse {
        receipt: Some(run_action(cx, engine_for(cx, request.no_wait), select).await?),
    })
}

/// Checks a checkbox, radio button or switch.
pub async fn check(cx: &CallContext, request: v1::CheckRequest) -> Result<v1::CheckResponse> {
    let target = parse_target(&request.target)?;
    let receipt =
        set_checked(cx, engine_for(cx, request.no_wait), target, browse_engine::CheckState::On)
            .await?;
    Ok(v1::CheckResponse { receipt: Some(receipt) })
}

/// Unchecks a checkbox or switch.
pub async fn uncheck(cx: &CallContext, request: v1::UncheckRequest) -> Result<v1::UncheckResponse> {
    let target = parse_target(&request.target)?;
    let receipt =
        set_checked(cx, engine_for(cx, request.no_wait), target, browse_engine::CheckState::Off)
            .await?;
    Ok(v1::UncheckResponse { receipt: Some(receipt) })
}

/// Scrolls to an element, by a distance, or to the bottom.
pub async fn scroll(cx: &CallContext, request: v1::ScrollRequest) -> Result<v1::ScrollResponse> {
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
        (Some(text), None) => Scroll::IntoView(parse_target(text)?),
        (Some(text), Some(by)) => Scroll::Within(parse_target(text)?, by),
    };
    let at = cx.engine().scroll(&scroll, cx.deadline()).await?;
    let summary = format!("scrolled to {:.0}, {:.0}", at.x, at.y);
    Ok(v1::ScrollResponse { summary, x: at.x, y: at.y })
}

/// Clicks whatever lies at a point of the viewport.
async fn click_at(
    cx: &CallContext,
    (x, y): (f64, f64),
    click: Click,
    no_wait: bool,
) -> Result<v1::Receipt> {
    let refuse =
        |message: &str| Err(Error::new(Reason::ArgumentInvalid, message).with("command", "click"));
    if click.offset.is_some() {
        return refuse("`--at` belongs to an element, and the target is a point");
    }
    if x < 0.0 || y < 0.0 {
        return refuse("points of the viewport are not negative");
    }
    let mouse = browse_engine::MouseAction::Click(click.button, click.count);
    let spot = browse_engine::PointerTarget::Viewport(x, y);
    let (keys, until) = (click.modifiers, cx.deadline());
    let click = |engine: Engine| async move { engine.use_mouse(&spot, mouse, keys, until).await };
    run_action(cx, engine_for(cx, no_wait), click).await
}

async fn click_target(
    cx: &CallContext,
    text: &str,
    click: Click,
    no_wait: bool,
) -> Result<v1::Receipt> {
    let (target, until) = (parse_target(text)?, cx.deadline());
    let click = |engine: Engine| async move { engine.click(&target, &click, until).await };
    run_action(cx, engine_for(cx, no_wait), click).await
}

async fn set_checked(
    cx: &CallContext,
    engine: Engine,
    target: Target,
    checked: browse_engine::CheckState,
) -> Result<v1::Receipt> {
    let until = cx.deadline();
    let set = |engine: Engine| async move { engine.set_checked(&target, checked, until).await };
    run_action(cx, engine, set).await
}

/// The engine of the tab, whose receipts wait unless the caller specified not to.
fn engine_for(cx: &CallContext, no_wait: bool) -> Engine {
    cx.engine().with_wait_policy(if no_wait {
        WaitPolicy::NoWait
    } else {
        WaitPolicy::UntilSettled
    })
}

fn parse_click_count(count: Option<u32>) -> Result<u32> {
    let count = count.unwrap_or(1);
    if (1..=MAX_CLICKS).contains(&count) {
        return Ok(count);
    }
    let message = format!("`count` is {count}, and can be 1 to {MAX_CLICKS}");
    Err(Error::new(Reason::ArgumentInvalid, message).with("command", "click"))
}

fn parse_target(text: &str) -> Result<Target> {
    Ok(text.parse::<Target>()?)
}

fn button(button: v1::MouseButton) -> Button {
    match button {
        v1::MouseButton::Unspecified | v1::MouseButton::Left => Button::Left,
        v1::MouseButton::Right => Button::Right,
        v1::MouseButton::Middle => Button::Middle,
    }
}

fn parse_modifiers(text: Option<&str>) -> Result<Modifiers> {
    let parsed = text.map(str::parse).transpose();
    Ok(parsed?.unwrap_or_default())
}
