//! The tree of the page, with a ref for each element.

use browse_proto::v1;

use crate::{
    browser::{navigation, reading},
    dispatch::Context,
    engine::{Node, Snapshot, SnapshotOptions},
    error::Result,
};

/// Answers the elements of the page, or what changed among them.
pub async fn snapshot(cx: &Context, request: v1::SnapshotRequest) -> Result<v1::SnapshotResponse> {
    let options = SnapshotOptions {
        interactive: request.interactive,
        compact: request.compact,
        depth: request.depth,
        scope: reading::optional(request.scope.as_deref())?,
        cursor: request.cursor,
        max_tokens: request.max_tokens,
        details: request.nodes,
        seen: cx.hides(),
    };
    let tab = cx.tab();
    let Snapshot { text, nodes, url, unseen, .. } = if request.diff {
        tab.engine().diff(&options).await?
    } else {
        tab.engine().snapshot(&options).await?
    };
    reading::from_all_frames(cx);
    cx.note_unseen(&unseen);
    if text.is_empty() {
        cx.say(if request.diff { "nothing changed" } else { nothing(&request) });
    }
    Ok(v1::SnapshotResponse {
        tree: text,
        nodes: nodes.into_iter().filter(|_| request.nodes).map(node).collect(),
        suggested_skills: navigation::suggest(cx, &url),
    })
}

/// Why a tree is empty.
fn nothing(request: &v1::SnapshotRequest) -> &'static str {
    match request.depth {
        Some(0) => "a depth of 0 leaves nothing: `-d 1` shows the topmost elements",
        _ if request.interactive => {
            "no controls found; what only a script knows to take clicks is in `browse snapshot`"
        }
        _ => "nothing shows there",
    }
}

fn node(node: Node) -> v1::SnapshotNode {
    v1::SnapshotNode {
        r#ref: node.reference.map(|reference| reference.to_string()).unwrap_or_default(),
        role: node.role,
        name: node.name,
        description: node.description,
        states: node.states,
        value: node.value,
        frame: node.frame,
        depth: node.depth,
        r#box: node.bounds.map(super::element::rectangle),
        context: node.context.text,
        ordinal: node.context.ordinal,
        message: node.message,
        hint: node.hint,
        summary: node.summary,
    }
}
