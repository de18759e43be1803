//! Taking a snapshot.

use std::time::Duration;

use tokio::time::Instant;

use super::history::Taken;
use super::options::SnapshotOptions;
use super::render::{self, Contexts, TextLine};
use super::tree::{Context, Snapshot};
use super::{assemble, budget, diff};
use crate::engine::error::Result;
use crate::engine::page::engine::Engine;

/// What a difference begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// There is no earlier snapshot of this kind.
    Never,
    /// The earlier one, taken so long ago, is of another document.
    OtherDocument(Duration),
    /// The earlier one, taken so long ago.
    Earlier(Duration),
}

impl Engine {
    /// The whole frame tree, or the part that the options ask for.
    pub async fn snapshot(&self, options: &SnapshotOptions) -> Result<Snapshot> {
        let (snapshot, taken) = self.take(options).await?;
        self.state().history.lock().replace(options.kind(), taken);
        Ok(snapshot)
    }

    /// What changed since the previous snapshot of the same kind, as a unified
    /// diff without nodes. Without a previous one, or at another document, the text
    /// is whole.
    pub async fn diff(&self, options: &SnapshotOptions) -> Result<(Snapshot, Since)> {
        let (mut snapshot, now) = self.take(options).await?;
        let before = self.state().history.lock().replace(options.kind(), now.clone());
        let Some(before) = before else { return Ok((snapshot, Since::Never)) };
        let ago = now.at.saturating_duration_since(before.at);
        if before.document != now.document {
            return Ok((snapshot, Since::OtherDocument(ago)));
        }
        snapshot.text = diff::unified(&before.text, &now.text);
        snapshot.nodes.clear();
        Ok((snapshot, Since::Earlier(ago)))
    }

    /// Role and name of the element of a ref, as the latest snapshot with it had
    /// them; asks the page nothing.
    pub fn label_of(&self, reference: &str) -> Option<String> {
        self.state().history.lock().label(reference)
    }

    /// The tree as assistive technology sees it, without refs; `details` are
    /// descriptions, and `seen` leaves out what no person sees.
    pub async fn accessibility(&self, details: bool, seen: bool) -> Result<Snapshot> {
        let options = SnapshotOptions { details, seen, ..SnapshotOptions::default() };
        let (mut snapshot, _) = self.take(&options).await?;
        for node in &mut snapshot.nodes {
            node.reference = None;
        }
        let lines = render::lines(&snapshot.nodes, Contexts::Omit);
        snapshot.text = joined(&lines);
        Ok(snapshot)
    }

    /// The lines of the page without refs, for a comparison over time: the
    /// numbers of another document say nothing. With `seen` without what no
    /// person sees.
    pub async fn glance(&self, seen: bool) -> Result<String> {
        let options = SnapshotOptions { compact: true, seen, ..SnapshotOptions::default() };
        let collected = self.collect(&options).await?;
        let mut nodes = assemble::assemble(self, &collected, &options);
        for node in &mut nodes {
            node.reference = None;
        }
        let lines = render::lines(&nodes, Contexts::Omit);
        Ok(joined(&lines))
    }

    /// A snapshot within its budget, and its whole text for comparisons.
    async fn take(&self, options: &SnapshotOptions) -> Result<(Snapshot, Taken)> {
        let at = Instant::now();
        let collected = self.collect(options).await?;
        let nodes = assemble::assemble(self, &collected, options);
        let lines = render::lines(&nodes, Contexts::Show);
        let shown = joined(&lines);
        let whole = match nodes.iter().any(|node| node.context != Context::default()) {
            true => joined(&render::lines(&nodes, Contexts::Omit)),
            false => shown.clone(),
        };
        let text = match options.max_tokens {
            Some(max_tokens) => budget::fit(&nodes, lines, max_tokens),
            None => shown,
        };
        let main = collected.walks.get(&collected.root);
        let (url, title) = main
            .map(|walk| (walk.walked.url.clone(), walk.walked.title.clone()))
            .unwrap_or_default();
        let document = main.map(|walk| walk.world.loader().clone());
        let unseen = collected.unseen;
        let taken = Taken { text: whole, document, at };
        Ok((Snapshot { text, nodes, url, title, unseen }, taken))
    }
}

fn joined(lines: &[TextLine]) -> String {
    lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
}
