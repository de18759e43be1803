//! Splits SKILL.md into frontmatter and prose.

const FENCE: &str = "---";

/// The YAML between the first two lines of `---`, and the prose behind them.
///
/// # Errors
/// There is no frontmatter.
pub fn split_frontmatter(text: &str) -> Result<(&str, &str), String> {
    let text = text.trim_start_matches('\u{feff}');
    let rest = after_fence(text).ok_or("does not begin with a line `---`")?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            return Ok((&rest[..at], rest[at + line.len()..].trim()));
        }
        at += line.len();
    }
    Err("has no second line `---`, which ends the frontmatter".to_owned())
}

fn after_fence(text: &str) -> Option<&str> {
    let (line, rest) = text.split_once('\n')?;
    (line.trim_end() == FENCE).then_some(rest)
}
