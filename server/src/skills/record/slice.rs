//! What of a recording led to its result.
//!
//! Left out is what failed, what only looked, and what was left again without
//! having had an effect: pages that were opened and left by another address or
//! by going back, fields that were filled anew, and fields of a page that was
//! left. A click or a key may have had an effect that nobody sees, such as an
//! item in a cart. So it stays, unless it followed a link or sent a form that
//! only asks for a page, and arrived just there.
//!
//! The walk keeps the history of the tab: a page that was left by another address
//! is needed after all when the tab went back to it.

use std::collections::BTreeMap;

use browse_proto::{Command, StepRole};
use serde_json::Map;
use url::Url;

use super::overwrite;
use super::step::RecordedStep;

/// What becomes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepDisposition {
    /// The script repeats it.
    Kept,
    /// It is the result, or a part of it.
    Result,
    /// It failed.
    Failed,
    /// It only looked at the page.
    Inspected,
    /// Its page was left again.
    PageLeft,
    /// It was made in a tab that the script does without.
    OtherTab,
    /// A later step made it void.
    Overwritten,
    /// It came after the result.
    AfterResult,
    /// A skill may not do it.
    Denied,
}

impl StepDisposition {
    /// The words for it.
    pub fn description(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Result => "the result",
            Self::Failed => "left out: it failed",
            Self::Inspected => "left out: it only looked",
            Self::PageLeft => "left out: its page was left again",
            Self::OtherTab => "left out: its tab was left again",
            Self::Overwritten => "left out: a later step made it void",
            Self::AfterResult => "left out: it came after the result",
            Self::Denied => "left out: a skill may not do it",
        }
    }

    /// Whether the script has the step.
    pub fn is_kept(self) -> bool {
        matches!(self, Self::Kept | Self::Result)
    }
}

/// What of the steps a script repeats.
#[derive(Debug, Default)]
pub struct RecordingSlice {
    /// The disposition of each step.
    pub dispositions: Vec<StepDisposition>,
    /// Steps that stand for several, by their number: the last of them is kept,
    /// and does what all did.
    pub rewritten: BTreeMap<usize, RecordedStep>,
    /// The address of the page that was there when the recording began, when a
    /// kept step goes back to it.
    pub start: Option<String>,
}

/// The path to the last `reads` reads, which are the result.
pub fn slice_steps(steps: &[&RecordedStep], reads: usize) -> RecordingSlice {
    let is_read = |step: &RecordedStep| {
        step.has_result() && step.failure_reason.is_none() && !step.in_other_tab
    };
    let results: Vec<usize> = (0..steps.len()).filter(|at| is_read(steps[*at])).collect();
    let results = &results[results.len().saturating_sub(reads)..];
    let end = results.last().map_or(steps.len(), |last| last + 1);
    let mut walk = SliceBuilder {
        steps,
        dispositions: vec![StepDisposition::AfterResult; steps.len()],
        ..SliceBuilder::default()
    };
    for (at, step) in steps[..end].iter().enumerate() {
        walk.dispositions[at] = match step.role() {
            _ if step.in_other_tab => StepDisposition::OtherTab,
            _ if step.failure_reason.is_some() => StepDisposition::Failed,
            _ if step.saves_file() && results.contains(&at) => StepDisposition::Result,
            StepRole::Read if results.contains(&at) => StepDisposition::Result,
            StepRole::Read | StepRole::Inspect => StepDisposition::Inspected,
            StepRole::Denied => StepDisposition::Denied,
            _ => StepDisposition::Kept,
        };
        if walk.dispositions[at].is_kept() {
            walk.process_step(at);
        }
    }
    let rewritten = walk.rewritten.into_iter().filter(|(at, _)| walk.dispositions[*at].is_kept());
    RecordingSlice {
        rewritten: rewritten.collect(),
        dispositions: walk.dispositions,
        start: walk.start,
    }
}

/// The time between the arrival at a page and the next one.
#[derive(Debug, Default)]
struct PageVisit {
    /// The step that led here; none for the page that was there at the start.
    arrival: Option<usize>,
    /// Whether coming here asked for a page and did nothing else.
    is_harmless: bool,
    /// What was done here, without what was made void.
    steps: Vec<usize>,
    /// Whether the script does without it.
    is_dropped: bool,
    url: String,
    document: String,
}

#[derive(Default)]
struct SliceBuilder<'a> {
    steps: &'a [&'a RecordedStep],
    dispositions: Vec<StepDisposition>,
    rewritten: BTreeMap<usize, RecordedStep>,
    visits: Vec<PageVisit>,
    /// The history of the tab: the last visit of each entry.
    history: Vec<usize>,
    /// The entry that the tab shows.
    current_entry: usize,
    start: Option<String>,
}

impl SliceBuilder<'_> {
    fn process_step(&mut self, at: usize) {
        let step = self.steps[at];
        if self.visits.is_empty() && step.role() != StepRole::Open {
            let (url, document) = (step.before.url.clone(), step.before.document.clone());
            self.visits.push(PageVisit { url, document, ..PageVisit::default() });
            self.history.push(0);
        }
        match step.role() {
            StepRole::Open => {
                self.drop_idle_visits();
                self.push_visit(at, is_same_page(&requested_url(step), &step.after.url));
            }
            StepRole::Back => self.navigate_history(at, self.current_entry.checked_sub(1)),
            StepRole::Forward => self.navigate_history(at, Some(self.current_entry + 1)),
            StepRole::Reload => self.reload(at),
            _ => self.process_action(at),
        }
    }

    fn process_action(&mut self, at: usize) {
        let step = self.steps[at];
        let landed = self.final_url(at);
        let leads_here = step.link_url.as_ref().is_some_and(|leads| is_same_page(leads, &landed));
        let is_link = leads_here && step.is_link();
        let moved = step.changed_document() || self.navigates_later(at);
        // A link that a script of the page follows by itself.
        let moved = moved || is_link && !is_same_page(&step.before.url, &landed);
        if moved || step.opened_tab.is_some() {
            return self.push_visit(at, is_link);
        }
        self.overwrite(at);
        if let Some(visit) = self.current() {
            visit.steps.push(at);
        }
    }

    /// Goes to another entry of the history.
    fn navigate_history(&mut self, at: usize, entry: Option<usize>) {
        let step = self.steps[at];
        let stays = !step.changed_document();
        let known = entry.filter(|entry| {
            let to = self.history.get(*entry).map(|visit| &self.visits[*visit]);
            let from = self.history.get(self.current_entry).map(|visit| &self.visits[*visit]);
            to.zip(from).is_some_and(|(to, from)| {
                is_same_page(&to.url, &step.after.url) && (to.document == from.document) == stays
            })
        });
        let Some(entry) = known else {
            // An entry that a script of the page made, with a step that is kept.
            if stays {
                if let Some(visit) = self.current() {
                    visit.steps.push(at);
                }
                return;
            }
            // One from before the recording: its address is opened instead.
            self.drop_idle_visits();
            self.rewritten.extend(opening(step, &self.final_url(at)).map(|step| (at, step)));
            return self.push_visit(at, true);
        };
        let is_detour = match entry < self.current_entry {
            true => self.is_idle(self.history[self.current_entry]),
            false => self.visits[self.history[entry]].is_dropped,
        };
        if is_detour {
            self.dispositions[at] = StepDisposition::PageLeft;
            if entry < self.current_entry {
                self.drop_visit(self.history[self.current_entry]);
            } else if self.is_opened_by_url(entry) {
                self.drop_idle_visits();
            }
            self.restore(entry);
        } else {
            // The script goes there as well, so the entry has to be there.
            self.restore(entry);
            let visit = self.begin_visit(at, false);
            self.history[entry] = visit;
        }
        self.current_entry = entry;
    }

    /// Whether an address was opened there, so that the pages before it do not count.
    fn is_opened_by_url(&self, entry: usize) -> bool {
        let arrival = self.visits[self.history[entry]].arrival;
        arrival.is_some_and(|step| self.steps[step].role() == StepRole::Open)
    }

    fn reload(&mut self, at: usize) {
        let Some(visit) = self.history.get(self.current_entry).copied() else { return };
        if self.visits[visit].steps.iter().any(|step| self.has_effect(*step)) {
            let visit = self.begin_visit(at, false);
            self.history[self.current_entry] = visit;
            return;
        }
        self.dispositions[at] = StepDisposition::PageLeft;
        for step in std::mem::take(&mut self.visits[visit].steps) {
            self.dispositions[step] = StepDisposition::PageLeft;
        }
        self.visits[visit].document = self.steps[at].after.document.clone();
    }

    /// A new entry of the history, with the step that led to it.
    fn push_visit(&mut self, at: usize, harmless: bool) {
        let visit = self.begin_visit(at, harmless);
        self.history.truncate(self.current_entry + 1);
        self.history.push(visit);
        self.current_entry = self.history.len() - 1;
    }

    fn begin_visit(&mut self, at: usize, harmless: bool) -> usize {
        let document = match self.navigates_later(at) {
            true => {
                self.next_in_tab(at).map(|next| next.before.document.clone()).unwrap_or_default()
            }
            false => self.steps[at].after.document.clone(),
        };
        let url = self.final_url(at);
        let visit = PageVisit {
            arrival: Some(at),
            is_harmless: harmless,
            url,
            document,
            ..PageVisit::default()
        };
        self.visits.push(visit);
        self.visits.len() - 1
    }

    /// Leaves the pages out that nothing came of, from here backwards.
    fn drop_idle_visits(&mut self) {
        for entry in (0..self.history.len().min(self.current_entry + 1)).rev() {
            let visit = self.history[entry];
            if !self.is_idle(visit) {
                return;
            }
            self.drop_visit(visit);
        }
    }

    fn drop_visit(&mut self, visit: usize) {
        self.visits[visit].is_dropped = true;
        self.mark(visit, StepDisposition::PageLeft);
    }

    /// Takes a page in again that was left out, with what led to it.
    fn restore(&mut self, entry: usize) {
        for entry in (0..=entry).rev() {
            let visit = self.history[entry];
            if !self.visits[visit].is_dropped {
                return;
            }
            self.visits[visit].is_dropped = false;
            self.mark(visit, StepDisposition::Kept);
            match self.visits[visit].arrival {
                None => self.start = Some(self.visits[visit].url.clone()),
                Some(step) if self.steps[step].role() == StepRole::Open => return,
                Some(_) => {}
            }
        }
    }

    fn mark(&mut self, visit: usize, disposition: StepDisposition) {
        let visit = &self.visits[visit];
        for step in visit.arrival.iter().chain(&visit.steps) {
            self.dispositions[*step] = disposition;
        }
    }

    /// Whether nothing is lost when a visit never takes place.
    fn is_idle(&self, visit: usize) -> bool {
        let visit = &self.visits[visit];
        let harmless = visit.is_harmless || visit.arrival.is_none();
        harmless && !visit.steps.iter().any(|step| self.has_effect(*step))
    }

    /// Whether a step may have had an effect beyond its page, or is the result.
    fn has_effect(&self, at: usize) -> bool {
        let step = self.steps[at];
        let turns = matches!(step.role(), StepRole::Read | StepRole::Back | StepRole::Forward);
        turns || step.has_effect()
    }

    fn current(&mut self) -> Option<&mut PageVisit> {
        self.visits.get_mut(*self.history.get(self.current_entry)?)
    }

    /// Makes void what the step at `at` does anew on the same page, when nothing
    /// came of it meanwhile.
    fn overwrite(&mut self, at: usize) {
        let Some(visit) = self.history.get(self.current_entry).copied() else { return };
        let earlier: Vec<&RecordedStep> =
            self.visits[visit].steps.iter().map(|earlier| self.steps[*earlier]).collect();
        let (void, instead) = overwrite::overwritten(&earlier, self.steps[at]);
        self.rewritten.extend(instead.map(|step| (at, step)));
        let void: Vec<usize> = void.into_iter().map(|n| self.visits[visit].steps[n]).collect();
        self.visits[visit].steps.retain(|step| !void.contains(step));
        for step in void {
            self.dispositions[step] = StepDisposition::Overwritten;
        }
    }

    /// The next step of the tab, which tells what became of this one.
    fn next_in_tab(&self, at: usize) -> Option<&RecordedStep> {
        let step = self.steps[at];
        let mut later = self.steps[at + 1..].iter().copied();
        later.find(|next| next.tab == step.tab && !next.before.document.is_empty())
    }

    /// Whether another document came after the step had ended.
    fn navigates_later(&self, at: usize) -> bool {
        let step = self.steps[at];
        self.next_in_tab(at).is_some_and(|next| next.before.document != step.after.document)
    }

    /// Where the tab was in the end.
    fn final_url(&self, at: usize) -> String {
        let late = self.next_in_tab(at).filter(|_| self.navigates_later(at));
        late.map_or_else(|| self.steps[at].after.url.clone(), |next| next.before.url.clone())
    }
}

/// A step that opens `url`, in the place of `step`.
fn opening(step: &RecordedStep, url: &str) -> Option<RecordedStep> {
    let command = Command::by_name("goto")?;
    let fields = Map::from_iter([("url".to_owned(), url.into())]);
    Some(RecordedStep { command, fields, ..step.clone() })
}

/// The address that a step asked for.
fn requested_url(step: &RecordedStep) -> String {
    let url = step.fields.get("url").and_then(serde_json::Value::as_str).unwrap_or_default();
    if url.contains("://") || url.starts_with("about:") {
        return url.to_owned();
    }
    // A bare host gets the scheme that it got.
    let scheme = step.after.url.split("://").next().unwrap_or("https");
    format!("{scheme}://{url}")
}

/// Whether two addresses are of one page: fragment, query and a slash at the
/// end do not count, nor do scheme and host, by which sites are only tidied up.
fn is_same_page(one: &str, other: &str) -> bool {
    let path =
        |url: &str| Url::parse(url).ok().map(|url| url.path().trim_end_matches('/').to_owned());
    path(one).is_some() && path(one) == path(other)
}

#[cfg(test)]
#[path = "slice_tests.rs"]
mod tests;
