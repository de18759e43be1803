//! A trace that is being recorded.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
};

use browse_base::Result;
use browse_secrets::{SecretMatcher, redact};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{
    files::{self, unwritable},
    step::{PageResource, ResourceName, TraceHeader, TracedStep},
};

/// Steps of a trace.
const MAX_STEPS: u32 = 2_000;

/// Bytes of the pages of a trace.
const MAX_PAGE_BYTES: u64 = 48 << 20;

/// Secrets that are looked for in what is kept.
const MAX_SECRETS: usize = 100;

/// Files whose address is remembered.
const MAX_RESOURCES: usize = 5_000;

/// Shorter ones are parts of other words.
const MIN_SECRET_CHARS: usize = 3;

/// Writes the steps of one session.
pub struct TraceWriter {
    folder: PathBuf,
    header: TraceHeader,
    steps: AtomicU32,
    bytes: AtomicU64,
    is_over: AtomicBool,
    state: Mutex<WriterState>,
}

#[derive(Default)]
struct WriterState {
    written: HashSet<String>,
    /// Files by document and address: none for one that cannot be had.
    resources: HashMap<(String, String), Option<PageResource>>,
    /// What was typed into secret fields.
    secrets: Vec<SecretMatcher>,
}

impl TraceWriter {
    /// Begins a trace in the new folder `folder`.
    pub(crate) fn create(folder: PathBuf, header: TraceHeader) -> Result<Self> {
        files::make_folder(&folder)?;
        files::make_folder(&folder.join("resources"))?;
        let text = serde_json::to_vec(&header).unwrap_or_default();
        let path = folder.join("trace.json");
        files::write_new(&path, &text).map_err(|error| unwritable(&path, &error))?;
        Ok(Self {
            folder,
            header,
            steps: AtomicU32::new(0),
            bytes: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            state: Mutex::default(),
        })
    }

    /// What is known of it.
    pub fn header(&self) -> &TraceHeader {
        &self.header
    }

    /// The number of the next step; none when the trace has enough of them.
    pub fn next_number(&self) -> Option<u32> {
        let number = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        (number <= MAX_STEPS && !self.is_over.load(Ordering::Relaxed)).then_some(number)
    }

    /// Whether it has room for further pages.
    pub fn has_room(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) < MAX_PAGE_BYTES && !self.is_over()
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Writes nothing any more.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Keeps what a page shows; none when the trace is full, or its folder is gone.
    pub fn add_resource(&self, bytes: &[u8]) -> Option<ResourceName> {
        let mut name = format!("{:x}", Sha256::digest(bytes));
        name.truncate(40);
        let mut state = self.lock();
        if !state.written.contains(&name) {
            let total = self.bytes.load(Ordering::Relaxed) + bytes.len() as u64;
            if total > MAX_PAGE_BYTES || self.is_over() {
                return None;
            }
            files::write_new(&self.resource_path(&name), bytes).ok()?;
            self.bytes.store(total, Ordering::Relaxed);
            state.written.insert(name.clone());
        }
        Some(ResourceName(name))
    }

    /// A file that was asked for before, by its document and address.
    pub fn find_resource(&self, document: &str, url: &str) -> Option<Option<PageResource>> {
        self.lock().resources.get(&(document.to_owned(), url.to_owned())).cloned()
    }

    /// Remembers a file of a document, or that it cannot be had.
    pub fn set_resource(&self, document: &str, url: &str, resource: Option<PageResource>) {
        let mut state = self.lock();
        if state.resources.len() < MAX_RESOURCES {
            state.resources.insert((document.to_owned(), url.to_owned()), resource);
        }
    }

    /// Takes `text` out of all that is kept from now on: somebody typed it as a secret.
    pub fn add_secret(&self, text: &str) {
        let mut state = self.lock();
        if text.chars().count() >= MIN_SECRET_CHARS && state.secrets.len() < MAX_SECRETS {
            state.secrets.push(SecretMatcher::new(text.to_owned()));
        }
    }

    /// A text without secrets.
    pub fn scrub(&self, text: &str) -> String {
        let bare = redact(text).into_owned();
        self.lock().secrets.iter().fold(bare, |text, secret| secret.redact_in(&text))
    }

    /// Takes secrets out of a value.
    fn scrub_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.scrub(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.scrub_value(item)),
            Value::Object(fields) => fields.values_mut().for_each(|item| self.scrub_value(item)),
            _ => {}
        }
    }

    /// Writes a step that has ended, without secrets.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn write_step(&self, mut step: TracedStep) -> Result<()> {
        if self.is_over() {
            return Ok(());
        }
        self.scrub_step(&mut step);
        let mut line = serde_json::to_vec(&step).unwrap_or_default();
        line.push(b'\n');
        let path = self.folder.join("steps.jsonl");
        files::append(&path, &line).map_err(|error| unwritable(&path, &error))
    }

    /// Names of files have the form of secrets, so each text is scrubbed by itself.
    fn scrub_step(&self, step: &mut TracedStep) {
        step.arguments.values_mut().for_each(|value| self.scrub_value(value));
        let states = [&mut step.before, &mut step.after].into_iter().flatten();
        let frames = states.flat_map(|state| &mut state.frames).map(|frame| &mut frame.url);
        let console = step.console.iter_mut().flat_map(|line| [&mut line.text, &mut line.location]);
        let requests = step.requests.iter_mut().map(|request| &mut request.url);
        let own = [&mut step.element, &mut step.url, &mut step.error];
        for text in frames.chain(console).chain(requests).chain(own) {
            *text = self.scrub(text);
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn resource_path(&self, name: &str) -> PathBuf {
        self.folder.join("resources").join(name)
    }

    fn lock(&self) -> MutexGuard<'_, WriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
