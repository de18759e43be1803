//! Shows what would be written: the lines that differ, and of a new guide its length.

use browse_proto::guide::mark::{self, FileOwnership};

use super::plan::{FileAction, FileChange};

/// Characters of a line that are shown.
const MAX_LINE_CHARS: usize = 160;

/// Lines that are shown of one file.
const MAX_LINES: usize = 40;

/// What is done with the file, in one word.
pub fn verb(change: &FileChange) -> &'static str {
    match (&change.action, &change.file.before) {
        (FileAction::Keep, _) => "unchanged",
        (FileAction::Leave(_), _) => "left alone",
        (FileAction::Delete, _) => "delete",
        (FileAction::Write(_), None) => "create",
        (FileAction::Write(_), Some(_)) => "update",
    }
}

/// The lines that show a change.
pub fn lines(change: &FileChange) -> Vec<String> {
    let title = format!("{} {}", verb(change), change.file.path.display());
    let before = change.file.before.as_deref().unwrap_or_default();
    match &change.action {
        FileAction::Keep => vec![title],
        FileAction::Leave(why) => vec![format!("{title}: {why}")],
        FileAction::Delete => vec![title],
        FileAction::Write(after) if mark::ownership_of(after) != FileOwnership::Foreign => {
            vec![format!("{title} ({} lines of the guide)", after.lines().count())]
        }
        FileAction::Write(after) => {
            let mut lines = vec![title];
            lines.extend(difference(before, after));
            lines
        }
    }
}

/// The lines of `before` and `after` that differ, with their place.
fn difference(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let mut at = old.iter().zip(&new).take_while(same).count();
    let rest = (old.len() - at).min(new.len() - at);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(same).count().min(rest);
    let (mut old, mut new) = (&old[at..old.len() - tail], &new[at..new.len() - tail]);
    // A comma alone would show a line that is not about us.
    if let ([first, ..], [other, ..]) = (old, new)
        && (format!("{first},") == **other || format!("{other},") == **first)
    {
        (old, new, at) = (&old[1..], &new[1..], at + 1);
    }
    let mut lines = vec![format!("  @ line {}", at + 1)];
    lines.extend(old.iter().map(|line| format!("  - {}", shown(line))));
    lines.extend(new.iter().map(|line| format!("  + {}", shown(line))));
    let more = lines.len().saturating_sub(MAX_LINES);
    if more > 0 {
        lines.truncate(MAX_LINES);
        lines.push(format!("  … {more} more lines"));
    }
    lines
}

fn shown(line: &str) -> String {
    let visible = |sign: char| if sign.is_control() && sign != '\t' { '\u{fffd}' } else { sign };
    let mut text: String = line.chars().take(MAX_LINE_CHARS).map(visible).collect();
    if line.chars().nth(MAX_LINE_CHARS).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn only_lines_that_differ_are_shown() {
        let before = "{\n  \"a\": \"secret\"\n}\n";
        let after = "{\n  \"a\": \"secret\",\n  \"b\": 1\n}\n";
        assert_eq!(difference(before, after), ["  @ line 3", "  +   \"b\": 1"]);
        assert_eq!(difference(after, before), ["  @ line 3", "  -   \"b\": 1"]);
        assert_eq!(difference("", "a\nb\n"), ["  @ line 1", "  + a", "  + b"]);
        assert_eq!(difference("a\n", "a\u{1b}[2J\n")[2], "  + a\u{fffd}[2J");
    }
}
