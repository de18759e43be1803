//! Finding lines of the snapshot by text.

use std::str::FromStr;

use regex::{Regex, RegexBuilder};

use crate::error::{Error, RefusalKind, Result};
use crate::page::engine::Engine;
use crate::page::hidden_parts::HiddenParts;
use crate::snapshot::options::SnapshotOptions;

/// What to look for: text without regard to case, or a `/regular expression/`.
#[derive(Debug, Clone)]
pub struct LinePattern(PatternKind);

#[derive(Debug, Clone)]
enum PatternKind {
    /// In lower case.
    Substring(String),
    Expression(Regex),
}

/// The lines that match, with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineMatches {
    /// Groups of lines; `--` stands between groups that do not touch.
    pub text: String,
    /// How many lines match.
    pub count: u32,
    /// What was left out of the snapshot because no person sees it.
    pub hidden_parts: HiddenParts,
}

impl FromStr for LinePattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.trim().is_empty() {
            let error =
                Error::refused(RefusalKind::SelectorInvalid, "there is nothing to look for");
            return Err(error.with("hint", "Give the words to look for, or `/expression/`"));
        }
        let expression = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
        let Some((source, flags)) = expression.filter(|(source, flags)| {
            !source.is_empty() && flags.bytes().all(|flag| b"imsu".contains(&flag))
        }) else {
            // No expression is made of it: a long text makes a large one, slowly.
            return Ok(Self(PatternKind::Substring(text.to_lowercase())));
        };
        let built = RegexBuilder::new(source)
            .case_insensitive(flags.contains('i'))
            .size_limit(1 << 20)
            .build();
        built.map(|regex| Self(PatternKind::Expression(regex))).map_err(|error| {
            let error = error.to_string();
            let cause = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let message = format!("`{text}` is not a regular expression: {cause}");
            Error::refused(RefusalKind::SelectorInvalid, message)
                .with("selector", text)
                .with("hint", "Fix the expression, or leave out the slashes to look for plain text")
        })
    }
}

impl LinePattern {
    fn is_match(&self, line: &str) -> bool {
        match &self.0 {
            PatternKind::Substring(words) => line.to_lowercase().contains(words.as_str()),
            PatternKind::Expression(regex) => regex.is_match(line),
        }
    }
}

impl Engine {
    /// Lines of the whole snapshot that match, with their refs; with `seen`
    /// without what no person sees.
    pub async fn find(
        &self,
        pattern: &LinePattern,
        around: usize,
        seen: bool,
    ) -> Result<LineMatches> {
        let options =
            SnapshotOptions { cursor: true, visible_only: seen, ..SnapshotOptions::default() };
        let snapshot = self.snapshot(&options).await?;
        let lines: Vec<&str> = snapshot.text.lines().collect();
        Ok(LineMatches { hidden_parts: snapshot.hidden_parts, ..search(&lines, pattern, around) })
    }
}

fn search(lines: &[&str], pattern: &LinePattern, around: usize) -> LineMatches {
    let matching: Vec<usize> =
        (0..lines.len()).filter(|index| pattern.is_match(lines[*index])).collect();
    let mut shown: Vec<&str> = Vec::new();
    let mut next = 0;
    for index in &matching {
        let start = index.saturating_sub(around).max(next);
        let end = (index + around + 1).min(lines.len());
        if start > next && !shown.is_empty() {
            shown.push("--");
        }
        shown.extend(&lines[start..end.max(start)]);
        next = end.max(next);
    }
    let count = u32::try_from(matching.len()).unwrap_or(u32::MAX);
    LineMatches { text: shown.join("\n"), count, hidden_parts: HiddenParts::new() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const LINES: [&str; 12] =
        ["a", "b", "c", "d", "Needle", "f", "g", "h", "i", "j", "k", "needle 2"];

    #[test]
    fn groups_that_touch_are_joined() {
        let pattern: LinePattern = "needle".parse().unwrap();
        let found = search(&LINES, &pattern, 3);
        assert_eq!(found.count, 2);
        assert_eq!(found.text, "b\nc\nd\nNeedle\nf\ng\nh\ni\nj\nk\nneedle 2");
    }

    #[test]
    fn expressions_respect_case() {
        let pattern: LinePattern = "/^needle/".parse().unwrap();
        assert_eq!(search(&LINES, &pattern, 3).text, "i\nj\nk\nneedle 2");
        assert!("/[/".parse::<LinePattern>().is_err());
    }
}
