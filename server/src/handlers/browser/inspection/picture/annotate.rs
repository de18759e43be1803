//! The page with the box and the name of each ref.

use std::collections::HashSet;

use browse_proto::v1;

use super::capture::{self, PictureView};
use crate::{dispatch::CallContext, handlers::browser::reading};
use browse_base::Result;
use browse_engine::{Color, SnapshotOptions};

/// Colours that neighbours can be distinguished by.
const COLORS: [Color; 6] = [
    Color::new(214, 39, 40),
    Color::new(31, 119, 180),
    Color::new(20, 130, 60),
    Color::new(148, 60, 189),
    Color::new(200, 90, 0),
    Color::new(0, 120, 130),
];

/// Refs that a note names.
const MAX_NAMED_REFS: usize = 8;

/// Captures the page with its refs drawn in, and answers the snapshot.
pub async fn annotate_snapshot(
    cx: &CallContext,
    request: v1::AnnotateSnapshotRequest,
) -> Result<v1::AnnotateSnapshotResponse> {
    let options = SnapshotOptions {
        interactive: request.interactive,
        compact: request.compact,
        depth: request.depth,
        scope: reading::parse_optional_target(request.scope.as_deref())?,
        cursor: request.cursor,
        max_tokens: request.max_tokens,
        details: false,
        visible_only: cx.filters_hidden_text(),
    };
    let snapshot = cx.engine().snapshot(&options).await?;
    let references: Vec<_> = snapshot.nodes.iter().filter_map(|node| node.reference).collect();
    let view = match &options.scope {
        _ if request.viewport => PictureView::Viewport,
        Some(scope) => PictureView::Element(scope),
        None => PictureView::Page,
    };
    let taken = capture::capture_with_marks(cx, &view, &references).await?;
    let drawn = capture::run_blocking(move || {
        let capture::MarkedPicture { mut canvas, marks, note } = taken;
        let mut shown = Vec::new();
        for (reference, rect) in marks {
            let color = COLORS[reference.number as usize % COLORS.len()];
            if canvas.outline(rect, color) {
                shown.push((reference, rect, color));
            }
        }
        // Labels last, so that no outline crosses them.
        for (reference, rect, color) in &shown {
            canvas.label(*rect, &reference.to_string(), *color);
        }
        let shown: Vec<_> = shown.into_iter().map(|(one, rect, _)| (one, rect)).collect();
        canvas.to_png().map(|image| (image, canvas.dimensions(), shown, note))
    });
    let (image, (width, height), shown, note) = drawn.await?;
    let seen: HashSet<_> = shown.iter().map(|(reference, _)| reference.number).collect();
    let unseen = references.iter().filter(|reference| !seen.contains(&reference.number));
    let unseen: Vec<_> = unseen.map(ToString::to_string).collect();
    Ok(v1::AnnotateSnapshotResponse {
        image,
        mime: "image/png".to_owned(),
        width,
        height,
        note: with_missing_refs(note, &unseen),
        marks: capture::mark_messages(&shown),
        tree: snapshot.text,
    })
}

/// Adds the refs that the picture does not show.
fn with_missing_refs(note: String, unseen: &[String]) -> String {
    let missing = match unseen.len() {
        0 => return note,
        count if count > MAX_NAMED_REFS => {
            format!("{} and {} more", unseen[..MAX_NAMED_REFS].join(", "), count - MAX_NAMED_REFS)
        }
        _ => unseen.join(", "),
    };
    let missing = format!("not in the picture: {missing}");
    if note.is_empty() { missing } else { format!("{note}; {missing}") }
}
