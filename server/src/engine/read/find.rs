//! Finding lines of the snapshot by text.

use std::str::FromStr;

use regex::{Regex, RegexBuilder};

use super::unseen::Unseen;
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::snapshot::options::SnapshotOptions;

/// What to look for: text without regard to case, or a `/regular expression/`.
#[derive(Debug, Clone)]
pub struct Pattern(Wanted);

#[derive(Debug, Clone)]
enum Wanted {
    /// In lower case.
    Words(String),
    Expression(Regex),
}

/// The lines that match, with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Groups of lines; `--` stands between groups that do not touch.
    pub text: String,
    /// How many lines match.
    pub count: u32,
    /// What was left out of the snapshot because no person sees it.
    pub unseen: Unseen,
}

impl FromStr for Pattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.trim().is_empty() {
            let error = Error::refused(Kind::SelectorInvalid, "there is nothing to look for");
            return Err(error.with("hint", "Give the words to look for, or `/expression/`"));
        }
        let expression = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
        let Some((source, flags)) = expression.filter(|(source, flags)| {
            !source.is_empty() && flags.bytes().all(|flag| b"imsu".contains(&flag))
        }) else {
            // No expression is made of it: a long text makes a large one, slowly.
            return Ok(Self(Wanted::Words(text.to_lowercase())));
        };
        let built = RegexBuilder::new(source)
            .case_insensitive(flags.contains('i'))
            .size_limit(1 << 20)
            .build();
        built.map(|regex| Self(Wanted::Expression(regex))).map_err(|error| {
            let error = error.to_string();
            let cause = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let message = format!("`{text}` is not a regular expression: {cause}");
            Error::refused(Kind::SelectorInvalid, message).with("selector", text).with(
                "hint",
                "Mend the expression, or leave out the slashes to look for plain text",
            )
        })
    }
}

impl Pattern {
    fn is_match(&self, line: &str) -> bool {
        match &self.0 {
            Wanted::Words(words) => line.to_lowercase().contains(words.as_str()),
            Wanted::Expression(regex) => regex.is_match(line),
        }
    }
}

impl Engine {
    /// Lines of the whole snapshot that match, with their refs; with `seen`
    /// without what no person sees.
    pub async fn find(&self, pattern: &Pattern, around: usize, seen: bool) -> Result<Found> {
        let options = SnapshotOptions { cursor: true, seen, ..SnapshotOptions::default() };
        let snapshot = self.snapshot(&options).await?;
        let lines: Vec<&str> = snapshot.text.lines().collect();
        Ok(Found { unseen: snapshot.unseen, ..search(&lines, pattern, around) })
    }
}

fn search(lines: &[&str], pattern: &Pattern, around: usize) -> Found {
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
    Found { text: shown.join("\n"), count, unseen: Unseen::new() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const LINES: [&str; 12] =
        ["a", "b", "c", "d", "Needle", "f", "g", "h", "i", "j", "k", "needle 2"];

    #[test]
    fn groups_that_touch_are_joined() {
        let pattern: Pattern = "needle".parse().unwrap();
        let found = search(&LINES, &pattern, 3);
        assert_eq!(found.count, 2);
        assert_eq!(found.text, "b\nc\nd\nNeedle\nf\ng\nh\ni\nj\nk\nneedle 2");
    }

    #[test]
    fn expressions_respect_case() {
        let pattern: Pattern = "/^needle/".parse().unwrap();
        assert_eq!(search(&LINES, &pattern, 3).text, "i\nj\nk\nneedle 2");
        assert!("/[/".parse::<Pattern>().is_err());
    }
}
