//! What the person reads of its agents, writes to them and answers.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use browse_base::{Error, HINT_KEY, Result, quote_up_to};
use browse_chromium::{CaptureArea, ImageFormat};
use browse_engine::{Rect, Target};
use browse_net::without_query;
use browse_proto::{Reason, Requires, v1};
use futures::{Stream, stream};
use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};

use crate::{
    dispatch::CallContext,
    handlers::browser::talk::check_message,
    talk::{MAX_MESSAGE_CHARS, NoteSubject, StoredMessage, time_text},
};

/// How much before its deadline a stream of messages ends by itself.
const DEADLINE_MARGIN: Duration = Duration::from_millis(50);

/// Quality of pictures, of 100.
const PICTURE_QUALITY: u8 = 80;

/// What a picture shows around an element, in CSS pixels.
const PICTURE_MARGIN: f64 = 60.0;

/// Largest width and height of a picture, in CSS pixels.
const MAX_PICTURE_SIDE: f64 = 1_600.0;

/// Prints the messages, and with `follow` what changes.
pub async fn read_talk(
    cx: Arc<CallContext>,
    request: v1::ReadTalkRequest,
) -> Result<impl Stream<Item = Result<v1::ReadTalkResponse>> + Send + 'static> {
    cx.set_source("agents and the person");
    if request.follow {
        cx.mark_as_watcher();
    }
    let changes = cx.daemon().talk().subscribe();
    let state = TalkState { cx, follow: request.follow, known: None, changes };
    Ok(stream::unfold(state, |mut state| async move {
        let messages = state.next().await?;
        Some((Ok(messages), state))
    }))
}

struct TalkState {
    cx: Arc<CallContext>,
    follow: bool,
    /// Numbers of the messages that were sent, and of their last changes.
    known: Option<BTreeMap<u64, u64>>,
    changes: watch::Receiver<u64>,
}

impl TalkState {
    async fn next(&mut self) -> Option<v1::ReadTalkResponse> {
        loop {
            if self.known.is_some() {
                let is_over = self.cx.daemon().is_shutting_down();
                let until = self.cx.deadline() - DEADLINE_MARGIN;
                if !self.follow || is_over || Instant::now() >= until {
                    return None;
                }
                tokio::select! {
                    changed = timeout_at(until, self.changes.changed()) => changed.ok()?.ok()?,
                    () = async { self.cx.daemon().shutdown_requested().await; } => return None,
                }
            }
            self.changes.mark_unchanged();
            let visible = visible_messages(&self.cx);
            let now = visible.iter().map(|message| (message.id, message.change)).collect();
            let is_first = self.known.is_none();
            let before = self.known.replace(now).unwrap_or_default();
            let removed: Vec<u64> = before
                .keys()
                .filter(|id| !visible.iter().any(|message| message.id == **id))
                .copied()
                .collect();
            let is_new = |message: &StoredMessage| before.get(&message.id) != Some(&message.change);
            let messages: Vec<_> = visible.into_iter().filter(is_new).map(describe).collect();
            if is_first || !messages.is_empty() || !removed.is_empty() {
                let lines: Vec<_> = messages.iter().map(line).collect();
                return Some(v1::ReadTalkResponse { summary: lines.join("\n"), messages, removed });
            }
        }
    }
}

/// Writes a note to the agent.
pub async fn write_note(
    cx: &CallContext,
    request: v1::WriteNoteRequest,
) -> Result<v1::WriteNoteResponse> {
    check_is_person(cx)?;
    let text = check_message("talk write", "note", &request.text)?;
    let session = cx.session()?;
    let subject = match request.target {
        Some(target) => Some(note_subject(cx, &target).await?),
        None => None,
    };
    let element = subject.as_ref().map(|subject| subject.element.clone()).unwrap_or_default();
    let daemon = cx.daemon();
    let id = daemon.talk().write_note(session.name(), cx.client().as_str(), &text, subject);
    Ok(v1::WriteNoteResponse { id, element })
}

/// Answers a question of an agent.
pub async fn answer_question(
    cx: &CallContext,
    request: v1::AnswerQuestionRequest,
) -> Result<v1::AnswerQuestionResponse> {
    check_is_person(cx)?;
    let answer = check_message("talk answer", "answer", &request.answer)?;
    let session = cx
        .daemon()
        .talk()
        .answer(request.id, &answer, |session| cx.capability().session.covers(session))?;
    Ok(v1::AnswerQuestionResponse { id: request.id, session })
}

/// What to do in a fleet, where the gateway says who is a person.
pub(super) const FLEET_PERSON_HINT: &str = "Sign in with a token that has the scope `control`, and do it at the dashboard: \
     `browse --remote <name> dashboard`";

/// Refuses agents with tokens of their own: they would answer themselves, or end their pause.
///
/// # Errors
/// `SCOPE_DENIED`.
pub(super) fn check_is_person(cx: &CallContext) -> Result<()> {
    if cx.is_owner() {
        return Ok(());
    }
    let message = format!("`{}` is not the person", cx.client());
    let hint = match cx.is_of_fleet() {
        true => FLEET_PERSON_HINT,
        false => "Use `browse say` and `browse ask`: a person does it at a dashboard",
    };
    Err(Error::new(Reason::ScopeDenied, message).with(HINT_KEY, hint))
}

/// The element of a note, with a picture of it where one can be made.
async fn note_subject(cx: &CallContext, target: &str) -> Result<NoteSubject> {
    let target: Target = target.parse()?;
    cx.check_session_free(cx.session()?.as_ref())?;
    cx.prepare_tab(Requires::Page).await?;
    let (tab, engine) = (cx.tab(), cx.engine());
    let target = Target::from_ref(engine.resolve(&target).await?);
    let described = engine.describe(&target).await?;
    let (bounds, revealed) = engine.page_bounds(&target).await?;
    let area = picture_area(bounds);
    let picture = tab.page().screenshot(area, ImageFormat::Jpeg(PICTURE_QUALITY)).await;
    engine.restore_scroll(&revealed).await;
    Ok(NoteSubject {
        element: format!("{target} {}", described.label()).trim().to_owned(),
        tab: tab.id(),
        // A query may hold a secret.
        url: without_query(&tab.url()),
        // Such as of an element without a size.
        picture: picture.ok().map(|picture| picture.bytes),
    })
}

fn picture_area(bounds: Rect) -> CaptureArea {
    let (x, y) = ((bounds.x - PICTURE_MARGIN).max(0.0), (bounds.y - PICTURE_MARGIN).max(0.0));
    let width = (bounds.x + bounds.width + PICTURE_MARGIN - x).clamp(1.0, MAX_PICTURE_SIDE);
    let height = (bounds.y + bounds.height + PICTURE_MARGIN - y).clamp(1.0, MAX_PICTURE_SIDE);
    CaptureArea::Clip { x, y, width, height }
}

fn visible_messages(cx: &CallContext) -> Vec<StoredMessage> {
    let mut all = cx.daemon().talk().messages();
    all.retain(|message| cx.capability().session.covers(&message.session));
    all
}

fn describe(message: StoredMessage) -> v1::TalkMessage {
    v1::TalkMessage {
        id: message.id,
        time: time_text(message.time_ms),
        session: message.session,
        kind: message.kind.name().to_owned(),
        client: message.client,
        text: message.text,
        choices: message.choices,
        state: message.state.name().to_owned(),
        answer: message.answer,
        until: message.until_ms.map(time_text),
        element: message.element,
        tab: message.tab,
        has_picture: message.has_picture,
        url: message.url,
    }
}

/// A message on one line: no text can look like another message.
fn line(message: &v1::TalkMessage) -> String {
    let parts = [
        message.id.to_string(),
        message.time.clone(),
        message.session.clone(),
        message.kind.clone(),
        message.state.clone(),
        message.client.clone(),
        message.element.clone(),
        format!("\"{}\"", one_line(&message.text)),
        match message.choices.is_empty() {
            true => String::new(),
            false => format!("[{}]", one_line(&message.choices.join(", "))),
        },
        message
            .answer
            .as_ref()
            .map(|answer| format!("→ \"{}\"", one_line(answer)))
            .unwrap_or_default(),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn one_line(text: &str) -> String {
    quote_up_to(text, MAX_MESSAGE_CHARS).replace('"', "'")
}
