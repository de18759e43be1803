//! What of a recording led to its result.
//!
//! Left out is what failed, what only looked, and what was left again without
//! having had an effect: pages that were opened and left by another address or
//! by going back, fields that were filled anew, and fields of a page that was
//! left. A click or a key may have had an effect that nobody sees, such as an
//! item in a cart. So it stays, unless it followed a link or sent a form that
//! only asks for a page, and arrived just there.

use url::Url;

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
            Self::Overwritten => "left out: a later step made it void",
            Self::After => "left out: it came after the result",
            Self::Denied => "left out: a skill may not do it",
        }
    }
}

/// The fate of each step, when the last `reads` reads are the result.
pub fn fates(steps: &[&Step], reads: usize) -> Vec<Fate> {
    let is_read =
        |step: &Step| (step.role() == Role::Read || step.saves()) && step.failed.is_none();
    let results: Vec<usize> = (0..steps.len()).filter(|at| is_read(steps[*at])).collect();
    let results = &results[results.len().saturating_sub(reads)..];
    let end = results.last().map_or(steps.len(), |last| last + 1);
    let mut walk = Walk { steps, fates: vec![Fate::After; steps.len()], ..Walk::default() };
    for (at, step) in steps[..end].iter().enumerate() {
        walk.fates[at] = match step.role() {
            _ if step.failed.is_some() => Fate::Failed,
            _ if step.saves() && results.contains(&at) => Fate::Result,
            Role::Read if results.contains(&at) => Fate::Result,
            Role::Read | Role::Look => Fate::Looked,
            Role::Denied => Fate::Denied,
            _ => Fate::Kept,
        };
        if matches!(walk.fates[at], Fate::Kept | Fate::Result) {
            walk.take(at);
        }
    }
    walk.fates
}

/// The time between the arrival at a document and the next one.
#[derive(Debug, Default)]
struct Visit {
    /// The step that led here; none for the page that was there at the start.
    arrival: Option<usize>,
    /// Whether coming here asked for a page and did nothing else.
    harmless: bool,
    /// What was done here.
    steps: Vec<usize>,
    /// Whether it may have had an effect beyond the page, or is the result.
    effect: bool,
    url: String,
}

#[derive(Default)]
struct Walk<'a> {
    steps: &'a [&'a Step],
    fates: Vec<Fate>,
    visits: Vec<Visit>,
    /// Visits that were left by going back, for going forward again.
    behind: Vec<Visit>,
}

impl Walk<'_> {
    fn take(&mut self, at: usize) {
        let step = self.steps[at];
        if self.visits.is_empty() && step.role() != Role::Open {
            self.visits.push(Visit { url: step.before.url.clone(), ..Visit::default() });
        }
        match step.role() {
            Role::Open => {
                while self.visits.last().is_some_and(Visit::is_idle) {
                    self.leave(Fate::Left);
                }
                self.arrive(at, is_same_place(&asked(step), &step.after.url));
            }
            Role::Back if self.is_return(step) => {
                self.fates[at] = Fate::Left;
                self.leave(Fate::Left);
            }
            Role::Forward if self.is_advance(step) => {
                self.fates[at] = Fate::Left;
                let visit = self.behind.pop().unwrap_or_default();
                self.mark(&visit, Fate::Kept);
                self.visits.push(visit);
            }
            Role::Reload if self.visits.last().is_some_and(|visit| !visit.effect) => {
                self.fates[at] = Fate::Left;
                let done = self.visits.last_mut().map(|visit| std::mem::take(&mut visit.steps));
                for step in done.unwrap_or_default() {
                    self.fates[step] = Fate::Left;
                }
            }
            Role::Back | Role::Forward | Role::Reload => self.arrive(at, false),
            _ => self.act(at),
        }
    }

    fn act(&mut self, at: usize) {
        let step = self.steps[at];
        let moved = step.moved() || self.moved_later(at);
        let landed = self.landing(at);
        let harmless = step.leads.as_ref().is_some_and(|leads| is_same_place(leads, &landed));
        if moved || step.opened.is_some() {
            return self.arrive(at, harmless);
        }
        if step.role() == Role::Edit {
            self.overwrite(at);
        }
        let Some(visit) = self.visits.last_mut() else { return };
        visit.effect |= matches!(step.role(), Role::Act | Role::Read);
        visit.steps.push(at);
    }

    /// A new visit, with the step that led to it.
    fn arrive(&mut self, at: usize, harmless: bool) {
        let url = self.landing(at);
        self.behind.clear();
        let (steps, effect) = (Vec::new(), false);
        self.visits.push(Visit { arrival: Some(at), harmless, steps, effect, url });
    }

    /// Forgets the last visit.
    fn leave(&mut self, fate: Fate) {
        if let Some(visit) = self.visits.pop() {
            self.mark(&visit, fate);
            self.behind.push(visit);
        }
    }

    fn mark(&mut self, visit: &Visit, fate: Fate) {
        for step in visit.arrival.iter().chain(&visit.steps) {
            self.fates[*step] = fate;
        }
    }

    /// Whether going back returns to the visit before, and leaves nothing
    /// behind that had an effect.
    fn is_return(&self, step: &Step) -> bool {
        let [.., before, last] = self.visits.as_slice() else { return false };
        last.is_idle() && is_same_place(&before.url, &step.after.url)
    }

    fn is_advance(&self, step: &Step) -> bool {
        self.behind.last().is_some_and(|visit| is_same_place(&visit.url, &step.after.url))
    }

    /// Drops what filled the same field of the same page before, when nothing
    /// came of it meanwhile.
    fn overwrite(&mut self, at: usize) {
        let step = self.steps[at];
        let Some(visit) = self.visits.last_mut().filter(|_| !step.target().is_empty()) else {
            return;
        };
        let mut void = Vec::new();
        for earlier in visit.steps.iter().rev() {
            let other = self.steps[*earlier];
            match other.role() {
                Role::Edit if other.target() == step.target() && other.frame == step.frame => {
                    void.push(*earlier);
                }
                // What was typed may have gone into the same field.
                Role::Edit if other.command.name == "type" => break,
                Role::Edit | Role::Steady => {}
                _ => break,
            }
        }
        visit.steps.retain(|step| !void.contains(step));
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

impl Visit {
    /// Whether nothing is lost when it never took place.
    fn is_idle(&self) -> bool {
        !self.effect && (self.harmless || self.arrival.is_none())
    }
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
