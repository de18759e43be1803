//! A trace that is being recorded.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
};

use browse_base::Result;
use browse_secrets::SecretMatcher;
use sha2::{Digest, Sha256};

use super::{
    files::{self, unwritable},
    scrubber::Scrubber,
    step::{PageResource, ResourceName, TraceHeader, TracedStep},
    typed_secrets::TypedSecrets,
};

/// Steps of a trace.
const MAX_STEPS: u32 = 2_000;

/// Bytes of the pages of a trace.
const MAX_PAGE_BYTES: u64 = 48 << 20;

/// Bytes of the steps of a trace, beside their pages.
const MAX_STEP_BYTES: u64 = 32 << 20;

/// Lines of the console, and requests, of a step.
const MAX_LINES: usize = 300;

/// Characters of one of them.
const MAX_LINE_CHARS: usize = 2_000;

/// Secrets that are looked for in what is kept. With more of them nothing of pages is kept.
const MAX_SECRETS: usize = 200;

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
    step_bytes: AtomicU64,
    failed: AtomicU32,
    written: AtomicU32,
    is_over: AtomicBool,
    /// There were too many secrets.
    is_blind: AtomicBool,
    typed_secrets: Arc<TypedSecrets>,
    state: Mutex<WriterState>,
}

/// Up to where the log of what the pages of the session sent has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// The next entry.
    pub position: u64,
    /// When it was read, in milliseconds since 1970.
    pub time_ms: u64,
}

#[derive(Default)]
struct WriterState {
    written: HashSet<String>,
    /// Files by document and address.
    resources: HashMap<(String, String), PageResource>,
    /// What was typed into secret fields.
    secrets: Arc<Vec<SecretMatcher>>,
    log_position: Option<LogPosition>,
}

impl TraceWriter {
    /// Begins a trace in the new folder `folder`.
    pub(crate) fn create(folder: PathBuf, header: TraceHeader) -> Result<Self> {
        files::make_new_folder(&folder)?;
        files::make_new_folder(&folder.join("resources"))?;
        let text = serde_json::to_vec(&header).unwrap_or_default();
        let path = folder.join("trace.json");
        files::write_new(&path, &text).map_err(|error| unwritable(&path, &error))?;
        Ok(Self {
            folder,
            header,
            steps: AtomicU32::new(0),
            bytes: AtomicU64::new(0),
            step_bytes: AtomicU64::new(0),
            failed: AtomicU32::new(0),
            written: AtomicU32::new(0),
            is_over: AtomicBool::new(false),
            is_blind: AtomicBool::new(false),
            typed_secrets: Arc::default(),
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
        self.bytes.load(Ordering::Relaxed) < MAX_PAGE_BYTES && !self.is_over() && !self.is_blind()
    }

    /// Steps that were written, and those of them that failed.
    pub(crate) fn counts(&self) -> (u32, u32) {
        (self.written.load(Ordering::Relaxed), self.failed.load(Ordering::Relaxed))
    }

    fn is_blind(&self) -> bool {
        self.is_blind.load(Ordering::Relaxed)
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

    /// A file that was kept before, by its document and address.
    pub fn find_resource(&self, document: &str, url: &str) -> Option<PageResource> {
        self.lock().resources.get(&(document.to_owned(), url.to_owned())).cloned()
    }

    /// Remembers a file of a document.
    pub fn set_resource(&self, document: &str, url: &str, resource: PageResource) {
        let mut state = self.lock();
        if state.resources.len() < MAX_RESOURCES {
            state.resources.insert((document.to_owned(), url.to_owned()), resource);
        }
    }

    /// Takes `text` out of all that is kept from now on: somebody typed it as a secret.
    pub fn add_secret(&self, text: &str) {
        let secret = SecretMatcher::new(text.to_owned());
        let mut state = self.lock();
        if text.chars().count() < MIN_SECRET_CHARS || state.secrets.contains(&secret) {
            return;
        }
        if state.secrets.len() < MAX_SECRETS {
            Arc::make_mut(&mut state.secrets).push(secret);
        } else {
            self.is_blind.store(true, Ordering::Relaxed);
        }
    }

    /// What was typed into secret fields, by its numbers.
    pub fn typed_secrets(&self) -> &Arc<TypedSecrets> {
        &self.typed_secrets
    }

    /// Changes up to where the log of what pages sent has been read; none before the first step.
    pub fn update_log_position<T>(&self, change: impl FnOnce(&mut Option<LogPosition>) -> T) -> T {
        change(&mut self.lock().log_position)
    }

    /// What takes secrets out of texts.
    pub fn scrubber(&self) -> Scrubber {
        Scrubber(Arc::clone(&self.lock().secrets))
    }

    /// Writes a step that has ended, without secrets.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn write_step(&self, mut step: TracedStep) -> Result<()> {
        if self.is_over() {
            return Ok(());
        }
        self.limit_step(&mut step);
        self.scrubber().scrub_step(&mut step);
        // Begun anew after a line that a full disk cut.
        let mut line = vec![b'\n'];
        serde_json::to_writer(&mut line, &step).unwrap_or_default();
        line.push(b'\n');
        let path = self.folder.join("steps.jsonl");
        files::append(&path, &line).map_err(|error| unwritable(&path, &error))?;
        self.step_bytes.fetch_add(line.len() as u64, Ordering::Relaxed);
        self.written.fetch_add(1, Ordering::Relaxed);
        self.failed.fetch_add(u32::from(step.is_failed()), Ordering::Relaxed);
        Ok(())
    }

    /// Cuts what a page wrote.
    fn limit_step(&self, step: &mut TracedStep) {
        if self.is_blind() || self.step_bytes.load(Ordering::Relaxed) > MAX_STEP_BYTES {
            (step.before, step.after) = (None, None);
            step.console.clear();
            step.requests.clear();
            step.error.clear();
            step.arguments.clear();
        }
        step.console.truncate(MAX_LINES);
        step.requests.truncate(MAX_LINES);
        for line in &mut step.console {
            cut(&mut line.text);
            cut(&mut line.location);
        }
        step.requests.iter_mut().for_each(|request| cut(&mut request.url));
        cut(&mut step.error);
        cut(&mut step.url);
    }

    #[cfg(test)]
    pub(crate) fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    fn resource_path(&self, name: &str) -> PathBuf {
        self.folder.join("resources").join(name)
    }

    fn lock(&self) -> MutexGuard<'_, WriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn cut(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(MAX_LINE_CHARS) {
        text.truncate(end);
        text.push('…');
    }
}
