//! What a call knows of the page-derived content of its answer: how it is
//! handed out, where it came from, and what was found in it.

use std::collections::BTreeMap;

use super::Context;
use crate::{
    content::{Assessment, Delivery, Findings, Guarded, Handling, Sources, Surface},
    egress,
    policy::Kind,
};
use browse_guard::egress::Site;

impl Context {
    /// How the caller gets page-derived content. Only root may choose.
    pub fn delivery(&self) -> Delivery {
        match self.capability().delivery {
            Delivery::Guarded if self.is_root() && self.call.raw => Delivery::Raw,
            delivery => delivery,
        }
    }

    /// Whether the caller asked for page-derived content as it is, and is one
    /// that gets it guarded otherwise.
    pub fn chose_raw(&self) -> bool {
        self.capability().delivery == Delivery::Guarded && self.delivery() == Delivery::Raw
    }

    /// Whether what no person sees is to be left out.
    pub fn hides(&self) -> bool {
        self.delivery() == Delivery::Guarded && self.daemon.watch().layers().hidden
    }

    /// Notes what the classifiers made of the answer.
    pub(in crate::dispatch) fn note_assessed(&self, assessed: &Assessment) {
        self.notes().judged.extend(assessed.warning().into_iter().chain(assessed.gap()));
    }

    /// What is done to the content of the answer.
    pub(in crate::dispatch) fn handling(&self) -> Handling {
        let watch = self.daemon.watch();
        let layers = watch.layers();
        let read = matches!(self.command().name, "text" | "markdown");
        let marked = read && layers.datamark && self.capability().kind == Kind::Paired;
        let session = || self.tab.get().map_or("", |tab| tab.session());
        Handling {
            delivery: self.delivery(),
            patterns: layers.patterns,
            judged: !self.daemon.scanner().is_off(),
            bytes_are_text: self.command().runs_program(),
            mark: marked.then(|| watch.mark(self.client().as_str(), session())),
        }
    }

    /// The same for what an error quotes.
    pub(in crate::dispatch) fn handling_of_error(&self) -> Handling {
        Handling { mark: None, ..self.handling() }
    }

    /// Where what the call answers comes from: what a program says is judged more
    /// strictly than a page.
    pub(in crate::dispatch) fn surface(&self) -> Surface {
        match self.command().runs_program() {
            true => Surface::ToolOutput,
            false => Surface::Page,
        }
    }

    /// Notes what the guard saw of the answer.
    pub(in crate::dispatch) fn note_guarded(&self, guarded: &Guarded) {
        self.daemon.watch().count(guarded, self.chose_raw());
        self.notes().findings.extend(&guarded.findings);
    }

    /// Whether there is something to warn of in the answer.
    pub(in crate::dispatch) fn has_found(&self) -> bool {
        let notes = self.notes();
        !notes.judged.is_empty() || !notes.findings.is_empty()
    }

    /// Forgets what was found so far: the reader of a part of a stream was told.
    pub(in crate::dispatch) fn forget_found(&self) {
        let mut notes = self.notes();
        notes.findings = Findings::default();
        notes.judged.clear();
    }

    /// Notes what was left out because no person sees it.
    pub fn note_unseen(&self, unseen: &BTreeMap<String, u32>) {
        self.daemon.watch().count_unseen(unseen);
        add(&mut self.notes().unseen, unseen);
    }

    /// What the reader of the answer is warned of.
    pub(in crate::dispatch) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.notes().findings.warnings();
        warnings.extend(self.notes().judged.iter().cloned());
        warnings.extend(self.daemon.watch().take_late(&self.session_name()));
        let mut off = self.daemon.watch().layers().off();
        if self.daemon.egress().mode(self.capability().kind) == egress::Mode::Off {
            off.push("egress");
        }
        if !off.is_empty() {
            warnings.push(format!("security layers are off by a setting: {}", off.join(", ")));
        }
        warnings
    }

    /// What was left out because no person sees it.
    pub(in crate::dispatch) fn unseen(&self) -> BTreeMap<String, u32> {
        self.notes().unseen.clone()
    }

    /// An address for a receipt, or a text with some: who is guarded gets it
    /// without the secrets of its query. `browse url` says the whole of it.
    pub fn shown(&self, text: String) -> String {
        match self.delivery() {
            Delivery::Raw => text,
            Delivery::Guarded => crate::secrets::redact(&text).into_owned(),
        }
    }

    /// Says where page-derived content came from, when not from the tab.
    pub fn set_source(&self, source: &str) {
        let mut sources = Sources::default();
        sources.add(source);
        self.set_sources(sources);
    }

    /// The same for content of several hosts. None leaves it at the tab's.
    pub fn set_sources(&self, sources: Sources) {
        self.notes().sources = sources;
    }

    /// Where page-derived content came from.
    pub(in crate::dispatch) fn sources(&self) -> Sources {
        let mut sources = self.notes().sources.clone();
        if sources.is_empty() {
            let known = self.address().is_some_and(|url| sources.add_url(&url));
            if !known {
                sources.add("the page");
            }
        }
        sources
    }

    /// The site that page-derived content came from.
    pub fn site(&self) -> Site {
        self.sources().site()
    }

    /// Notes that a step answered with page-derived content.
    pub(in crate::dispatch) fn note_page_derived(&self, step: &Self) {
        let sources = step.sources();
        let of_step = step.notes();
        let mut notes = self.notes();
        notes.page_derived = true;
        notes.sources.extend(&sources);
        notes.findings.extend(&of_step.findings);
        notes.judged.extend(of_step.judged.iter().cloned());
        add(&mut notes.unseen, &of_step.unseen);
    }

    pub(in crate::dispatch) fn is_page_derived(&self) -> bool {
        self.notes().page_derived
    }
}

fn add(to: &mut BTreeMap<String, u32>, more: &BTreeMap<String, u32>) {
    for (means, count) in more {
        *to.entry(means.clone()).or_default() += count;
    }
}
