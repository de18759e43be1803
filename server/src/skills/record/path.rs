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

use browse_proto::Command;
use serde_json::Map;
use url::Url;

use super::rewrite;
use super::step::{Role, Step};

/// What becomes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The script repeats it.
    Kept,
    /// It is the result, or a part of it.
    Result,
    /// It failed.
    Failed,
    /// It only looked at the page.
    Looked,
    /// Its page was left again.
    Left,
    /// It was made in a tab that the script does without.
    Aside,
    /// A later step made it void.
    Overwritten,
    /// It came after the result.
    After,
    /// A skill may not do it.
    Denied,
}

impl Fate {
    /// The words for it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Result => "the result",
            Self::Failed => "left out: it failed",
            Self::Looked => "left out: it only looked",
            Self::Left => "left out: its page was left again",
            Self::Aside => "left out: its tab was left again",
            Self::Overwritten => "left out: a later step made it void",
            Self::After => "left out: it came after the result",
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
pub struct FlowPath {
    /// The fate of each step.
    pub fates: Vec<Fate>,
    /// Steps that stand for several, by their number: the last of them is kept,
    /// and does what all did.
    pub rewritten: BTreeMap<usize, Step>,
    /// The address of the page that was there when the recording began, when a
    /// kept step goes back to it.
    pub start: Option<String>,
}

/// The path to the last `reads` reads, which are the result.
pub fn path(steps: &[&Step], reads: usize) -> FlowPath {
    let is_read = |step: &Step| step.answers() && step.failed.is_none() && !step.aside;
    let results: Vec<usize> = (0..steps.len()).filter(|at| is_read(steps[*at])).collect();
    let results = &results[results.len().saturating_sub(reads)..];
    let end = results.last().map_or(steps.len(), |last| last + 1);
    let mut walk = Walk { steps, fates: vec![Fate::After; steps.len()], ..Walk::default() };
    for (at, step) in steps[..end].iter().enumerate() {
        walk.fates[at] = match step.role() {
            _ if step.aside => Fate::Aside,
            _ if step.failed.is_some() => Fate::Failed,
            _ if step.saves() && results.contains(&at) => Fate::Result,
            Role::Read if results.contains(&at) => Fate::Result,
            Role::Read | Role::Look => Fate::Looked,
            Role::Denied => Fate::Denied,
            _ => Fate::Kept,
        };
        if walk.fates[at].is_kept() {
            walk.take(at);
        }
    }
    let rewritten = walk.rewritten.into_iter().filter(|(at, _)| walk.fates[*at].is_kept());
    FlowPath { rewritten: rewritten.collect(), fates: walk.fates, start: walk.start }
}

/// The time between the arrival at a page and the next one.
#[derive(Debug, Default)]
struct Visit {
    /// The step that led here; none for the page that was there at the start.
    arrival: Option<usize>,
    /// Whether coming here asked for a page and did nothing else.
    harmless: bool,
    /// What was done here, without what was made void.
    steps: Vec<usize>,
    /// Whether the script does without it.
    is_left: bool,
    url: String,
    document: String,
}

#[derive(Default)]
struct Walk<'a> {
    steps: &'a [&'a Step],
    fates: Vec<Fate>,
    rewritten: BTreeMap<usize, Step>,
    visits: Vec<Visit>,
    /// The history of the tab: the last visit of each entry.
    history: Vec<usize>,
    /// The entry that the tab shows.
    here: usize,
    start: Option<String>,
}

impl Walk<'_> {
    fn take(&mut self, at: usize) {
        let step = self.steps[at];
        if self.visits.is_empty() && step.role() != Role::Open {
            let (url, document) = (step.before.url.clone(), step.before.document.clone());
            self.visits.push(Visit { url, document, ..Visit::default() });
            self.history.push(0);
        }
        match step.role() {
            Role::Open => {
                self.leave_idle();
                self.arrive(at, is_same_place(&asked(step), &step.after.url));
            }
            Role::Back => self.turn(at, self.here.checked_sub(1)),
            Role::Forward => self.turn(at, Some(self.here + 1)),
            Role::Reload => self.reload(at),
            _ => self.act(at),
        }
    }

    fn act(&mut self, at: usize) {
        let step = self.steps[at];
        let landed = self.landing(at);
        let leads_here = step.leads.as_ref().is_some_and(|leads| is_same_place(leads, &landed));
        let is_link = leads_here && step.is_link();
        let moved = step.moved() || self.moved_later(at);
        // A link that a script of the page follows by itself.
        let moved = moved || is_link && !is_same_place(&step.before.url, &landed);
        if moved || step.opened.is_some() {
            return self.arrive(at, is_link);
        }
        self.overwrite(at);
        if let Some(visit) = self.current() {
            visit.steps.push(at);
        }
    }

    /// Goes to another entry of the history.
    fn turn(&mut self, at: usize, entry: Option<usize>) {
        let step = self.steps[at];
        let stays = !step.moved();
        let known = entry.filter(|entry| {
            let to = self.history.get(*entry).map(|visit| &self.visits[*visit]);
            let from = self.history.get(self.here).map(|visit| &self.visits[*visit]);
            to.zip(from).is_some_and(|(to, from)| {
                is_same_place(&to.url, &step.after.url) && (to.document == from.document) == stays
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
            self.leave_idle();
            self.rewritten.extend(opening(step, &self.landing(at)).map(|step| (at, step)));
            return self.arrive(at, true);
        };
        let is_detour = match entry < self.here {
            true => self.is_idle(self.history[self.here]),
            false => self.visits[self.history[entry]].is_left,
        };
        if is_detour {
            self.fates[at] = Fate::Left;
            if entry < self.here {
                self.leave(self.history[self.here]);
            } else if self.is_opened(entry) {
                self.leave_idle();
            }
            self.restore(entry);
        } else {
            // The script goes there as well, so the entry has to be there.
            self.restore(entry);
            let visit = self.begin_visit(at, false);
            self.history[entry] = visit;
        }
        self.here = entry;
    }

    /// Whether an address was opened there, so that the pages before it do not count.
    fn is_opened(&self, entry: usize) -> bool {
        let arrival = self.visits[self.history[entry]].arrival;
        arrival.is_some_and(|step| self.steps[step].role() == Role::Open)
    }

    fn reload(&mut self, at: usize) {
        let Some(visit) = self.history.get(self.here).copied() else { return };
        if self.visits[visit].steps.iter().any(|step| self.has_effect(*step)) {
            let visit = self.begin_visit(at, false);
            self.history[self.here] = visit;
            return;
        }
        self.fates[at] = Fate::Left;
        for step in std::mem::take(&mut self.visits[visit].steps) {
            self.fates[step] = Fate::Left;
        }
        self.visits[visit].document = self.steps[at].after.document.clone();
    }

    /// A new entry of the history, with the step that led to it.
    fn arrive(&mut self, at: usize, harmless: bool) {
        let visit = self.begin_visit(at, harmless);
        self.history.truncate(self.here + 1);
        self.history.push(visit);
        self.here = self.history.len() - 1;
    }

    fn begin_visit(&mut self, at: usize, harmless: bool) -> usize {
        let document = match self.moved_later(at) {
            true => self.next(at).map(|next| next.before.document.clone()).unwrap_or_default(),
            false => self.steps[at].after.document.clone(),
        };
        let url = self.landing(at);
        let visit = Visit { arrival: Some(at), harmless, url, document, ..Visit::default() };
        self.visits.push(visit);
        self.visits.len() - 1
    }

    /// Leaves the pages out that nothing came of, from here backwards.
    fn leave_idle(&mut self) {
        for entry in (0..self.history.len().min(self.here + 1)).rev() {
            let visit = self.history[entry];
            if !self.is_idle(visit) {
                return;
            }
            self.leave(visit);
        }
    }

    fn leave(&mut self, visit: usize) {
        self.visits[visit].is_left = true;
        self.mark(visit, Fate::Left);
    }

    /// Takes a page in again that was left out, with what led to it.
    fn restore(&mut self, entry: usize) {
        for entry in (0..=entry).rev() {
            let visit = self.history[entry];
            if !self.visits[visit].is_left {
                return;
            }
            self.visits[visit].is_left = false;
            self.mark(visit, Fate::Kept);
            match self.visits[visit].arrival {
                None => self.start = Some(self.visits[visit].url.clone()),
                Some(step) if self.steps[step].role() == Role::Open => return,
                Some(_) => {}
            }
        }
    }

    fn mark(&mut self, visit: usize, fate: Fate) {
        let visit = &self.visits[visit];
        for step in visit.arrival.iter().chain(&visit.steps) {
            self.fates[*step] = fate;
        }
    }

    /// Whether nothing is lost when a visit never takes place.
    fn is_idle(&self, visit: usize) -> bool {
        let visit = &self.visits[visit];
        let harmless = visit.harmless || visit.arrival.is_none();
        harmless && !visit.steps.iter().any(|step| self.has_effect(*step))
    }

    /// Whether a step may have had an effect beyond its page, or is the result.
    fn has_effect(&self, at: usize) -> bool {
        let step = self.steps[at];
        let turns = matches!(step.role(), Role::Read | Role::Back | Role::Forward);
        turns || step.has_effect()
    }

    fn current(&mut self) -> Option<&mut Visit> {
        self.visits.get_mut(*self.history.get(self.here)?)
    }

    /// Makes void what the step at `at` does anew on the same page, when nothing
    /// came of it meanwhile.
    fn overwrite(&mut self, at: usize) {
        let Some(visit) = self.history.get(self.here).copied() else { return };
        let earlier: Vec<&Step> =
            self.visits[visit].steps.iter().map(|earlier| self.steps[*earlier]).collect();
        let (void, instead) = rewrite::overwritten(&earlier, self.steps[at]);
        self.rewritten.extend(instead.map(|step| (at, step)));
        let void: Vec<usize> = void.into_iter().map(|n| self.visits[visit].steps[n]).collect();
        self.visits[visit].steps.retain(|step| !void.contains(step));
        for step in void {
            self.fates[step] = Fate::Overwritten;
        }
    }

    /// The next step of the tab, which tells what became of this one.
    fn next(&self, at: usize) -> Option<&Step> {
        let step = self.steps[at];
        let mut later = self.steps[at + 1..].iter().copied();
        later.find(|next| next.tab == step.tab && !next.before.document.is_empty())
    }

    /// Whether another document came after the step had ended.
    fn moved_later(&self, at: usize) -> bool {
        let step = self.steps[at];
        self.next(at).is_some_and(|next| next.before.document != step.after.document)
    }

    /// Where the tab was in the end.
    fn landing(&self, at: usize) -> String {
        let late = self.next(at).filter(|_| self.moved_later(at));
        late.map_or_else(|| self.steps[at].after.url.clone(), |next| next.before.url.clone())
    }
}

/// A step that opens `url`, in the place of `step`.
fn opening(step: &Step, url: &str) -> Option<Step> {
    let command = Command::by_name("goto")?;
    let fields = Map::from_iter([("url".to_owned(), url.into())]);
    Some(Step { command, fields, ..step.clone() })
}

/// The address that a step asked for.
fn asked(step: &Step) -> String {
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
fn is_same_place(one: &str, other: &str) -> bool {
    let path =
        |url: &str| Url::parse(url).ok().map(|url| url.path().trim_end_matches('/').to_owned());
    path(one).is_some() && path(one) == path(other)
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
