//! The frame tree of one tab, out-of-process frames included.
//!
//! Each process reports only its own frames. The tree is put together from
//! all sessions of the tab: a frame keeps its id when it moves to another
//! process, and the session that last reported it serves it.

use std::collections::HashMap;

use super::protocol::{WireFrame, WireFrameTree};
use super::state::LoadStates;
use crate::connection::session::CdpSession;
use crate::ids::{FrameId, LoaderId, SessionId};
use crate::world::contexts::ExecutionContexts;

/// One frame as it is now.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Its id, the same for as long as the frame lives.
    pub id: FrameId,
    /// The frame that holds it; none for the main frame.
    pub parent: Option<FrameId>,
    /// URL of its document, with fragment.
    pub url: String,
    /// Its `name`.
    pub name: String,
    /// The document's loader; empty until the first document is known.
    pub loader: LoaderId,
    /// The session that serves it.
    pub session: CdpSession,
    /// Whether it lives in another process than its parent.
    pub out_of_process: bool,
    pub(crate) children: Vec<FrameId>,
    /// Milestones, and the loader they belong to: they may come before or
    /// after the commit is reported.
    pub(crate) milestones: (LoaderId, LoadStates),
    /// Execution contexts of its document, where known.
    pub(crate) contexts: ExecutionContexts,
}

/// All frames of a tab.
#[derive(Debug)]
pub(crate) struct FrameTree {
    root: FrameId,
    frames: HashMap<FrameId, Frame>,
}

impl FrameTree {
    /// A tree of one empty main frame.
    pub(crate) fn new(root: FrameId, session: CdpSession) -> Self {
        let mut tree = Self { root: root.clone(), frames: HashMap::new() };
        tree.attach(root, None, session);
        tree
    }

    /// The main frame's id.
    pub(crate) fn root(&self) -> &FrameId {
        &self.root
    }

    /// Looks a frame up.
    pub(crate) fn get(&self, id: &FrameId) -> Option<&Frame> {
        self.frames.get(id)
    }

    /// Looks a frame up to change it.
    pub(crate) fn get_mut(&mut self, id: &FrameId) -> Option<&mut Frame> {
        self.frames.get_mut(id)
    }

    /// All frames, parents before children, siblings in order of attachment.
    pub(crate) fn all(&self) -> Vec<Frame> {
        let mut all = Vec::with_capacity(self.frames.len());
        let mut open = vec![&self.root];
        while let Some(frame) = open.pop().and_then(|id| self.frames.get(id)) {
            open.extend(frame.children.iter().rev());
            all.push(frame.clone());
        }
        all
    }

    /// A frame was attached, or came back from another process.
    pub(crate) fn attach(&mut self, id: FrameId, parent: Option<FrameId>, session: CdpSession) {
        if let Some(parent) = parent.as_ref().and_then(|parent| self.frames.get_mut(parent))
            && !parent.children.contains(&id)
        {
            parent.children.push(id.clone());
        }
        if let Some(frame) = self.frames.get_mut(&id) {
            frame.session = session;
            return;
        }
        let frame = Frame {
            id: id.clone(),
            parent,
            url: String::new(),
            name: String::new(),
            loader: LoaderId::from(""),
            session,
            out_of_process: false,
            children: Vec::new(),
            milestones: (LoaderId::from(""), LoadStates::default()),
            contexts: ExecutionContexts::default(),
        };
        self.frames.insert(id, frame);
    }

    /// A document was committed in a frame. Its child frames are gone.
    pub(crate) fn on_navigated(&mut self, wire: &WireFrame, session: &CdpSession) {
        // An out-of-process root does not name its parent; the parent did.
        let parent = match self.frames.get(&wire.id) {
            Some(known) => known.parent.clone(),
            None => wire.parent_id.clone(),
        };
        self.attach(wire.id.clone(), parent, session.clone());
        let Some(frame) = self.frames.get_mut(&wire.id) else {
            return;
        };
        let new_document = frame.loader != wire.loader_id;
        if new_document {
            frame.contexts.clear();
        }
        frame.loader = wire.loader_id.clone();
        frame.url = wire.full_url();
        frame.name = wire.name.clone().unwrap_or_default();
        if new_document {
            for child in std::mem::take(&mut frame.children) {
                self.remove(&child);
            }
        }
    }

    /// Takes over a whole subtree as one session reports it.
    pub(crate) fn adopt(&mut self, tree: &WireFrameTree, session: &CdpSession) {
        let known = self.frames.get(&tree.frame.id);
        if known.is_none_or(|frame| frame.loader != tree.frame.loader_id) {
            self.on_navigated(&tree.frame, session);
        }
        for child in &tree.child_frames {
            self.attach(child.frame.id.clone(), Some(tree.frame.id.clone()), session.clone());
            self.adopt(child, session);
        }
    }

    /// A frame moved into a process of its own.
    pub(crate) fn set_out_of_process(&mut self, id: &FrameId, session: &CdpSession) {
        if let Some(frame) = self.frames.get_mut(id) {
            frame.session = session.clone();
            frame.out_of_process = true;
            frame.contexts.clear();
            for child in std::mem::take(&mut frame.children) {
                self.remove(&child);
            }
        }
    }

    /// A session ended: what it served is gone, or served by the parent again.
    pub(crate) fn on_session_ended(&mut self, session: &SessionId) {
        let orphans: Vec<FrameId> = self
            .frames
            .values()
            .filter(|frame| frame.session.id() == session)
            .map(|frame| frame.id.clone())
            .collect();
        for id in orphans {
            let parent = self.frames.get(&id).and_then(|frame| frame.parent.clone());
            let parent_session = parent
                .and_then(|parent| self.frames.get(&parent))
                .map(|parent| parent.session.clone());
            match (self.frames.get_mut(&id), parent_session) {
                // The root of the session: the element is still in its parent.
                (Some(frame), Some(served)) if served.id() != session => {
                    frame.session = served;
                    frame.out_of_process = false;
                    frame.contexts.clear();
                }
                (Some(_), Some(_)) => self.remove(&id),
                _ => {}
            }
        }
    }

    /// Removes a frame with all below it.
    pub(crate) fn remove(&mut self, id: &FrameId) {
        if *id == self.root {
            return;
        }
        let Some(frame) = self.frames.remove(id) else {
            return;
        };
        if let Some(parent) = frame.parent.and_then(|parent| self.frames.get_mut(&parent)) {
            parent.children.retain(|child| child != id);
        }
        for child in frame.children {
            self.remove(&child);
        }
    }

    /// Forgets the context with this number, or all that a session serves.
    pub(crate) fn forget_contexts(&mut self, session: &SessionId, number: Option<i64>) {
        for frame in self.frames.values_mut().filter(|frame| frame.session.id() == session) {
            match number {
                Some(number) => frame.contexts.remove(number),
                None => frame.contexts.clear(),
            }
        }
    }
}
