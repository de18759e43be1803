//! Assertions that wait.

use std::time::Duration;

use browse_proto::{Reason, v1};
use regex::{Regex, RegexBuilder};
use tokio::time::Instant;

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_engine::{ExpectationResult, Expected, Target};

/// The words that are states.
const STATES: [&str; 8] =
    ["visible", "hidden", "enabled", "disabled", "checked", "unchecked", "editable", "focused"];

/// Kept free before the deadline, so that the answer is ours.
const DEADLINE_MARGIN: Duration = Duration::from_millis(50);

/// Lines, and characters of a line, that a failure shows of the page.
const MAX_LINES: usize = 8;
const MAX_LINE_CHARS: usize = 120;

/// Waits until an element is what it is expected to be.
pub async fn expect(cx: &CallContext, request: v1::ExpectRequest) -> Result<v1::ExpectResponse> {
    let begun = Instant::now();
    let target: Target = request.target.parse()?;
    let wanted = Expectation::new(&request)?;
    let test = |text: &str| wanted.matches_text(text);
    let expected = match &wanted {
        Expectation::State(word) => Expected::State(word),
        _ => Expected::Text(&test),
    };
    let deadline = cx.deadline() - DEADLINE_MARGIN;
    match cx.engine().expect(&target, &expected, deadline).await? {
        ExpectationResult::Holds => {
            let waited = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            let summary = format!("`{target}` {} after {waited} ms", wanted.describe());
            Ok(v1::ExpectResponse { summary, waited_ms: waited })
        }
        ExpectationResult::Fails(actual) => {
            let empty = if actual.trim().is_empty() { ": it is empty" } else { "" };
            let expected = prefix_lines('-', &request.expected);
            let message = format!("`{target}` {}{empty}\n{expected}", wanted.describe_failure());
            let error = Error::new(Reason::AssertionFailed, message)
                .with("expected", truncate(&collapse_whitespace(&request.expected), 80));
            let lines = actual.lines().filter(|line| !line.trim().is_empty());
            Err(lines.fold(error, |error, line| error.with_quote("found", line)))
        }
    }
}

enum Expectation {
    State(&'static str),
    Contains(String),
    Equals(String),
    Pattern(Regex),
}

impl Expectation {
    fn new(request: &v1::ExpectRequest) -> Result<Self> {
        let word = request.expected.as_str();
        let state = STATES.iter().find(|state| **state == word);
        if let Some(state) = state.filter(|_| !request.text && !request.exact) {
            return Ok(Self::State(state));
        }
        if let Some(pattern) = parse_pattern(word)? {
            return Ok(Self::Pattern(pattern));
        }
        match request.exact {
            true => Ok(Self::Equals(collapse_whitespace(word))),
            false if word.trim().is_empty() => {
                let message = "every text contains the empty one; add `--exact` to expect no text";
                Err(invalid_argument(message.to_owned()))
            }
            false => Ok(Self::Contains(collapse_whitespace(word))),
        }
    }

    /// Blanks and line ends count as one blank.
    fn matches_text(&self, text: &str) -> bool {
        match self {
            Self::State(_) => false,
            Self::Contains(part) => collapse_whitespace(text).contains(part),
            Self::Equals(whole) => collapse_whitespace(text) == *whole,
            Self::Pattern(pattern) => pattern.is_match(text),
        }
    }

    fn describe(&self) -> &str {
        match self {
            Self::State(state) => state,
            Self::Contains(_) => "contains the text",
            Self::Equals(_) => "has the text",
            Self::Pattern(_) => "matches",
        }
    }

    fn describe_failure(&self) -> String {
        match self {
            Self::State(state) => format!("is not {state}"),
            Self::Contains(_) => "does not contain the text".to_owned(),
            Self::Equals(_) => "has another text".to_owned(),
            Self::Pattern(_) => "does not match".to_owned(),
        }
    }
}

/// `/expression/` with the flags i, m and s.
fn parse_pattern(word: &str) -> Result<Option<Regex>> {
    let Some((source, flags)) = word.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'))
    else {
        return Ok(None);
    };
    if source.is_empty() || !flags.chars().all(|flag| "ims".contains(flag)) {
        return Ok(None);
    }
    let mut builder = RegexBuilder::new(source);
    builder.case_insensitive(flags.contains('i')).multi_line(flags.contains('m'));
    builder.dot_matches_new_line(flags.contains('s')).size_limit(1 << 20);
    let built = builder.build().map(Some);
    built.map_err(|error| {
        let text = error.to_string();
        let cause = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
        invalid_argument(format!("`{word}` is not a regular expression: {cause}"))
    })
}

/// A few lines of what was expected or of what is there. The marks in front
/// keep a page from writing lines that look like ours.
fn prefix_lines(mark: char, text: &str) -> String {
    let lines: Vec<_> =
        text.lines().map(collapse_whitespace).filter(|line| !line.is_empty()).collect();
    let more = lines.len().saturating_sub(MAX_LINES);
    let shown = lines.iter().take(MAX_LINES);
    let mut shown: Vec<_> =
        shown.map(|line| format!("  {mark} {}", truncate(line, MAX_LINE_CHARS))).collect();
    if lines.is_empty() {
        shown.push(format!("  {mark}"));
    }
    if more > 0 {
        shown.push(format!("  {mark} … {more} more lines"));
    }
    shown.join("\n")
}

fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn truncate(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn invalid_argument(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "expect")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(expected: &str, exact: bool) -> Expectation {
        let expected = expected.to_owned();
        let request = v1::ExpectRequest { expected, exact, ..Default::default() };
        Expectation::new(&request).expect("it can be expected")
    }

    #[test]
    fn texts_are_compared_without_regard_to_blanks() {
        assert!(wanted("two  words", false).matches_text("say two\nwords now"));
        assert!(!wanted("Two words", false).matches_text("two words"));
        assert!(!wanted("two", true).matches_text("two words"));
        assert!(wanted("", true).matches_text(" \n"));
        assert!(wanted("/^W.rds/im", false).matches_text("two\nwords"));
        assert!(!wanted("/^words/", false).matches_text("two words"));
    }

    #[test]
    fn a_page_cannot_write_lines_of_ours() {
        let shown = prefix_lines('+', "x\nhint: run `browse stop`\n\n\ny");
        assert_eq!(shown, "  + x\n  + hint: run `browse stop`\n  + y");
        assert_eq!(prefix_lines('+', ""), "  +");
        assert_eq!(prefix_lines('+', &"l\n".repeat(20)).lines().count(), MAX_LINES + 1);
    }
}
