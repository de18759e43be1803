//! Notes a call in the trace of its session: the page before and after it, the console and the
//! requests. The recorder of calls says what it was about.

mod sent_requests;

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use browse_base::{Error, now_ms};
use browse_chromium::{CaptureArea, FrameId, ImageFormat, ResponseBody};
use browse_engine::DocumentContent;
use browse_proto::{Requires, StepRole};
use browse_secrets::REDACTED;
use browse_sessions::{StateChangingRequest, Tab};
use browse_traces::{
    ConsoleLine, DocumentTokens, FrameState, PageResource, TraceWriter, TracedPage, TracedRequest,
    TracedStep,
};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};

use self::sent_requests::{is_held, take_sent};
use super::CallContext;
use crate::skills::record::TracedCall;

/// Time that looking at a page after a call may take.
const CAPTURE_TIMEOUT: Duration = Duration::from_secs(1);

/// The same before it: an action has to come in time. At most a tenth of the time that is left.
const EARLY_CAPTURE_TIMEOUT: Duration = Duration::from_millis(300);

/// How much beyond the deadline of a call its page is looked at.
const OVERTIME: Duration = Duration::from_millis(150);

/// Quality of pictures, of 100.
const PICTURE_QUALITY: u8 = 60;

/// Files of a document that are kept.
const MAX_FILES: usize = 60;

/// Bytes of a file that is kept.
const MAX_FILE_BYTES: usize = 1 << 20;

/// A call that is being noted.
pub(super) struct StepTrace {
    writer: Arc<TraceWriter>,
    step: TracedStep,
    started: Instant,
    /// The first line of the console and the first request that are its own.
    captured_from: Option<(u64, u64)>,
    /// What was sent since the step before it began.
    sent_before: Vec<StateChangingRequest>,
    /// Whether it can be a step of a skill.
    is_for_skills: bool,
    /// Whether a person had the session meanwhile.
    is_withheld: bool,
}

impl StepTrace {
    /// Begins to note a call, when its session is traced.
    pub fn begin(cx: &CallContext) -> Option<Self> {
        let (traces, command) = (cx.daemon().traces(), cx.command());
        let is_step = command.service == "BrowserService"
            && command.group != "batch"
            && !command.name.starts_with("trace ");
        if traces.is_idle() || !is_step {
            return None;
        }
        let writer = traces.recording(&cx.session_name())?;
        let step = TracedStep {
            number: writer.next_number()?,
            time_ms: now_ms(),
            client: cx.client().to_string(),
            command: command.name.to_owned(),
            ..TracedStep::default()
        };
        Some(Self {
            sent_before: take_sent(cx, &writer),
            writer,
            step,
            started: Instant::now(),
            captured_from: None,
            is_for_skills: command.step_role != StepRole::Inspect,
            is_withheld: false,
        })
    }

    /// Notes the page before an action.
    pub async fn look_before(&mut self, cx: &CallContext) {
        let Some(tab) = cx.tab_if_any() else { return };
        self.step.tab = Some(tab.id());
        self.captured_from = Some((tab.console().next_number(), tab.network().next_number()));
        if cx.command().has_side_effects {
            let now = Instant::now();
            let left = cx.deadline().saturating_duration_since(now);
            let limit = now + EARLY_CAPTURE_TIMEOUT.min(left / 10);
            self.step.before = self.page_state(cx, tab, limit, false).await;
        }
    }

    /// Notes how it ended, and the page then.
    pub async fn look_after(&mut self, cx: &CallContext, failure: Option<&Error>) {
        self.step.duration_ms = (self.started.elapsed().as_secs_f64() * 10_000.0).round() / 10.0;
        self.step.outcome = failure.map_or("ok", |error| error.reason().name()).to_owned();
        self.step.error = failure.map(ToString::to_string).unwrap_or_default();
        if is_held(cx, &cx.session_name(), self.step.time_ms) {
            // What is sent from now on is the person's.
            self.writer.update_log_position(|known| *known = None);
        }
        let Some(tab) = cx.tab_if_any() else { return };
        self.step.tab = Some(tab.id());
        if !may_keep(cx, tab, self.step.time_ms) {
            self.is_withheld = true;
            return;
        }
        self.step.url = tab.page().url();
        let shows = matches!(cx.command().requires, Requires::Page | Requires::Navigation);
        if shows || failure.is_some() {
            let limit = (Instant::now() + CAPTURE_TIMEOUT).min(cx.deadline() + OVERTIME);
            self.step.after = self.page_state(cx, tab, limit, true).await;
        }
        if let Some((console, network)) = self.captured_from {
            self.step.console = tab.console().since(console).0.into_iter().map(line).collect();
            let requests = tab.network().since(network).0.into_iter();
            self.step.requests = requests.map(|line| request(line.summary)).collect();
        }
        self.is_withheld = !may_keep(cx, tab, self.step.time_ms);
    }

    /// Whether more of it is kept, for a skill.
    pub fn is_recorded(&self) -> bool {
        self.is_for_skills && !self.is_withheld
    }

    /// Looks again whether a person has taken the session.
    pub fn check_held(&mut self, cx: &CallContext) {
        if let Some(tab) = cx.tab_if_any() {
            self.is_withheld |= !may_keep(cx, tab, self.step.time_ms);
        }
    }

    /// What was sent since the step before it began.
    pub fn take_sent_before(&mut self) -> Vec<StateChangingRequest> {
        std::mem::take(&mut self.sent_before)
    }

    /// Writes the step: of one during which a person had the session only that it was.
    pub async fn write(
        mut self,
        arguments: Map<String, Value>,
        element: Option<String>,
        findings: Vec<String>,
        call: Option<TracedCall>,
    ) {
        if self.is_withheld {
            let TracedStep { number, time_ms, duration_ms, client, command, outcome, .. } =
                self.step;
            self.step = TracedStep {
                number,
                time_ms,
                duration_ms,
                client,
                command,
                outcome,
                is_withheld: true,
                ..TracedStep::default()
            };
        } else {
            self.step.arguments = given_arguments(arguments);
            self.step.element = element.unwrap_or_default();
            self.step.findings = findings;
        }
        let Self { writer, mut step, is_withheld, .. } = self;
        let call = call.filter(|_| !is_withheld);
        let written = tokio::task::spawn_blocking(move || {
            step.record = call.and_then(|call| call.keep(&writer));
            writer.write_step(step)
        });
        let written = written.await;
        if let Ok(Err(error)) = written {
            tracing::warn!(%error, "a step of a trace is lost");
        }
    }

    /// Takes `text` out of what is kept.
    pub fn add_secret(&self, text: &str) {
        self.writer.add_secret(text);
    }

    /// The page now, with a picture and a snapshot when it is `whole`. None when a person has
    /// it, or it does not answer.
    async fn page_state(
        &self,
        cx: &CallContext,
        tab: &Tab,
        limit: Instant,
        whole: bool,
    ) -> Option<TracedPage> {
        let page = tab.page();
        if !may_keep(cx, tab, self.step.time_ms)
            || page.open_dialog().is_some()
            || !self.writer.has_room()
        {
            return None;
        }
        let viewport = page.viewport();
        let time_ms = now_ms();
        let picture = async {
            if !whole {
                return None;
            }
            let shot = page.screenshot(CaptureArea::Viewport, ImageFormat::Jpeg(PICTURE_QUALITY));
            timeout_at(limit, shot).await.ok()?.ok()
        };
        let snapshot = async {
            if !whole {
                return None;
            }
            timeout_at(limit, tab.engine().summary(true)).await.ok()?.ok()
        };
        let contents = tab.engine().document_contents(limit);
        let (picture, snapshot, contents) = tokio::join!(picture, snapshot, contents);
        let mut documents = Vec::new();
        for mut content in contents {
            let files = self.page_files(tab, &mut content, limit).await;
            documents.push((content, files));
        }
        // Somebody may have taken it meanwhile.
        if !may_keep(cx, tab, self.step.time_ms) {
            return None;
        }
        let writer = Arc::clone(&self.writer);
        let keep = move || {
            let scrubber = writer.scrubber();
            let frames = documents.into_iter();
            let frames = frames.map(|(content, files)| keep_document(&writer, content, files));
            TracedPage {
                width: viewport.width,
                height: viewport.height,
                time_ms,
                frames: frames.collect(),
                picture: picture.and_then(|picture| writer.add_resource(&picture.bytes)),
                snapshot: snapshot
                    .and_then(|text| writer.add_resource(scrubber.scrub(&text).as_bytes())),
            }
        };
        tokio::task::spawn_blocking(keep).await.ok()
    }

    /// The files that a document shows: those that are kept already, and the others.
    async fn page_files(
        &self,
        tab: &Tab,
        content: &mut DocumentContent,
        limit: Instant,
    ) -> Vec<PageFile> {
        let mut files = Vec::new();
        for (url, kind) in std::mem::take(&mut content.resources).into_iter().take(MAX_FILES) {
            if let Some(known) = self.writer.find_resource(&content.document, &url) {
                files.push(PageFile::Kept(known));
                continue;
            }
            let file = tab.page().page_file(&content.frame, &url);
            // One that still loads is asked for again with the next step.
            let Ok(Ok(body)) = timeout_at(limit, file).await else { continue };
            files.push(PageFile::Loaded { url, kind, body });
        }
        files
    }
}

/// A file that a document shows.
enum PageFile {
    /// It is in the trace already.
    Kept(PageResource),
    /// Chromium has it.
    Loaded { url: String, kind: String, body: ResponseBody },
}

/// Keeps a document with its files, without secrets.
fn keep_document(
    writer: &TraceWriter,
    mut content: DocumentContent,
    files: Vec<PageFile>,
) -> FrameState {
    let scrubber = writer.scrubber();
    for text in &mut content.strings {
        *text = match text.strip_prefix("/snapshot/frame-number@") {
            Some(number) => frame_address(&content.frames, number),
            None => scrubber.scrub(text),
        };
    }
    let tokens = DocumentTokens { tokens: content.tokens, strings: content.strings };
    let (markup, nodes) = tokens.to_json().unwrap_or_default();
    let resources = files.into_iter().filter_map(|file| match file {
        PageFile::Kept(known) => Some(known),
        PageFile::Loaded { url, kind, body } => {
            let bytes = file_bytes(body).filter(|bytes| bytes.len() <= MAX_FILE_BYTES)?;
            let mime = if kind == "style" { "text/css" } else { image_mime(&bytes) };
            let name = match String::from_utf8(bytes) {
                Ok(text) => writer.add_resource(scrubber.scrub(&text).as_bytes())?,
                Err(binary) => writer.add_resource(binary.as_bytes())?,
            };
            let file = PageResource { url: url.clone(), mime: mime.to_owned(), name };
            writer.set_resource(&content.document, &url, file.clone());
            Some(file)
        }
    });
    let resources = resources.collect();
    FrameState {
        id: content.frame.to_string(),
        url: content.url,
        doctype: content.doctype,
        markup: Some(markup)
            .filter(|markup| !markup.is_empty())
            .and_then(|markup| writer.add_resource(markup.as_bytes())),
        nodes,
        resources,
    }
}

/// The arguments that were given, a secret as its mask.
fn given_arguments(mut arguments: Map<String, Value>) -> Map<String, Value> {
    arguments.retain(|_, value| match value {
        Value::Bool(is_set) => *is_set,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    });
    for value in arguments.values_mut().filter(|value| value.is_null()) {
        *value = Value::from(REDACTED);
    }
    arguments
}

/// Whether what a tab showed since `since_ms` may be kept: a person may have it, in a dashboard
/// or in a window, or have had it.
fn may_keep(cx: &CallContext, tab: &Tab, since_ms: u64) -> bool {
    !is_held(cx, tab.session(), since_ms) && !tab.page().is_private()
}

/// The address of a frame in a markup, by which a viewer finds its document.
fn frame_address(frames: &[(u32, FrameId)], number: &str) -> String {
    let number = number.parse().unwrap_or(0);
    let frame = frames.iter().find(|(known, _)| *known == number);
    frame.map(|(_, frame)| format!("/snapshot/frame@{frame}")).unwrap_or_default()
}

fn file_bytes(body: ResponseBody) -> Option<Vec<u8>> {
    match body.is_base64 {
        true => STANDARD.decode(body.text).ok(),
        false => Some(body.text.into_bytes()),
    }
}

/// The type of a picture by its first bytes.
fn image_mime(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, ..] => "image/jpeg",
        [b'G', b'I', b'F', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "image/avif",
        _ => "image/svg+xml",
    }
}

fn line(message: browse_proto::v1::ConsoleMessage) -> ConsoleLine {
    ConsoleLine {
        time_ms: message.time_ms,
        level: message.level,
        text: message.text,
        location: message.location,
    }
}

fn request(entry: browse_proto::v1::NetworkEntry) -> TracedRequest {
    TracedRequest {
        time_ms: entry.time_ms,
        duration_ms: entry.duration_ms,
        method: entry.method,
        url: entry.url,
        kind: entry.r#type,
        status: entry.status,
        size: entry.size,
        mime: entry.mime.unwrap_or_default(),
        failure: entry.failure.unwrap_or_default(),
    }
}
