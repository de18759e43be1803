//! Passes on what a person does in a tab that it holds. Nothing of it is recorded.

use std::{sync::Arc, time::Duration};

use browse_base::{Error, Result};
use browse_chromium::{
    AnsweredBy, DialogAnswer, KeyboardKey, MouseButton, MouseEvent, MouseEventKind, Page,
    TouchPhase,
};
use browse_proto::{Reason, v1};
use browse_sessions::{Session, Tab, UploadedFiles};
use tokio::time::timeout;

use super::{control::held_session, overview::FILE_PROMPT};
use crate::{address, dispatch::CallContext, handlers::browser::input::check_file_names};

/// Time that a page gets to say what is at a point.
const PROMPT_TIMEOUT: Duration = Duration::from_millis(250);

/// Events of one request.
const MAX_EVENTS: usize = 1_000;

/// Characters of a text.
const MAX_TEXT_CHARS: usize = 1_000_000;

/// The modifiers with which a key types nothing: Alt, Control and Meta.
const COMMAND_MODIFIERS: u32 = 1 | 2 | 4;

/// Passes on input.
pub async fn send_input(
    cx: &CallContext,
    request: v1::SendInputRequest,
) -> Result<v1::SendInputResponse> {
    let session = held_session(cx, &request.lease)?;
    if request.events.len() > MAX_EVENTS {
        return Err(invalid(format!("there are more than {MAX_EVENTS} events")));
    }
    let sent = u32::try_from(request.events.len()).unwrap_or(u32::MAX);
    let Some(last) = request.events.len().checked_sub(1) else {
        return Ok(v1::SendInputResponse { sent });
    };
    // Of moves that follow each other the last one counts.
    let kinds: Vec<_> = request.events.iter().map(|event| event.kind.clone()).collect();
    let is_passed =
        |index: usize| kinds[index] == "move" && index < last && kinds[index + 1] == "move";
    for (index, event) in request.events.into_iter().enumerate() {
        if !is_passed(index) {
            send(cx, &session, request.tab, event).await?;
        }
    }
    Ok(v1::SendInputResponse { sent })
}

async fn send(
    cx: &CallContext,
    session: &Arc<Session>,
    tab: u64,
    event: v1::InputEvent,
) -> Result<()> {
    if event.text.chars().count() > MAX_TEXT_CHARS {
        return Err(invalid(format!("a text has {MAX_TEXT_CHARS} characters at most")));
    }
    if event.kind == "open" && tab == 0 {
        let tab = session.open_tab(cx.client()).await?;
        return open(cx, &tab, &event.text);
    }
    let tab = session.tab(tab)?;
    let page = tab.page();
    match event.kind.as_str() {
        "down" if press_opens_prompt(session, &tab, &event).await => {}
        // The press was not sent.
        "up" if session.control().prompt(tab.id()).is_some() => {}
        "move" | "down" | "up" | "wheel" => send_mouse(page, &event)?,
        "answer" if event.prompt == FILE_PROMPT => give_files(session, &tab, event.files).await?,
        "answer" => answer_prompt(session, &tab, &event).await?,
        "dismiss" if event.prompt == FILE_PROMPT => drop(page.take_file_chooser()),
        "dismiss" if !event.prompt.is_empty() => session.control().set_prompt(tab.id(), None),
        "key-down" | "key-up" => send_key(page, &event),
        "text" | "paste" => page.insert_text(&event.text).ignore(),
        "compose" => page.set_composition(&event.text, event.caret).ignore(),
        "touch-start" => page.send_touch(TouchPhase::Start, event.x, event.y).ignore(),
        "touch-move" => page.send_touch(TouchPhase::Move, event.x, event.y).ignore(),
        "touch-end" => page.send_touch(TouchPhase::End, event.x, event.y).ignore(),
        "accept" => answer_dialog(page, DialogAnswer::Accept(Some(event.text)))?,
        "dismiss" => answer_dialog(page, DialogAnswer::Dismiss)?,
        "open" => open(cx, &tab, &event.text)?,
        "back" | "forward" | "reload" => travel(&tab, &event.kind),
        "activate" => {
            session.activate(tab.id())?;
        }
        "close-tab" => {
            session.close_tab(tab.id()).await?;
        }
        other => {
            let quoted = browse_base::quote(other);
            return Err(invalid(format!("`{quoted}` is not a kind of input")));
        }
    }
    Ok(())
}

/// Whether a press is on a control whose list or picker Chromium would draw outside of the page:
/// its holder then chooses from what the overview says.
async fn press_opens_prompt(session: &Session, tab: &Tab, event: &v1::InputEvent) -> bool {
    session.control().set_prompt(tab.id(), None);
    if !matches!(event.button.as_str(), "" | "left") {
        return false;
    }
    // A page that does not answer gets the press as it is.
    let asked = timeout(PROMPT_TIMEOUT, tab.engine().prompt_at(event.x, event.y)).await;
    let prompt = asked.ok().and_then(std::result::Result::ok).flatten();
    let opens = prompt.is_some();
    session.control().set_prompt(tab.id(), prompt);
    opens
}

/// Gives a page the files of a person. They lie in a folder of the tab until it is closed.
async fn give_files(session: &Session, tab: &Tab, files: Vec<v1::UploadFile>) -> Result<()> {
    let names = files.iter().map(|file| &file.name);
    check_file_names("control input", names)?;
    let chooser = tab.page().take_file_chooser();
    let chooser =
        chooser.ok_or_else(|| Error::new(Reason::RefStale, "no file chooser is open any more"))?;
    if files.is_empty() {
        return Ok(());
    }
    let context = session.context();
    let context = context.ok_or_else(|| Error::new(Reason::BrowserGone, "there is no browser"))?;
    let files = UploadedFiles::write_to(&context.browser().info().uploads, files).await?;
    tab.engine().give_files(&chooser, files.paths()).await?;
    tab.uploads().keep(files);
    Ok(())
}

async fn answer_prompt(session: &Session, tab: &Tab, event: &v1::InputEvent) -> Result<()> {
    let prompt = session.control().prompt(tab.id()).filter(|prompt| prompt.id == event.prompt);
    let prompt = prompt.ok_or_else(|| {
        Error::new(Reason::RefStale, "the control does not wait for an answer any more")
    })?;
    session.control().set_prompt(tab.id(), None);
    Ok(tab.engine().answer_prompt(&prompt.id, &event.values, &event.text).await?)
}

fn send_mouse(page: &Page, event: &v1::InputEvent) -> Result<()> {
    let button = match event.button.as_str() {
        "" | "left" => MouseButton::Left,
        "middle" => MouseButton::Middle,
        "right" => MouseButton::Right,
        other => {
            let quoted = browse_base::quote(other);
            return Err(invalid(format!("`{quoted}` is not left, middle or right")));
        }
    };
    let count = event.clicks.clamp(1, 3);
    let kind = match event.kind.as_str() {
        "down" => MouseEventKind::Press { button, count },
        "up" => MouseEventKind::Release { button, count },
        "wheel" => MouseEventKind::Wheel { dx: event.dx, dy: event.dy },
        _ => MouseEventKind::Move { held_buttons: 0 },
    };
    if ![event.x, event.y, event.dx, event.dy].iter().all(|number| number.is_finite()) {
        return Err(invalid("a point is not a number".to_owned()));
    }
    let modifiers = modifiers(event);
    page.send_mouse_event(MouseEvent { kind, x: event.x, y: event.y, modifiers }).ignore();
    Ok(())
}

/// A key; a character that no key of the layout types arrives as from an input method.
fn send_key(page: &Page, event: &v1::InputEvent) {
    let is_down = event.kind == "key-down";
    let is_character = event.key.chars().count() == 1;
    let types = is_character && event.modifiers & COMMAND_MODIFIERS == 0;
    let named = KeyboardKey::named(&event.key);
    let key = match named {
        Ok(key) => key,
        Err(_) if types => {
            if is_down {
                page.insert_text(&event.key).ignore();
            }
            return;
        }
        // Such as `ö` with Control: the place of the key counts.
        Err(_) => match KeyboardKey::named(&event.code) {
            Ok(key) => key,
            Err(_) => return,
        },
    };
    page.note_key(&event.key, is_down);
    match is_down {
        true => page.key_down(key, modifiers(event)).ignore(),
        false => page.key_up(key, modifiers(event)).ignore(),
    }
}

fn modifiers(event: &v1::InputEvent) -> u8 {
    u8::try_from(event.modifiers & 0xf).unwrap_or_default()
}

fn answer_dialog(page: &Page, answer: DialogAnswer) -> Result<()> {
    let open = page.open_dialog();
    let call = open.and_then(|open| {
        let answer = match (&answer, open.kind.as_str()) {
            (DialogAnswer::Accept(_), kind) if kind != "prompt" => DialogAnswer::Accept(None),
            _ => answer,
        };
        page.answer_open_dialog(open.id, answer, AnsweredBy::Person)
    });
    call.map(|call| call.ignore())
        .ok_or_else(|| Error::new(Reason::DialogClosed, "no dialog is open"))
}

/// Opens an address as a person types it. It loads by itself.
fn open(cx: &CallContext, tab: &Arc<Tab>, text: &str) -> Result<()> {
    let url = address::parse(text, &cx.url_requester())?;
    cx.check_address(&url)?;
    let page = Arc::clone(tab.page());
    tokio::spawn(async move {
        let _leaving = page.begin_leaving();
        if let Err(error) = page.navigate(url.as_str()).await {
            tracing::debug!(%error, "an address that a person opened did not load");
        }
    });
    Ok(())
}

fn travel(tab: &Arc<Tab>, kind: &str) {
    let (page, kind) = (Arc::clone(tab.page()), kind.to_owned());
    tokio::spawn(async move {
        let _leaving = page.begin_leaving();
        let went = match kind.as_str() {
            "back" => page.back().await,
            "forward" => page.forward().await,
            _ => page.reload().await,
        };
        if let Err(error) = went {
            tracing::debug!(%error, kind, "a page that a person left did not go");
        }
    });
}

fn invalid(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "control input")
}
