//! Puts the walks of all frames together: a frame's lines stand below the
//! element that holds it.

use super::frame_walks::FrameWalks;
use super::options::SnapshotOptions;
use super::tree::{NodeContext, SnapshotLine};
use super::walk_answer::{BoxOrNone, WalkAnswer, WalkedLine};
use crate::page::engine::Engine;
use crate::page::rect::Rect;
use crate::page::ref_assignment::ref_number;
use crate::target::reference::{RefKind, Reference};
use browse_chromium::FrameId;

/// The lines of the whole tree.
pub(crate) fn assemble(
    engine: &Engine,
    collected: &FrameWalks,
    options: &SnapshotOptions,
) -> Vec<SnapshotLine> {
    let mut assembly = Assembly { engine, collected, nodes: Vec::new() };
    assembly.append_frame(&collected.root, 0);
    let nodes = assembly.nodes;
    let nodes = if options.interactive {
        without_empty_frames(nodes)
    } else {
        prune(nodes, options.compact)
    };
    match options.depth {
        Some(depth) => nodes.into_iter().filter(|node| node.depth < depth).collect(),
        None => nodes,
    }
}

struct Assembly<'a> {
    engine: &'a Engine,
    collected: &'a FrameWalks,
    nodes: Vec<SnapshotLine>,
}

impl Assembly<'_> {
    fn append_frame(&mut self, id: &FrameId, depth: u32) {
        let collected = self.collected;
        let Some(walk) = collected.walks.get(id) else { return };
        let frame = self.engine.frame_name(id);
        let document = Engine::document_of(&walk.world);
        let first = self.nodes.len();
        let mut places = Vec::with_capacity(walk.walked.nodes.0.len());
        for (index, line) in walk.walked.nodes.0.iter().enumerate() {
            let mut node = node(line, &walk.walked, index, walk.base);
            node.frame.clone_from(&frame);
            node.depth += depth;
            let below = node.depth + 1;
            places.push(self.nodes.len() - first);
            self.nodes.push(node);
            if line.owner == 0 {
                continue;
            }
            let child =
                self.engine.state().frame_owners.lock().frame(&document, line.owner).cloned();
            match child {
                Some(child) if collected.unresponsive.contains(&child) => {
                    if let Some(node) = self.nodes.last_mut() {
                        node.states.push("no answer".to_owned());
                    }
                }
                Some(child) => self.append_frame(&child, below),
                None => {}
            }
        }
        annotate(&mut self.nodes[first..], &places, &walk.walked);
    }
}

/// Adds what only some lines have. `places` has where each line of the walk went.
fn annotate(nodes: &mut [SnapshotLine], places: &[usize], walked: &WalkAnswer) {
    for (line, text, ordinal, new) in &walked.contexts {
        if let Some(node) = places.get(*line).and_then(|place| nodes.get_mut(*place)) {
            node.context = NodeContext { text: text.clone(), ordinal: *ordinal, is_repeated: !new };
        }
    }
    let mut add = |texts: &[(usize, String)], field: fn(&mut SnapshotLine) -> &mut String| {
        for (line, text) in texts {
            if let Some(node) = places.get(*line).and_then(|place| nodes.get_mut(*place)) {
                field(node).clone_from(text);
            }
        }
    };
    add(&walked.messages, |node| &mut node.message);
    add(&walked.hints, |node| &mut node.hint);
    add(&walked.folds, |node| &mut node.summary);
}

fn node(line: &WalkedLine, walked: &WalkAnswer, index: usize, base: u32) -> SnapshotLine {
    let kind = if line.role == "clickable" { RefKind::Clickable } else { RefKind::Element };
    let reference =
        (line.reference != 0).then(|| Reference { kind, number: ref_number(line.reference, base) });
    let bounds = match walked.boxes.get(index) {
        Some(BoxOrNone::Box(x, y, width, height)) => {
            Some(Rect { x: *x, y: *y, width: *width, height: *height })
        }
        _ => None,
    };
    SnapshotLine {
        reference,
        role: line.role.clone(),
        name: line.name.clone(),
        description: walked.descriptions.get(index).cloned().unwrap_or_default(),
        states: line
            .states
            .split('|')
            .filter(|state| !state.is_empty())
            .map(str::to_owned)
            .collect(),
        value: (!line.value.is_empty()).then(|| line.value.clone()),
        context: NodeContext::default(),
        message: String::new(),
        hint: String::new(),
        summary: String::new(),
        frame: String::new(),
        depth: line.depth,
        bounds,
    }
}

/// An iframe is worth a line when something in it is.
fn without_empty_frames(nodes: Vec<SnapshotLine>) -> Vec<SnapshotLine> {
    let mut kept: Vec<SnapshotLine> = Vec::with_capacity(nodes.len());
    let mut level = u32::MAX;
    // From the end, so that children are seen before what holds them.
    for node in nodes.into_iter().rev() {
        let has_children = level != u32::MAX && level > node.depth;
        if node.role == "iframe" && !has_children && node.states.is_empty() {
            continue;
        }
        level = node.depth;
        kept.push(node);
    }
    kept.reverse();
    kept
}

/// Leaves out structure without content; in a compact tree also structure
/// without a name, whose children move up.
fn prune(nodes: Vec<SnapshotLine>, compact: bool) -> Vec<SnapshotLine> {
    let mut kept: Vec<SnapshotLine> = Vec::with_capacity(nodes.len());
    let mut level = 0;
    for node in nodes.into_iter().rev() {
        let has_children = level > node.depth;
        if has_children || (has_content(&node) && !is_separator_text(&node)) {
            level = node.depth;
            kept.push(node);
        }
    }
    kept.reverse();
    if compact { flatten_nameless(kept) } else { kept }
}

/// Text that only sets other things apart.
fn is_separator_text(node: &SnapshotLine) -> bool {
    let mark = |letter: char| letter.is_ascii_punctuation() || "·•–—«»‹›…".contains(letter);
    node.role == "text" && node.name.chars().count() <= 2 && node.name.chars().all(mark)
}

fn has_content(node: &SnapshotLine) -> bool {
    node.reference.is_some()
        || !node.name.is_empty()
        || node.value.is_some()
        || node.role == "separator"
        || !node.states.is_empty()
}

/// Removes nameless structure and moves what it held up to its place.
fn flatten_nameless(nodes: Vec<SnapshotLine>) -> Vec<SnapshotLine> {
    let mut kept = Vec::with_capacity(nodes.len());
    // Depths of the removed lines that are still open.
    let mut removed: Vec<u32> = Vec::new();
    for mut node in nodes {
        while removed.last().is_some_and(|depth| *depth >= node.depth) {
            removed.pop();
        }
        if !has_content(&node) {
            removed.push(node.depth);
            continue;
        }
        node.depth -= u32::try_from(removed.len()).unwrap_or_default();
        kept.push(node);
    }
    kept
}
