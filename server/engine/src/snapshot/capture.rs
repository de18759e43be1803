//! Taking a snapshot.

use std::time::Duration;

use tokio::time::Instant;

use super::options::SnapshotOptions;
use super::render::{self, ContextDisplay, TextLine};
use super::tree::{NodeContext, Snapshot};
use super::{assemble, budget, diff};
use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::snapshot_history::StoredSnapshot;

/// What a difference begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffBase {
    /// There is no earlier snapshot of this kind.
    NoEarlier,
    /// The earlier one, taken so long ago, is of another document.
    OtherDocument(Duration),
    /// The earlier one, taken so long ago.
    Earlier(Duration),
}

impl Engine {
    /// The whole frame tree, or the part that the options ask for.
    pub async fn snapshot(&self, options: &SnapshotOptions) -> Result<Snapshot> {
        let (snapshot, taken) = self.capture(options).await?;
        self.state().snapshots.lock().replace(options.comparison_key(), taken);
        Ok(snapshot)
    }

    /// What changed since the previous snapshot of the same kind, as a unified
    /// diff without nodes. Without a previous one, or at another document, the text
    /// is whole.
    pub async fn diff(&self, options: &SnapshotOptions) -> Result<(Snapshot, DiffBase)> {
        let (mut snapshot, now) = self.capture(options).await?;
        let before = self.state().snapshots.lock().replace(options.comparison_key(), now.clone());
        let Some(before) = before else { return Ok((snapshot, DiffBase::NoEarlier)) };
        let ago = now.at.saturating_duration_since(before.at);
        if before.document != now.document {
            return Ok((snapshot, DiffBase::OtherDocument(ago)));
        }
        snapshot.text = diff::unified(&before.text, &now.text);
        snapshot.nodes.clear();
        Ok((snapshot, DiffBase::Earlier(ago)))
    }

    /// Role and name of the element of a ref, as the latest snapshot with it had
    /// them; asks the page nothing.
    pub fn ref_label(&self, reference: &str) -> Option<String> {
        self.state().snapshots.lock().label(reference)
    }

    /// The tree as assistive technology sees it, without refs; `details` are
    /// descriptions, and `seen` leaves out what no person sees.
    pub async fn accessibility(&self, details: bool, seen: bool) -> Result<Snapshot> {
        let options = SnapshotOptions { details, visible_only: seen, ..SnapshotOptions::default() };
        let (mut snapshot, _) = self.capture(&options).await?;
        for node in &mut snapshot.nodes {
            node.reference = None;
        }
        let lines = render::render_lines(&snapshot.nodes, ContextDisplay::Omit);
        snapshot.text = join_lines(&lines);
        Ok(snapshot)
    }

    /// The lines of the page without refs, for a comparison over time: the
    /// numbers of another document say nothing. With `seen` without what no
    /// person sees.
    pub async fn summary(&self, seen: bool) -> Result<String> {
        let options =
            SnapshotOptions { compact: true, visible_only: seen, ..SnapshotOptions::default() };
        let collected = self.walk_frames(&options).await?;
        let mut nodes = assemble::assemble(self, &collected, &options);
        for node in &mut nodes {
            node.reference = None;
        }
        let lines = render::render_lines(&nodes, ContextDisplay::Omit);
        Ok(join_lines(&lines))
    }

    /// A snapshot within its budget, and its whole text for comparisons.
    async fn capture(&self, options: &SnapshotOptions) -> Result<(Snapshot, StoredSnapshot)> {
        let at = Instant::now();
        let collected = self.walk_frames(options).await?;
        let nodes = assemble::assemble(self, &collected, options);
        let lines = render::render_lines(&nodes, ContextDisplay::Show);
        let shown = join_lines(&lines);
        let whole = match nodes.iter().any(|node| node.context != NodeContext::default()) {
            true => join_lines(&render::render_lines(&nodes, ContextDisplay::Omit)),
            false => shown.clone(),
        };
        let text = match options.max_tokens {
            Some(max_tokens) => budget::truncate_to_tokens(&nodes, lines, max_tokens),
            None => shown,
        };
        let main = collected.walks.get(&collected.root);
        let (url, title) = main
            .map(|walk| (walk.walked.url.clone(), walk.walked.title.clone()))
            .unwrap_or_default();
        let document = main.map(|walk| walk.world.loader().clone());
        let unseen = collected.hidden_parts;
        let taken = StoredSnapshot { text: whole, document, at };
        Ok((Snapshot { text, nodes, url, title, hidden_parts: unseen }, taken))
    }
}

fn join_lines(lines: &[TextLine]) -> String {
    lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
}
