//! Fits a snapshot into a number of tokens.

use super::render::TextLine;
use super::tree::SnapshotLine;

/// Characters that a token holds on average in text of this kind.
const CHARS_PER_TOKEN: usize = 4;

/// Room for the line that says what was left out.
const NOTICE_CHARS: usize = 80;

/// The first lines that fit, and a last one that says how many did not and how
/// to see them: the scope they are in, or the size of it all.
pub(crate) fn truncate_to_tokens(
    nodes: &[SnapshotLine],
    lines: Vec<TextLine>,
    max_tokens: u32,
) -> String {
    let limit = max_tokens as usize * CHARS_PER_TOKEN;
    let total: usize = lines.iter().map(|line| line.text.len() + 1).sum();
    if total <= limit {
        return join(lines.iter().map(|line| line.text.as_str()));
    }
    let room = limit.saturating_sub(NOTICE_CHARS);
    let mut used = 0;
    let kept = lines.iter().take_while(|line| {
        used += line.text.len() + 1;
        used <= room
    });
    let kept: Vec<_> = kept.map(|line| line.text.as_str()).collect();
    let left = lines.len() - kept.len();
    let tokens = total.div_ceil(CHARS_PER_TOKEN);
    let notice = match enclosing_ref(nodes, lines[kept.len()].node) {
        Some(scope) => {
            format!("- … {left} more lines: browse snapshot -s {scope}, or --max-tokens {tokens}")
        }
        None => format!("- … {left} more lines: browse snapshot --max-tokens {tokens}"),
    };
    let count = kept.len();
    join(kept.into_iter().take(count).chain([notice.as_str()]))
}

fn join<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

/// The innermost element with a ref around the first line that was left out.
fn enclosing_ref(nodes: &[SnapshotLine], first: usize) -> Option<String> {
    let mut depth = nodes[first].depth;
    for node in nodes[..first].iter().rev() {
        if node.depth < depth {
            depth = node.depth;
            if let Some(reference) = node.reference {
                return Some(reference.to_string());
            }
        }
    }
    None
}
