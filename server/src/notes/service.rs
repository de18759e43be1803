//! What the daemon knows about notes.

use std::{path::Path, sync::Arc, thread};

use browse_proto::v1;
use url::Url;

use super::{
    host::NoteHost,
    library::{Library, LibrarySettings},
    note::NoteScope,
    scan::NoteScanner,
    store::NoteStore,
    usage_tracker::{NoteReviewer, UsageTracker},
    visits::Visits,
};
use browse_content::{LlmJudge, Scanner};
use browse_outbound::FetchPolicy;
use browse_records::Telemetry;
use browse_sessions::Tab;

/// Most that one answer suggests.
const MAX_SUGGESTIONS: usize = 5;

/// Where notes lie.
#[derive(Clone, Copy, Debug)]
pub struct NoteFolders<'a> {
    /// The home of browse.
    pub home: &'a Path,
    /// The project.
    pub project: &'a Path,
}

/// The notes of a daemon.
pub struct NoteService {
    store: Arc<NoteStore>,
    scanner: NoteScanner,
    usage_tracker: UsageTracker,
    visits: Visits,
    library: Arc<Library>,
}

impl NoteService {
    /// The notes of the project.
    pub fn new(
        NoteFolders { home, project }: NoteFolders<'_>,
        library: &LibrarySettings,
        reach: &FetchPolicy,
        (scanner, transcript): (Scanner, LlmJudge),
        telemetry: &Arc<Telemetry>,
    ) -> Self {
        let store = Arc::new(NoteStore::new(home, project));
        let scan = NoteScanner::new(scanner, transcript);
        let keeper = UsageTracker::new(Arc::clone(&store), scan.clone(), Arc::clone(telemetry));
        let library = Library::new(library, home, reach, scan.clone());
        let (visits, library) = (Visits::default(), Arc::new(library));
        Self { store, scanner: scan, usage_tracker: keeper, visits, library }
    }

    /// Reads what there is, beside other work.
    pub fn preload(&self) {
        let (store, library) = (Arc::clone(&self.store), Arc::clone(&self.library));
        thread::spawn(move || {
            for scope in [NoteScope::Project, NoteScope::Global] {
                if let Err(error) = store.file(scope).load() {
                    tracing::warn!(%error, "the notes cannot be read");
                }
            }
            library.load();
        });
    }

    /// The files.
    pub(crate) fn store(&self) -> &Arc<NoteStore> {
        &self.store
    }

    /// Who says whether a note stays in force.
    pub(crate) fn reviewer(&self) -> &NoteReviewer {
        self.usage_tracker.reviewer()
    }

    /// What looks at texts.
    pub(crate) fn scanner(&self) -> &NoteScanner {
        &self.scanner
    }

    /// The public collection.
    pub(crate) fn library(&self) -> &Library {
        &self.library
    }

    /// Waits until the arrivals of before are counted, for a moment at most.
    pub(crate) async fn flush_visits(&self) {
        self.usage_tracker.flush().await;
    }

    /// Notes where `tab` is when a command of a caller who can read notes ends. Returns
    /// at once.
    pub fn record_visit(&self, tab: &Tab) {
        let host = Url::parse(&tab.page().url()).ok().as_ref().and_then(NoteHost::from_url);
        if self.visits.record_visit(tab.id(), host.as_ref())
            && let Some(host) = host
        {
            self.usage_tracker.record_visit(host);
        }
    }

    /// What fits the host of `url`: the note in force, `skills`, and notes of
    /// the library. From memory alone, in words of ours: no page and no note
    /// chose one of them.
    pub fn suggest(&self, url: &Url, skills: Vec<v1::SuggestedSkill>) -> Vec<v1::SuggestedSkill> {
        let Some(host) = NoteHost::from_url(url) else { return skills };
        let note = self.store.cached_active_note(&host).map(|found| v1::SuggestedSkill {
            title: format!("note on {host}, version {}", found.version.number),
            id: found.host,
            kind: "note".to_owned(),
        });
        let library =
            self.library.cached_ids_for_host(&host, MAX_SUGGESTIONS).into_iter().map(|id| {
                v1::SuggestedSkill {
                    title: format!("library note on {host}"),
                    id,
                    kind: "library".to_owned(),
                }
            });
        note.into_iter().chain(skills).chain(library).take(MAX_SUGGESTIONS).collect()
    }
}
