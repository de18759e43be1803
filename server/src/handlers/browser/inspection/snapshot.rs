//! The tree of the page, with a ref for each element.

use std::time::Duration;

use browse_proto::v1;

use crate::{
    dispatch::{CallContext, arrivals},
    handlers::browser::reading,
};
use browse_base::Result;
use browse_engine::{DiffBase, Snapshot, SnapshotLine, SnapshotOptions};

/// Answers the elements of the page, or what changed among them.
pub async fn snapshot(
    cx: &CallContext,
    request: v1::SnapshotRequest,
) -> Result<v1::SnapshotResponse> {
    let options = SnapshotOptions {
        interactive: request.interactive,
        compact: request.compact,
        depth: request.depth,
        scope: reading::parse_optional_target(request.scope.as_deref())?,
        cursor: request.cursor,
        max_tokens: request.max_tokens,
        details: request.nodes,
        visible_only: cx.filters_hidden_text(),
    };
    let tab = cx.tab();
    let (Snapshot { text, nodes, hidden_parts: unseen, .. }, since) = if request.diff {
        let (snapshot, since) = tab.engine().diff(&options).await?;
        (snapshot, Some(since))
    } else {
        (tab.engine().snapshot(&options).await?, None)
    };
    reading::set_sources_of_all_frames(cx);
    cx.add_hidden_counts(&unseen);
    if let Some(since) = since {
        cx.add_notice(&diff_heading(since, text.is_empty()));
    }
    if text.is_empty() && !matches!(since, Some(DiffBase::Earlier(_))) {
        cx.add_notice(empty_reason(&request));
    }
    Ok(v1::SnapshotResponse {
        tree: text,
        nodes: nodes.into_iter().filter(|_| request.nodes).map(node).collect(),
        suggested_skills: arrivals::suggestions_for(cx, tab),
    })
}

/// What a difference begins with, in words.
fn diff_heading(since: DiffBase, is_empty: bool) -> String {
    match since {
        DiffBase::NoEarlier => "the first snapshot of this kind: all of it".to_owned(),
        DiffBase::OtherDocument(ago) => {
            format!("the snapshot {} ago was of another document: all of this one", format_ago(ago))
        }
        DiffBase::Earlier(ago) if is_empty => {
            format!("nothing changed since the snapshot {} ago", format_ago(ago))
        }
        DiffBase::Earlier(ago) => format!("since the snapshot {} ago", format_ago(ago)),
    }
}

/// `4 s`, or `3 min` from two minutes on.
fn format_ago(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds / 60),
    }
}

/// Why a tree is empty.
fn empty_reason(request: &v1::SnapshotRequest) -> &'static str {
    match request.depth {
        Some(0) => "a depth of 0 leaves nothing: `-d 1` shows the topmost elements",
        _ if request.interactive => {
            "no controls found; what only a script knows to take clicks is in `browse snapshot`"
        }
        _ => "nothing shows there",
    }
}

fn node(node: SnapshotLine) -> v1::SnapshotNode {
    v1::SnapshotNode {
        r#ref: node.reference.map(|reference| reference.to_string()).unwrap_or_default(),
        role: node.role,
        name: node.name,
        description: node.description,
        states: node.states,
        value: node.value,
        frame: node.frame,
        depth: node.depth,
        r#box: node.bounds.map(super::super::bounds::to_box),
        context: node.context.text,
        ordinal: node.context.ordinal,
        message: node.message,
        hint: node.hint,
        summary: node.summary,
    }
}
