//! Notes a call in the trace of its session: the page before and after it, the console and the
//! requests. The recorder of calls says what it was about.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use browse_base::Error;
use browse_chromium::{CaptureArea, FrameId, ImageFormat, ResponseBody};
use browse_engine::DocumentContent;
use browse_proto::Requires;
use browse_secrets::REDACTED;
use browse_sessions::Tab;
use browse_traces::{
    ConsoleLine, DocumentTokens, FrameState, PageResource, PageState, TraceWriter, TracedRequest,
    TracedStep,
};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};

use super::CallContext;

/// Time that looking at a page may take.
const CAPTURE_TIMEOUT: Duration = Duration::from_secs(3);

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
            time_ms: milliseconds_now(),
            client: cx.client().to_string(),
            command: command.name.to_owned(),
            ..TracedStep::default()
        };
        Some(Self { writer, step, started: Instant::now(), captured_from: None })
    }

    /// Notes the page before an action.
    pub async fn look_before(&mut self, cx: &CallContext) {
        let Some(tab) = cx.tab_if_any() else { return };
        self.step.tab = Some(tab.id());
        self.captured_from = Some((tab.console().next_number(), tab.network().next_number()));
        if cx.command().has_side_effects {
            let limit = (Instant::now() + CAPTURE_TIMEOUT).min(cx.deadline());
            self.step.before = self.page_state(cx, tab, limit, false).await;
        }
    }

    /// Notes how it ended, and the page then.
    pub async fn look_after(&mut self, cx: &CallContext, failure: Option<&Error>) {
        self.step.duration_ms = (self.started.elapsed().as_secs_f64() * 10_000.0).round() / 10.0;
        self.step.outcome = failure.map_or("ok", |error| error.reason().name()).to_owned();
        self.step.error = failure.map(ToString::to_string).unwrap_or_default();
        let Some(tab) = cx.tab_if_any() else { return };
        self.step.tab = Some(tab.id());
        self.step.url = tab.page().url();
        if cx.command().requires != Requires::Daemon {
            let limit = (Instant::now() + CAPTURE_TIMEOUT).min(cx.deadline() + OVERTIME);
            self.step.after = self.page_state(cx, tab, limit, true).await;
        }
        if let Some((console, network)) = self.captured_from
            && may_keep(cx, tab)
        {
            self.step.console = tab.console().since(console).0.into_iter().map(line).collect();
            let requests = tab.network().since(network).0.into_iter();
            self.step.requests = requests.map(|line| request(line.summary)).collect();
        }
    }

    /// Writes the step; `secret` is what was typed into a secret field.
    pub async fn write(
        mut self,
        arguments: Map<String, Value>,
        element: Option<String>,
        findings: Vec<String>,
    ) {
        self.step.arguments = given_arguments(arguments);
        self.step.element = element.unwrap_or_default();
        self.step.findings = findings;
        let Self { writer, step, .. } = self;
        let written = tokio::task::spawn_blocking(move || writer.write_step(step)).await;
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
    ) -> Option<PageState> {
        let page = tab.page();
        if !may_keep(cx, tab) || page.open_dialog().is_some() || !self.writer.has_room() {
            return None;
        }
        let viewport = page.viewport();
        let mut state = PageState {
            width: viewport.width,
            height: viewport.height,
            time_ms: milliseconds_now(),
            ..PageState::default()
        };
        let picture = async {
            let shot = page.screenshot(CaptureArea::Viewport, ImageFormat::Jpeg(PICTURE_QUALITY));
            timeout_at(limit, async { whole.then_some(shot.await.ok()).flatten() }).await.ok()?
        };
        let snapshot = async {
            let summary = tab.engine().summary(true);
            timeout_at(limit, async { whole.then_some(summary.await.ok()).flatten() }).await.ok()?
        };
        let contents = tab.engine().document_contents(limit);
        let (picture, snapshot, contents) = tokio::join!(picture, snapshot, contents);
        for content in contents {
            state.frames.push(self.frame_state(tab, content, limit).await);
        }
        // Somebody may have taken it meanwhile.
        if !may_keep(cx, tab) || state.frames.is_empty() {
            return None;
        }
        state.picture = picture.and_then(|picture| self.writer.add_resource(&picture.bytes));
        state.snapshot =
            snapshot.and_then(|text| self.writer.add_resource(self.writer.scrub(&text).as_bytes()));
        Some(state)
    }

    async fn frame_state(
        &self,
        tab: &Tab,
        mut content: DocumentContent,
        limit: Instant,
    ) -> FrameState {
        for text in &mut content.strings {
            *text = match text.strip_prefix("/snapshot/frame-number@") {
                Some(number) => frame_address(&content.frames, number),
                None => self.writer.scrub(text),
            };
        }
        let tokens = DocumentTokens { tokens: content.tokens, strings: content.strings };
        let markup = tokens.to_json().ok();
        let mut resources = Vec::new();
        for (url, kind) in content.resources.into_iter().take(MAX_FILES) {
            let file = self.page_file(tab, &content.frame, &content.document, &url, &kind);
            if let Ok(Some(file)) = timeout_at(limit, file).await {
                resources.push(file);
            }
        }
        FrameState {
            id: content.frame.to_string(),
            url: content.url,
            doctype: content.doctype,
            markup: markup.and_then(|markup| self.writer.add_resource(markup.as_bytes())),
            resources,
        }
    }

    /// A file that a document shows, asked for once.
    async fn page_file(
        &self,
        tab: &Tab,
        frame: &FrameId,
        document: &str,
        url: &str,
        kind: &str,
    ) -> Option<PageResource> {
        if let Some(known) = self.writer.find_resource(document, url) {
            return known;
        }
        let body = tab.page().page_file(frame, url).await.ok();
        let bytes = body.and_then(file_bytes).filter(|bytes| bytes.len() <= MAX_FILE_BYTES);
        let file = bytes.and_then(|bytes| {
            let mime = match kind {
                "style" => "text/css",
                _ => image_mime(&bytes),
            };
            let name = self.writer.add_resource(&bytes)?;
            Some(PageResource { url: url.to_owned(), mime: mime.to_owned(), name })
        });
        self.writer.set_resource(document, url, file.clone());
        file
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

/// Whether what a tab shows may be kept: a person may have it, or be signing in.
fn may_keep(cx: &CallContext, tab: &Tab) -> bool {
    let session = cx.daemon().sessions().get(tab.session());
    let is_held = session.is_some_and(|session| session.control().holder().is_some());
    !is_held && !tab.page().is_private()
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

fn milliseconds_now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or_default()
}
