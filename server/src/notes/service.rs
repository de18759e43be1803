//! What the daemon knows about notes.

use std::{sync::Arc, thread};

use browse_proto::{Scope as Right, v1};
use url::Url;

use super::{
    host::NoteHost,
    library::Library,
    note::NoteScope,
    scan::NoteScanner,
    store::NoteStore,
    usage_tracker::{NoteReviewer, UsageTracker},
    visits::Visits,
};
use crate::{
    content::Scanner, daemon::Settings, dispatch::CallContext, models::LlmJudge,
    outbound::FetchPolicy, records::Telemetry, sessions::Tab,
};

/// Most that one answer suggests.
const MAX_SUGGESTIONS: usize = 5;

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
        settings: &Settings,
        reach: &FetchPolicy,
        (scanner, transcript): (Scanner, LlmJudge),
        telemetry: &Arc<Telemetry>,
    ) -> Self {
        let store = Arc::new(NoteStore::new(&settings.home, &settings.project));
        let scan = NoteScanner::new(scanner, transcript);
        let keeper = UsageTracker::new(Arc::clone(&store), scan.clone(), Arc::clone(telemetry));
        let library = Library::new(&settings.library, &settings.home, reach, scan.clone());
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
    pub(super) fn store(&self) -> &Arc<NoteStore> {
        &self.store
    }

    /// Who says whether a note stays in force.
    pub(super) fn reviewer(&self) -> &NoteReviewer {
        self.usage_tracker.reviewer()
    }

    /// What looks at texts.
    pub(super) fn scanner(&self) -> &NoteScanner {
        &self.scanner
    }

    /// The public collection.
    pub(super) fn library(&self) -> &Library {
        &self.library
    }

    /// Waits until the arrivals of before are counted, for a moment at most.
    pub(super) async fn flush_visits(&self) {
        self.usage_tracker.flush().await;
    }

    /// Looks where the tab of a command is when it ends. Returns at once.
    pub fn record_visit(&self, cx: &CallContext) {
        if let Some(tab) = cx.tab_if_any() {
            self.record_tab_visit(cx, tab);
        }
    }

    /// The same for a tab that the command opened.
    pub fn record_tab_visit(&self, cx: &CallContext, tab: &Tab) {
        // Who cannot read notes does not use them.
        if !cx.capability().scopes.allows(Right::Meta) {
            return;
        }
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
