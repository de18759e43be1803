//! The traces of a project: those on disk, and those that are being recorded.

use std::{
    collections::HashMap,
    fs,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use browse_base::{Error, Lock, Result, now_ms};
use browse_proto::Reason;
use zeroize::Zeroizing;

use super::{
    export::{self, TraceFile},
    files,
    step::{ResourceName, TraceHeader, TracedStep},
    typed_secrets::TypedSecrets,
    writer::TraceWriter,
};

/// Bytes of all traces that have ended.
const MAX_TOTAL_BYTES: u64 = 256 << 20;

/// Traces that are kept.
const MAX_TRACES: usize = 50;

/// Steps that are read of a trace.
const MAX_STEPS: usize = 2_000;

/// Largest number of a trace; folders with larger ones are not ours.
const MAX_ID: u64 = 1 << 48;

/// Length of the file of steps, and how many steps and failed ones it has.
type StepCounts = (u64, u32, u32);

/// The traces of a project.
pub struct TraceStore {
    folder: PathBuf,
    /// How many are recorded, so that calls of a daemon that records nothing pay nothing.
    count: AtomicUsize,
    /// By session.
    recording: Mutex<HashMap<String, Arc<TraceWriter>>>,
    /// Of traces that have ended, by their numbers: counting reads all steps.
    counts: Mutex<HashMap<u64, StepCounts>>,
    /// Of traces that this daemon recorded, by their numbers.
    typed_secrets: Lock<HashMap<u64, Arc<TypedSecrets>>>,
}

/// A trace in a list.
#[derive(Clone, Debug)]
pub struct TraceSummary {
    /// What was known at its start.
    pub header: TraceHeader,
    /// Whether it goes on.
    pub is_recording: bool,
    /// Its steps.
    pub steps: u32,
    /// Steps that failed.
    pub failed: u32,
    /// Bytes on disk.
    pub bytes: u64,
}

impl TraceStore {
    /// The traces in `folder`, which need not be there.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            count: AtomicUsize::new(0),
            recording: Mutex::default(),
            counts: Mutex::default(),
            typed_secrets: Lock::default(),
        }
    }

    /// The trace that `session` is recorded in.
    pub fn recording(&self, session: &str) -> Option<Arc<TraceWriter>> {
        match self.is_idle() {
            true => None,
            false => self.lock().get(session).cloned(),
        }
    }

    /// Whether nothing is recorded anywhere.
    pub fn is_idle(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Begins to record `session`.
    ///
    /// # Errors
    /// `RECORDING_RUNNING`, `FILE_UNWRITABLE`.
    pub fn start(&self, session: &str, browser: &str) -> Result<Arc<TraceWriter>> {
        files::make_folder(&self.folder)?;
        self.remove_oldest();
        let mut recording = self.lock();
        if let Some(running) = recording.get(session) {
            let id = running.header().id;
            let message = format!("the steps of session `{session}` are recorded as trace {id}");
            return Err(Error::new(Reason::RecordingRunning, message).with("trace", id));
        }
        let id = self.ids().into_iter().max().unwrap_or(0) + 1;
        let header = TraceHeader {
            id,
            session: session.to_owned(),
            started_ms: now_ms(),
            browser: browser.to_owned(),
        };
        let writer = Arc::new(TraceWriter::create(self.folder_of(id), header)?);
        self.typed_secrets.lock().insert(id, Arc::clone(writer.typed_secrets()));
        recording.insert(session.to_owned(), Arc::clone(&writer));
        self.count.store(recording.len(), Ordering::Relaxed);
        Ok(writer)
    }

    /// Ends the trace of `session`, and answers its number.
    ///
    /// # Errors
    /// `RECORDING_NOT_RUNNING`.
    pub fn stop(&self, session: &str) -> Result<u64> {
        let mut recording = self.lock();
        let stopped = recording.remove(session);
        self.count.store(recording.len(), Ordering::Relaxed);
        let writer = stopped.ok_or_else(|| {
            let message = format!("no steps of session `{session}` are recorded");
            Error::new(Reason::RecordingNotRunning, message).with("session", session)
        })?;
        writer.end();
        Ok(writer.header().id)
    }

    /// All traces, latest first.
    pub fn list(&self) -> Vec<TraceSummary> {
        let mut ids = self.ids();
        ids.sort_unstable_by(|first, second| second.cmp(first));
        ids.into_iter().filter_map(|id| self.summary(id).ok()).collect()
    }

    /// The trace `id`.
    ///
    /// # Errors
    /// `TRACE_NOT_FOUND`.
    pub fn summary(&self, id: u64) -> Result<TraceSummary> {
        let header = self.header(id)?;
        let running = self.lock().values().find(|writer| writer.header().id == id).cloned();
        let (steps, failed) = match &running {
            Some(writer) => writer.counts(),
            None => self.count_steps(id)?,
        };
        let bytes = files::folder_bytes(&self.folder_of(id));
        Ok(TraceSummary { header, is_recording: running.is_some(), steps, failed, bytes })
    }

    fn count_steps(&self, id: u64) -> Result<(u32, u32)> {
        let file = fs::symlink_metadata(self.folder_of(id).join("steps.jsonl"));
        let length = file.map_or(0, |about| about.len());
        let counts = || self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, steps, failed)) = counts().get(&id).filter(|known| known.0 == length) {
            return Ok((*steps, *failed));
        }
        let all = self.steps(id)?;
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let steps = number(all.len());
        let failed = number(all.iter().filter(|step| step.is_failed()).count());
        counts().insert(id, (length, steps, failed));
        Ok((steps, failed))
    }

    /// What is known of the trace `id`.
    ///
    /// # Errors
    /// `TRACE_NOT_FOUND`.
    pub fn header(&self, id: u64) -> Result<TraceHeader> {
        let folder = self.folder_of(id);
        // A project that was cloned may have links in their place.
        if !files::is_folder(&folder) || !files::is_folder(&folder.join("resources")) {
            return Err(trace_not_found(id));
        }
        let text = files::read(&folder.join("trace.json"));
        let header = text.ok().and_then(|text| serde_json::from_slice::<TraceHeader>(&text).ok());
        header.filter(|header| header.id == id).ok_or_else(|| trace_not_found(id))
    }

    /// The steps of the trace `id`, in the order in which they began.
    ///
    /// # Errors
    /// `TRACE_NOT_FOUND`.
    pub fn steps(&self, id: u64) -> Result<Vec<TracedStep>> {
        self.header(id)?;
        let text = files::read(&self.folder_of(id).join("steps.jsonl")).unwrap_or_default();
        // The last line may be cut: the daemon was killed.
        let lines = text.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty()).take(MAX_STEPS);
        let mut steps: Vec<TracedStep> =
            lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        steps.sort_by_key(|step| step.number);
        Ok(steps)
    }

    /// A step of the trace `id`.
    ///
    /// # Errors
    /// `TRACE_NOT_FOUND`.
    pub fn step(&self, id: u64, number: u32) -> Result<TracedStep> {
        let found = self.steps(id)?.into_iter().find(|step| step.number == number);
        found.ok_or_else(|| {
            let message = format!("trace {id} has no step {number}");
            Error::new(Reason::TraceNotFound, message).with("trace", id).with("step", number)
        })
    }

    /// What was typed into secret fields during the trace `id`, by its numbers; none when another
    /// daemon recorded it.
    pub fn typed_secrets(&self, id: u64) -> Option<Vec<Zeroizing<String>>> {
        self.typed_secrets.lock().get(&id).map(|secrets| secrets.texts())
    }

    /// What a file of the trace `id` holds.
    pub fn resource(&self, id: u64, name: &ResourceName) -> Option<Vec<u8>> {
        let is_name = name.0.len() == 40 && name.0.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = self.folder_of(id).join("resources").join(&name.0);
        is_name.then(|| files::read(&path).ok()).flatten()
    }

    /// The trace `id` as the file that `kind` makes.
    ///
    /// # Errors
    /// `TRACE_NOT_FOUND`, `TOO_LARGE`.
    pub fn export(&self, id: u64, kind: TraceFile) -> Result<Vec<u8>> {
        let (header, steps) = (self.header(id)?, self.steps(id)?);
        export::write(kind, &header, &steps, &|name| self.resource(id, name))
    }

    /// Removes the trace `id`.
    ///
    /// # Errors
    /// `TRACE_NOT_FOUND`, `RECORDING_RUNNING`, `FILE_UNWRITABLE`.
    pub fn remove(&self, id: u64) -> Result<()> {
        self.header(id)?;
        if self.is_recording(id) {
            let message = format!("trace {id} is being recorded");
            return Err(Error::new(Reason::RecordingRunning, message).with("trace", id));
        }
        self.typed_secrets.lock().remove(&id);
        let folder = self.folder_of(id);
        fs::remove_dir_all(&folder).map_err(|error| files::unwritable(&folder, &error))
    }

    fn is_recording(&self, id: u64) -> bool {
        self.lock().values().any(|writer| writer.header().id == id)
    }

    /// Makes room: the oldest ones go.
    fn remove_oldest(&self) {
        let mut ids = self.ids();
        ids.sort_unstable_by(|first, second| second.cmp(first));
        let mut total = 0;
        for (place, id) in ids.into_iter().enumerate() {
            let folder = self.folder_of(id);
            total += files::folder_bytes(&folder);
            let is_kept = total <= MAX_TOTAL_BYTES && place + 1 < MAX_TRACES;
            if !is_kept && !self.is_recording(id) {
                self.typed_secrets.lock().remove(&id);
                // Tried again with the next trace.
                let _ = fs::remove_dir_all(&folder);
            }
        }
    }

    fn ids(&self) -> Vec<u64> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter(|id| *id <= MAX_ID).collect()
    }

    fn folder_of(&self, id: u64) -> PathBuf {
        self.folder.join(id.to_string())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<TraceWriter>>> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn trace_not_found(id: u64) -> Error {
    Error::new(Reason::TraceNotFound, format!("trace {id} is not kept")).with("trace", id)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn store() -> (tempfile::TempDir, TraceStore) {
        let folder = tempfile::tempdir().expect("a temp directory");
        let store = TraceStore::new(folder.path().join("traces"));
        (folder, store)
    }

    fn step(number: u32) -> TracedStep {
        TracedStep { number, outcome: "ok".to_owned(), ..TracedStep::default() }
    }

    #[test]
    fn steps_are_read_in_the_order_in_which_they_began() {
        let (_folder, store) = store();
        let writer = store.start("default", "Chromium/1").expect("it starts");
        for number in [2, 1] {
            writer.write_step(step(number)).expect("it is written");
        }
        // The daemon was killed in the middle of a line.
        files::append(&writer.folder().join("steps.jsonl"), b"{\"number\": 3").expect("written");
        let numbers: Vec<_> =
            store.steps(1).expect("it is there").iter().map(|step| step.number).collect();
        assert_eq!(numbers, [1, 2]);
    }

    #[test]
    fn what_was_typed_as_a_secret_is_not_written() {
        let (_folder, store) = store();
        let writer = store.start("default", "Chromium/1").expect("it starts");
        writer.add_secret("open sesame");
        let error = "`open sesame` is wrong, see /?q=open%20sesame".to_owned();
        writer.write_step(TracedStep { error, ..step(1) }).expect("it is written");
        let error = &store.step(1, 1).expect("it is there").error;
        assert!(!error.contains("sesame"), "{error}");
    }

    #[test]
    fn the_oldest_traces_go() {
        let (_folder, store) = store();
        for _ in 0..=MAX_TRACES {
            store.start("default", "Chromium/1").expect("it starts");
            store.stop("default").expect("it runs");
        }
        let ids: Vec<_> = store.list().iter().map(|trace| trace.header.id).collect();
        assert_eq!((ids.len(), ids[0]), (MAX_TRACES, MAX_TRACES as u64 + 1));
        assert_eq!(store.header(1).expect_err("it went").reason(), Reason::TraceNotFound);
    }

    #[test]
    fn a_trace_takes_no_more_pages_than_it_may_have() {
        let (_folder, store) = store();
        let writer = store.start("default", "Chromium/1").expect("it starts");
        let page = vec![b'a'; 40 << 20];
        let name = writer.add_resource(&page).expect("there is room");
        // The same again costs nothing.
        assert_eq!(writer.add_resource(&page), Some(name));
        assert!(writer.has_room() && writer.add_resource(&vec![b'b'; 9 << 20]).is_none());
        writer.write_step(step(1)).expect("steps go on");
        assert_eq!(store.steps(1).expect("it is there").len(), 1);
    }

    #[test]
    fn a_trace_that_is_over_is_not_written_to() {
        let (_folder, store) = store();
        let writer = store.start("default", "Chromium/1").expect("it starts");
        store.stop("default").expect("it runs");
        writer.write_step(step(1)).expect("nothing is written");
        assert!(writer.add_resource(b"page").is_none() && writer.next_number().is_none());
        assert!(store.steps(1).expect("it is there").is_empty());
    }

    #[test]
    fn links_are_not_followed() {
        let (folder, store) = store();
        let writer = store.start("default", "Chromium/1").expect("it starts");
        let name = writer.add_resource(b"page").expect("there is room");
        let (secret, file) =
            (folder.path().join("secret"), writer.folder().join("resources").join(&name.0));
        fs::write(&secret, "private").expect("it can be written");
        fs::remove_file(&file).expect("it is there");
        symlink(&secret, &file).expect("links can be made");
        assert_eq!(store.resource(1, &name), None);
        let steps = writer.folder().join("steps.jsonl");
        symlink(&secret, &steps).expect("links can be made");
        writer.write_step(step(1)).expect_err("a link stands there");
        assert_eq!(store.resource(1, &ResourceName("../trace.json".to_owned())), None);
    }
}
