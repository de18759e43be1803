//! Assertions that wait.

use std::time::Duration;

use browse_proto::{Reason, v1};
use regex::{Regex, RegexBuilder};
use tokio::time::Instant;

use crate::{
    dispatch::Context,
    engine::{Expected, Target, Verdict},
    error::{Error, Result},
};

/// The words that are states.
const STATES: [&str; 8] =
    ["visible", "hidden", "enabled", "disabled", "checked", "unchecked", "editable", "focused"];

/// Kept free before the deadline, so that the answer is ours.
const MARGIN: Duration = Duration::from_millis(50);

/// Lines, and characters of a line, that a failure shows of the page.
const MOST_LINES: usize = 8;
const MOST_CHARACTERS: usize = 120;

/// Waits until an element is what it is expected to be.
pub async fn expect(cx: &Context, request: v1::ExpectRequest) -> Result<v1::ExpectResponse> {
    let begun = Instant::now();
    let target: Target = request.target.parse()?;
    let wanted = Wanted::new(&request)?;
    let test = |text: &str| wanted.is_in(text);
    let expected = match &wanted {
        Wanted::State(word) => Expected::State(word),
        _ => Expected::Text(&test),
    };
    let deadline = cx.deadline() - MARGIN;
    match cx.engine().expect(&target, &expected, deadline).await? {
        Verdict::Holds => {
            let waited = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
            let summary = format!("`{target}` {} after {waited} ms", wanted.holds());
            Ok(v1::ExpectResponse { summary, waited_ms: waited })
        }
        Verdict::Fails(actual) => {
            let empty = if actual.trim().is_empty() { ": it is empty" } else { "" };
            let expected = marked('-', &request.expected);
            let message = format!("`{target}` {}{empty}\n{expected}", wanted.fails());
            let error = Error::new(Reason::AssertionFailed, message)
                .with("expected", clip(&tidy(&request.expected), 80));
            let lines = actual.lines().filter(|line| !line.trim().is_empty());
            Err(lines.fold(error, |error, line| error.quoting("found", line)))
        }
    }
}

enum Wanted {
    State(&'static str),
    Part(String),
    Whole(String),
    Pattern(Regex),
}

impl Wanted {
    fn new(request: &v1::ExpectRequest) -> Result<Self> {
        let word = request.expected.as_str();
        let state = STATES.iter().find(|state| **state == word);
        if let Some(state) = state.filter(|_| !request.text && !request.exact) {
            return Ok(Self::State(state));
        }
        if let Some(pattern) = pattern(word)? {
            return Ok(Self::Pattern(pattern));
        }
        match request.exact {
            true => Ok(Self::Whole(tidy(word))),
            false if word.trim().is_empty() => {
                let message = "every text contains the empty one; add `--exact` to expect no text";
                Err(argument(message.to_owned()))
            }
            false => Ok(Self::Part(tidy(word))),
        }
    }

    /// Blanks and line ends count as one blank.
    fn is_in(&self, text: &str) -> bool {
        match self {
            Self::State(_) => false,
            Self::Part(part) => tidy(text).contains(part),
            Self::Whole(whole) => tidy(text) == *whole,
            Self::Pattern(pattern) => pattern.is_match(text),
        }
    }

    fn holds(&self) -> &str {
        match self {
            Self::State(state) => state,
            Self::Part(_) => "contains the text",
            Self::Whole(_) => "has the text",
            Self::Pattern(_) => "matches",
        }
    }

    fn fails(&self) -> String {
        match self {
            Self::State(state) => format!("is not {state}"),
            Self::Part(_) => "does not contain the text".to_owned(),
            Self::Whole(_) => "has another text".to_owned(),
            Self::Pattern(_) => "does not match".to_owned(),
        }
    }
}

/// `/expression/` with the flags i, m and s.
fn pattern(word: &str) -> Result<Option<Regex>> {
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
        argument(format!("`{word}` is no regular expression: {cause}"))
    })
}

/// A few lines of what was expected or of what is there. The marks in front
/// keep a page from writing lines that look like ours.
fn marked(mark: char, text: &str) -> String {
    let lines: Vec<_> = text.lines().map(tidy).filter(|line| !line.is_empty()).collect();
    let more = lines.len().saturating_sub(MOST_LINES);
    let shown = lines.iter().take(MOST_LINES);
    let mut shown: Vec<_> =
        shown.map(|line| format!("  {mark} {}", clip(line, MOST_CHARACTERS))).collect();
    if lines.is_empty() {
        shown.push(format!("  {mark}"));
    }
    if more > 0 {
        shown.push(format!("  {mark} … {more} more lines"));
    }
    shown.join("\n")
}

fn tidy(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn argument(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "expect")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(expected: &str, exact: bool) -> Wanted {
        let expected = expected.to_owned();
        let request = v1::ExpectRequest { expected, exact, ..Default::default() };
        Wanted::new(&request).expect("it can be expected")
    }

    #[test]
    fn texts_are_compared_without_regard_to_blanks() {
        assert!(wanted("two  words", false).is_in("say two\nwords now"));
        assert!(!wanted("Two words", false).is_in("two words"));
        assert!(!wanted("two", true).is_in("two words"));
        assert!(wanted("", true).is_in(" \n"));
        assert!(wanted("/^W.rds/im", false).is_in("two\nwords"));
        assert!(!wanted("/^words/", false).is_in("two words"));
    }

    #[test]
    fn a_page_cannot_write_lines_of_ours() {
        let shown = marked('+', "x\nhint: run `browse stop`\n\n\ny");
        assert_eq!(shown, "  + x\n  + hint: run `browse stop`\n  + y");
        assert_eq!(marked('+', ""), "  +");
        assert_eq!(marked('+', &"l\n".repeat(20)).lines().count(), MOST_LINES + 1);
    }
}
