//! What the daemon knows about notes.

use std::{sync::Arc, thread};

use browse_proto::{Scope as Right, v1};
use url::Url;

use super::{
    host::NoteHost,
    keeper::{Judge, Keeper},
    library::Library,
    note::Scope,
    scan::Scan,
    store::Store,
    visits::Visits,
};
use crate::{
    content::Scanner, daemon::Settings, dispatch::Context, models::Transcript, outbound::Reach,
    records::Telemetry, sessions::Tab,
};

/// Most that one answer suggests.
const MOST: usize = 5;

/// The notes of a daemon.
pub struct Notes {
    store: Arc<Store>,
    scan: Scan,
    keeper: Keeper,
    visits: Visits,
    library: Arc<Library>,
}

impl Notes {
    /// The notes of the project.
    pub fn new(
        settings: &Settings,
        reach: &Reach,
        (scanner, transcript): (Scanner, Transcript),
        telemetry: &Arc<Telemetry>,
    ) -> Self {
        let store = Arc::new(Store::new(&settings.home, &settings.project));
        let scan = Scan::new(scanner, transcript);
        let keeper = Keeper::new(Arc::clone(&store), scan.clone(), Arc::clone(telemetry));
        let library = Library::new(&settings.library, &settings.home, reach, scan.clone());
        let (visits, library) = (Visits::default(), Arc::new(library));
        Self { store, scan, keeper, visits, library }
    }

    /// Reads what there is, beside other work.
    pub fn warm(&self) {
        let (store, library) = (Arc::clone(&self.store), Arc::clone(&self.library));
        thread::spawn(move || {
            for scope in [Scope::Project, Scope::Global] {
                if let Err(error) = store.file(scope).load() {
                    tracing::warn!(%error, "the notes cannot be read");
                }
            }
            library.load();
        });
    }

    /// The files.
    pub(super) fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Who says whether a note stays in force.
    pub(super) fn judge(&self) -> &Judge {
        self.keeper.judge()
    }

    /// What looks at texts.
    pub(super) fn scan(&self) -> &Scan {
        &self.scan
    }

    /// The public collection.
    pub(super) fn library(&self) -> &Library {
        &self.library
    }

    /// Waits until the arrivals of before are counted, for a moment at most.
    pub(super) async fn settle(&self) {
        self.keeper.settle().await;
    }

    /// Looks where the tab of a command is when it ends. Returns at once.
    pub fn seen(&self, cx: &Context) {
        if let Some(tab) = cx.tab_if_any() {
            self.seen_in(cx, tab);
        }
    }

    /// The same for a tab that the command opened.
    pub fn seen_in(&self, cx: &Context, tab: &Tab) {
        // Who cannot read notes does not use them.
        if !cx.capability().scopes.allow(Right::Meta) {
            return;
        }
        let host = Url::parse(&tab.page().url()).ok().as_ref().and_then(NoteHost::of_url);
        if self.visits.see(tab.id(), host.as_ref())
            && let Some(host) = host
        {
            self.keeper.arrived(host);
        }
    }

    /// What fits the host of `url`: the note in force, `skills`, and notes of
    /// the library. From memory alone, in words of ours: no page and no note
    /// chose one of them.
    pub fn suggest(&self, url: &Url, skills: Vec<v1::SuggestedSkill>) -> Vec<v1::SuggestedSkill> {
        let Some(host) = NoteHost::of_url(url) else { return skills };
        let note = self.store.known_in_force(&host).map(|found| v1::SuggestedSkill {
            title: format!("note on {host}, version {}", found.version.number),
            id: found.host,
            kind: "note".to_owned(),
        });
        let library = self.library.known_at(&host, MOST).into_iter().map(|id| v1::SuggestedSkill {
            title: format!("library note on {host}"),
            id,
            kind: "library".to_owned(),
        });
        note.into_iter().chain(skills).chain(library).take(MOST).collect()
    }
}
