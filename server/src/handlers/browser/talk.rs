//! What an agent says to the person, asks, and reads from it.

use std::time::Duration;

use browse_base::{Error, HINT_KEY, Result};
use browse_content::Sources;
use browse_policy::TabPolicy;
use browse_proto::{Reason, v1};
use tokio::time::{Instant, timeout_at};

use crate::{
    dispatch::CallContext,
    talk::{MAX_MESSAGE_CHARS, MessageKind, StoredMessage, time_text},
};

/// Time before the deadline in which a caller learns that nobody answered.
const DEADLINE_MARGIN: Duration = Duration::from_millis(200);

/// Choices of a question.
const MAX_CHOICES: usize = 20;

/// Characters of a choice.
const MAX_CHOICE_CHARS: usize = 200;

/// Says something to the person.
pub async fn say(cx: &CallContext, request: v1::SayRequest) -> Result<v1::SayResponse> {
    let text = check_message("say", "text", &request.text)?;
    let session = cx.session()?;
    let id = cx.daemon().talk().say(session.name(), cx.client().as_str(), &text);
    let place = match is_shown(cx, session.name()) {
        true => "the person sees it",
        false => "it stands in the dashboard when one is opened (`browse dashboard`)",
    };
    Ok(v1::SayResponse { summary: format!("message {id}: {place}"), id })
}

/// Asks the person, and waits for the answer.
pub async fn ask(cx: &CallContext, request: v1::AskRequest) -> Result<v1::AskResponse> {
    let text = check_message("ask", "question", &request.text)?;
    let choices = check_choices(request.choices)?;
    let session = cx.session()?;
    let until = cx.deadline() - DEADLINE_MARGIN;
    let time = until.saturating_duration_since(Instant::now());
    let client = cx.client().as_str();
    let mut question = cx.daemon().talk().ask((session.name(), client), &text, choices, time)?;
    cx.set_source("the person");
    match timeout_at(until, question.answered()).await {
        Ok(Some(answer)) => Ok(v1::AskResponse { answer, id: question.id() }),
        Ok(None) => {
            let message =
                format!("the question was forgotten with the session `{}`", session.name());
            Err(Error::new(Reason::NoAnswer, message))
        }
        Err(_) => Err(no_answer(cx, session.name())),
    }
}

/// Prints what the person wrote to the agent.
pub async fn read_inbox(
    cx: &CallContext,
    request: v1::ReadInboxRequest,
) -> Result<v1::ReadInboxResponse> {
    let session = cx.session()?;
    let notes = cx.daemon().talk().read_inbox(session.name(), request.clear);
    cx.daemon().talk().take_unreported(session.name());
    // The names of elements are words of their pages.
    let mut sources = Sources::default();
    sources.add("the person");
    for note in notes.iter().filter(|note| !note.url.is_empty()) {
        sources.add_url(&note.url);
    }
    cx.set_sources(sources);
    // What is cleared has no picture any more.
    let describe = |note: StoredMessage| v1::InboxNote {
        time: time_text(note.time_ms),
        text: note.text,
        id: note.id,
        element: note.element,
        tab: note.tab,
        url: note.url,
        picture: match note.has_picture && !request.clear {
            true => format!("inbox picture {}", note.id),
            false => String::new(),
        },
    };
    Ok(v1::ReadInboxResponse { notes: notes.into_iter().map(describe).collect() })
}

/// Answers the picture of a note.
pub async fn inbox_picture(
    cx: &CallContext,
    request: v1::InboxPictureRequest,
) -> Result<v1::InboxPictureResponse> {
    // It may show any tab of the session, and any host.
    let capability = cx.capability();
    let sees_all = capability.tabs == TabPolicy::Session && capability.hosts().is_any();
    let is_visible = |note: &StoredMessage| {
        note.kind == MessageKind::Note && sees_all && capability.session.covers(&note.session)
    };
    let talk = cx.daemon().talk();
    let note = talk.message(request.id).filter(is_visible);
    let image = note.and_then(|note| talk.picture(note.id)).ok_or_else(|| {
        let message = format!("note {} is not kept, or has no picture", request.id);
        Error::new(Reason::MessageNotFound, message)
            .with(HINT_KEY, "Run `browse inbox` to list the notes")
    })?;
    Ok(v1::InboxPictureResponse { image, mime: "image/jpeg".to_owned() })
}

/// The text of a message.
///
/// # Errors
/// `ARGUMENT_INVALID`: it is empty or too long.
pub fn check_message(command: &str, field: &str, text: &str) -> Result<String> {
    let text = text.trim();
    let message = match text.chars().count() {
        0 => format!("the {field} is empty"),
        count if count > MAX_MESSAGE_CHARS => {
            format!("the {field} has {count} characters, and {MAX_MESSAGE_CHARS} at most are read")
        }
        _ => return Ok(text.to_owned()),
    };
    Err(Error::new(Reason::ArgumentInvalid, message).with("command", command))
}

fn check_choices(choices: Vec<String>) -> Result<Vec<String>> {
    let mut checked: Vec<String> = Vec::new();
    for choice in choices.iter().flat_map(|text| text.split(',')).map(str::trim) {
        if choice.is_empty() || choice.chars().count() > MAX_CHOICE_CHARS {
            let message = format!("a choice has 1 to {MAX_CHOICE_CHARS} characters");
            return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "ask"));
        }
        if !checked.iter().any(|known| known == choice) {
            checked.push(choice.to_owned());
        }
    }
    if checked.len() > MAX_CHOICES {
        let message = format!("there are {} choices, more than {MAX_CHOICES}", checked.len());
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "ask"));
    }
    Ok(checked)
}

/// Whether a person has what shows messages in front of it.
fn is_shown(cx: &CallContext, session: &str) -> bool {
    let window = cx.daemon().windows().get(session);
    cx.daemon().dashboard().is_used() || window.is_some_and(|window| window.purpose().connected)
}

fn no_answer(cx: &CallContext, session: &str) -> Error {
    let error = Error::new(Reason::NoAnswer, "the person did not answer in time");
    match is_shown(cx, session) {
        true => error,
        false => error.with(
            HINT_KEY,
            "No dashboard is open: run `browse dashboard` and give its link to the person, then \
             ask again",
        ),
    }
}
