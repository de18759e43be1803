//! What a call knows of the page-derived content of its answer: how it is
//! handed out, where it came from, and what was found in it.

use std::collections::BTreeMap;

use super::CallContext;
use crate::egress;
use browse_content::{Assessment, ContentSurface, Findings, GuardOptions, GuardReport, Sources};
use browse_guard::egress::Site;
use browse_policy::{ClientKind, Delivery};

impl CallContext {
    /// How the caller gets page-derived content. Only root may choose.
    pub fn delivery(&self) -> Delivery {
        match self.capability().delivery {
            Delivery::Guarded if self.is_root() && self.metadata.wants_raw => Delivery::Raw,
            delivery => delivery,
        }
    }

    /// Whether the caller asked for page-derived content as it is, and is one
    /// that gets it guarded otherwise.
    pub fn requested_raw(&self) -> bool {
        self.capability().delivery == Delivery::Guarded && self.delivery() == Delivery::Raw
    }

    /// Whether what no person sees is to be left out.
    pub fn filters_hidden_text(&self) -> bool {
        self.delivery() == Delivery::Guarded && self.daemon.watch().layers().hidden
    }

    /// Notes what the classifiers made of the answer.
    pub(crate) fn add_assessment(&self, assessed: &Assessment) {
        self.lock_notices()
            .classifier_warnings
            .extend(assessed.warning().into_iter().chain(assessed.degraded_notice()));
    }

    /// What is done to the content of the answer.
    pub(crate) fn guard_options(&self) -> GuardOptions {
        let watch = self.daemon.watch();
        let layers = watch.layers();
        let read = matches!(self.command().name, "text" | "markdown");
        let marked = read && layers.datamark && self.capability().kind == ClientKind::Paired;
        let session = || self.tab.get().map_or("", |tab| tab.session());
        GuardOptions {
            delivery: self.delivery(),
            scans_patterns: layers.patterns,
            classifies_text: !self.daemon.scanner().is_off(),
            treats_bytes_as_text: self.command().runs_program(),
            datamark: marked.then(|| watch.datamark(self.client().as_str(), session())),
        }
    }

    /// The same for what an error quotes.
    pub(crate) fn guard_options_of_error(&self) -> GuardOptions {
        GuardOptions { datamark: None, ..self.guard_options() }
    }

    /// Where what the call answers comes from: what a program says is judged more
    /// strictly than a page.
    pub(crate) fn surface(&self) -> ContentSurface {
        match self.command().runs_program() {
            true => ContentSurface::ToolOutput,
            false => ContentSurface::Page,
        }
    }

    /// Notes what the guard saw of the answer.
    pub(crate) fn add_guard_report(&self, guarded: &GuardReport) {
        self.daemon.watch().count_answer(guarded, self.requested_raw());
        self.lock_notices().findings.extend(&guarded.findings);
    }

    /// Whether there is something to warn of in the answer.
    pub(crate) fn has_warnings(&self) -> bool {
        let notes = self.lock_notices();
        !notes.classifier_warnings.is_empty() || !notes.findings.is_empty()
    }

    /// What was found so far, in words.
    pub(crate) fn findings_so_far(&self) -> Vec<String> {
        let notes = self.lock_notices();
        let mut findings = notes.findings.warnings();
        findings.extend(notes.classifier_warnings.iter().cloned());
        findings
    }

    /// Forgets what was found so far: the reader of a part of a stream got it.
    pub(crate) fn clear_warnings(&self) {
        let mut notes = self.lock_notices();
        notes.findings = Findings::default();
        notes.classifier_warnings.clear();
    }

    /// Notes what was left out because no person sees it.
    pub fn add_hidden_counts(&self, unseen: &BTreeMap<String, u32>) {
        self.daemon.watch().count_hidden(unseen);
        add_counts(&mut self.lock_notices().hidden_counts, unseen);
    }

    /// What the reader of the answer is warned of.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.lock_notices().findings.warnings();
        warnings.extend(self.lock_notices().classifier_warnings.iter().cloned());
        warnings.extend(self.daemon.watch().take_late_warnings(&self.session_name()));
        let mut off = self.daemon.watch().layers().disabled_names();
        if self.daemon.egress().mode(self.capability().kind) == egress::EgressMode::Off {
            off.push("egress");
        }
        if !off.is_empty() {
            warnings.push(format!("security layers are off by a setting: {}", off.join(", ")));
        }
        warnings
    }

    /// What was left out because no person sees it.
    pub(crate) fn hidden_counts(&self) -> BTreeMap<String, u32> {
        self.lock_notices().hidden_counts.clone()
    }

    /// An address for a receipt, or a text with some: who is guarded gets it
    /// without the secrets of its query. `browse url` says the whole of it.
    pub fn redact_for_caller(&self, text: String) -> String {
        match self.delivery() {
            Delivery::Raw => text,
            Delivery::Guarded => browse_secrets::redact(&text).into_owned(),
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
        self.lock_notices().sources = sources;
    }

    /// Where page-derived content came from.
    pub(crate) fn sources(&self) -> Sources {
        let mut sources = self.lock_notices().sources.clone();
        if sources.is_empty() {
            let known = self.document_url().is_some_and(|url| sources.add_url(&url));
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
    pub(crate) fn merge_step_content(&self, step: &Self) {
        let sources = step.sources();
        let of_step = step.lock_notices();
        let mut notes = self.lock_notices();
        notes.is_page_derived = true;
        notes.sources.extend(&sources);
        notes.findings.extend(&of_step.findings);
        notes.classifier_warnings.extend(of_step.classifier_warnings.iter().cloned());
        add_counts(&mut notes.hidden_counts, &of_step.hidden_counts);
    }

    pub(crate) fn is_page_derived(&self) -> bool {
        self.lock_notices().is_page_derived
    }
}

fn add_counts(to: &mut BTreeMap<String, u32>, more: &BTreeMap<String, u32>) {
    for (means, count) in more {
        *to.entry(means.clone()).or_default() += count;
    }
}
