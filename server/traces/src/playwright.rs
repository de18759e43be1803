//! A trace as a zip file that Playwright's trace viewer opens.
//!
//! The format is private to Playwright: JSON lines in `trace.trace` and `trace.network`, files
//! in `resources/`. Version 7 is written, the oldest that viewers since Playwright 1.50 take,
//! and that later ones convert. Source: `packages/trace/src/trace.ts` of Playwright.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io::{Cursor, Write},
};

use browse_base::{Error, Result};
use browse_proto::Reason;
use serde_json::{Value, json};
use zip::{ZipWriter, result::ZipResult, write::SimpleFileOptions};

use super::{
    export::{ReadResource, too_large},
    har,
    step::{FrameState, ResourceName, TraceHeader, TracedPage, TracedStep},
};

/// Version of the format.
const VERSION: u32 = 7;

/// Bytes of all events: a viewer reads them into memory.
const MAX_EVENT_BYTES: usize = 256 << 20;

/// Time of the first event: viewers take zero for none.
const FIRST_MILLISECOND: f64 = 1_000.0;

/// Writes the whole file.
///
/// # Errors
/// `TOO_LARGE`.
pub(crate) fn zip(
    header: &TraceHeader,
    steps: &[TracedStep],
    read: ReadResource<'_>,
) -> Result<Vec<u8>> {
    let mut events = Events { start: header.started_ms, ..Events::default() };
    events.begin(header, steps);
    for step in steps {
        events.add_step(step, read);
        if events.trace.len() > MAX_EVENT_BYTES {
            return Err(too_large(events.trace.len()));
        }
    }
    pack(&events, read).map_err(|error| Error::new(Reason::Bug, error.to_string()))
}

fn pack(events: &Events, read: ReadResource<'_>) -> ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    zip.start_file("trace.trace", options)?;
    zip.write_all(&events.trace)?;
    zip.start_file("trace.network", options)?;
    zip.write_all(&events.network)?;
    for name in &events.files {
        if let Some(bytes) = read(&ResourceName(name.clone())) {
            zip.start_file(format!("resources/{name}"), options)?;
            zip.write_all(&bytes)?;
        }
    }
    Ok(zip.finish()?.into_inner())
}

/// The events of a trace.
#[derive(Default)]
struct Events {
    /// When the trace began, in milliseconds since 1970.
    start: u64,
    trace: Vec<u8>,
    network: Vec<u8>,
    /// Names of the files that events name.
    files: BTreeSet<String>,
    /// What the files of pages held last, by address.
    known: HashMap<String, String>,
    /// Of each frame the markup that was last written whole.
    frames: HashMap<String, LastMarkup>,
}

/// The markup of a frame that later ones refer to.
#[derive(Default)]
struct LastMarkup {
    name: String,
    /// Snapshots of the frame since it was written.
    age: u32,
}

impl Events {
    fn begin(&mut self, header: &TraceHeader, steps: &[TracedStep]) {
        let first = steps.iter().filter_map(|step| step.after.as_ref()).next();
        let (width, height) = first.map_or((1280, 720), |state| (state.width, state.height));
        self.add(json!({
            "version": VERSION,
            "type": "context-options",
            "origin": "library",
            "browserName": "chromium",
            "options": { "viewport": { "width": width, "height": height } },
            "platform": std::env::consts::OS,
            "wallTime": header.started_ms,
            "monotonicTime": FIRST_MILLISECOND,
            "sdkLanguage": "javascript",
            "contextId": format!("context@{}", header.id),
            "title": format!("browse: session {}", header.session),
        }));
    }

    fn add_step(&mut self, step: &TracedStep, read: ReadResource<'_>) {
        let call = format!("call@{}", step.number);
        let page = page_id(step);
        let (begin, end) = (self.time(step.time_ms), self.time(step.time_ms) + step.duration_ms);
        let mut before = json!({
            "type": "before",
            "callId": call,
            "stepId": call,
            "startTime": begin,
            "apiName": api_name(step),
            "class": "Page",
            "method": step.command,
            "params": step.arguments,
        });
        let mut after = json!({ "type": "after", "callId": call, "endTime": end });
        if step.tab.is_some() {
            before["pageId"] = json!(page);
        }
        if step.before.is_some() {
            before["beforeSnapshot"] = json!(format!("before@{call}"));
        }
        if step.after.is_some() {
            after["afterSnapshot"] = json!(format!("after@{call}"));
        }
        if step.is_failed() {
            after["error"] = json!({ "name": step.outcome, "message": error_text(step) });
        }
        self.add(before);
        if let Some(state) = &step.before {
            self.add_state(state, "before", &call, &page, read);
        }
        for line in [format!("client: {}", step.client), format!("element: {}", step.element)] {
            if !line.ends_with(": ") {
                self.add(json!({ "type": "log", "callId": call, "time": begin, "message": line }));
            }
        }
        for finding in &step.findings {
            let message = format!("warning: {finding}");
            self.add(json!({ "type": "log", "callId": call, "time": end, "message": message }));
        }
        self.add(after);
        if let Some(state) = &step.after {
            self.add_state(state, "after", &call, &page, read);
        }
        self.add_console(step, &page);
        for request in &step.requests {
            let mut entry = har::entry(request);
            entry["_monotonicTime"] = json!(self.time(request.time_ms));
            entry["pageref"] = json!(page);
            self.add_request(&entry);
        }
    }

    fn add_console(&mut self, step: &TracedStep, page: &str) {
        for line in &step.console {
            let (url, row) = place(&line.location);
            let kind = if line.level == "exception" { "error" } else { &line.level };
            self.add(json!({
                "type": "console",
                "messageType": kind,
                "text": line.text,
                "args": [],
                "location": { "url": url, "lineNumber": row, "columnNumber": 0 },
                "time": self.time(line.time_ms),
                "pageId": page,
            }));
        }
    }

    fn add_state(
        &mut self,
        state: &TracedPage,
        phase: &str,
        call: &str,
        page: &str,
        read: ReadResource<'_>,
    ) {
        let time = self.time(state.time_ms);
        for (place, frame) in state.frames.iter().enumerate() {
            let Some(markup) = self.markup(frame, read) else { continue };
            self.add_page_files(frame, time);
            let mut snapshot = json!({
                "snapshotName": format!("{phase}@{call}"),
                "callId": call,
                "pageId": page,
                "frameId": frame_id(&frame.id),
                "frameUrl": frame.url,
                "viewport": { "width": state.width, "height": state.height },
                "timestamp": time,
                "wallTime": state.time_ms,
                "collectionTime": 0,
                "resourceOverrides": [],
                "isMainFrame": place == 0,
            });
            if !frame.doctype.is_empty() {
                snapshot["doctype"] = json!(frame.doctype);
            }
            // It nests too deep for a value, so it is put in as text.
            let mut text = snapshot.to_string();
            text.pop();
            let line =
                format!(r#"{{"type":"frame-snapshot","snapshot":{text},"html":{markup}}}}}"#);
            self.trace.extend_from_slice(line.as_bytes());
            self.trace.push(b'\n');
        }
        if let Some(ResourceName(name)) = &state.picture {
            self.files.insert(name.clone());
            self.add(json!({
                "type": "screencast-frame",
                "pageId": page,
                "sha1": name,
                "width": state.width,
                "height": state.height,
                "timestamp": time,
            }));
        }
    }

    /// The markup of a frame: a reference to the root of an earlier one where nothing changed.
    /// Nodes are numbered from the leaves up, so the root is the last.
    fn markup(&mut self, frame: &FrameState, read: ReadResource<'_>) -> Option<String> {
        let ResourceName(name) = frame.markup.as_ref()?;
        let last = self.frames.entry(frame.id.clone()).or_default();
        if last.name == *name && frame.nodes > 0 {
            last.age += 1;
            return Some(format!("[[{},{}]]", last.age, frame.nodes - 1));
        }
        let text = String::from_utf8(read(&ResourceName(name.clone()))?).ok()?;
        *last = LastMarkup { name: name.clone(), age: 0 };
        Some(text)
    }

    /// Style sheets and pictures of a document, as answers to requests: so the viewer finds
    /// them. Those that are known already are left out.
    fn add_page_files(&mut self, frame: &FrameState, time: f64) {
        let fresh: BTreeMap<_, _> = frame
            .resources
            .iter()
            .filter(|file| self.known.get(&file.url) != Some(&file.name.0))
            .map(|file| (file.url.clone(), file.clone()))
            .collect();
        for (url, file) in fresh {
            let mut entry = har::entry(&super::step::TracedRequest {
                method: "GET".to_owned(),
                url: url.clone(),
                status: Some(200),
                mime: file.mime.clone(),
                kind: "other".to_owned(),
                time_ms: self.start,
                ..Default::default()
            });
            entry["response"]["content"]["_sha1"] = json!(file.name.0);
            entry["_frameref"] = json!(frame_id(&frame.id));
            // Before the page that shows it.
            entry["_monotonicTime"] = json!(time - 1.0);
            self.files.insert(file.name.0.clone());
            self.known.insert(url, file.name.0);
            self.add_request(&entry);
        }
    }

    fn add_request(&mut self, entry: &Value) {
        let line = json!({ "type": "resource-snapshot", "snapshot": entry }).to_string();
        self.network.extend_from_slice(line.as_bytes());
        self.network.push(b'\n');
    }

    fn add(&mut self, event: Value) {
        self.trace.extend_from_slice(event.to_string().as_bytes());
        self.trace.push(b'\n');
    }

    /// Milliseconds on the clock of the trace.
    fn time(&self, milliseconds: u64) -> f64 {
        milliseconds.saturating_sub(self.start) as f64 + FIRST_MILLISECOND
    }
}

/// The name of a frame in markup and events: `iframe` elements name it in `src`.
fn frame_id(chromium: &str) -> String {
    format!("frame@{chromium}")
}

fn page_id(step: &TracedStep) -> String {
    format!("page@{}", step.tab.unwrap_or_default())
}

/// The command as it is shown: with the target that it names.
fn api_name(step: &TracedStep) -> String {
    let named = ["target", "source", "url"].iter().find_map(|name| step.arguments.get(*name));
    match named.and_then(Value::as_str) {
        Some(target) => format!("browse {} {target}", step.command),
        None => format!("browse {}", step.command),
    }
}

fn error_text(step: &TracedStep) -> String {
    match step.error.is_empty() {
        true => step.outcome.clone(),
        false => format!("{}: {}", step.outcome, step.error),
    }
}

/// The address and the line of `url:line`.
fn place(location: &str) -> (&str, u64) {
    let parts = location.rsplit_once(':');
    let parsed = parts.and_then(|(url, line)| Some((url, line.parse().ok()?)));
    parsed.unwrap_or((location, 0))
}
