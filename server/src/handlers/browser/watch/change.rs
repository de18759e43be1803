//! What changed between two looks, in a few lines.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::snapshot::WatchSnapshot;

/// Lines reported each kind.
const MAX_DIFF_LINES: usize = 20;

/// Characters of a line.
const MAX_LINE_CHARS: usize = 160;

/// Time that a comparison may take; a coarser one is reported then.
const DIFF_TIMEOUT: Duration = Duration::from_millis(200);

/// A change, as it is reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageChange {
    pub summary: String,
    pub url: Option<String>,
    pub title: Option<String>,
    pub diff: String,
    pub added: u32,
    pub removed: u32,
}

impl From<&str> for PageChange {
    fn from(summary: &str) -> Self {
        Self { summary: summary.to_owned(), ..Self::default() }
    }
}

/// What there is when a watch begins.
pub fn initial_state(now: &WatchSnapshot) -> PageChange {
    let lines = now.lines.lines().count();
    let mut summary = format!("watching {}", now.url);
    if !now.title.is_empty() {
        summary.push_str(&format!(" \"{}\"", now.title));
    }
    match now.read_failure {
        Some(trouble) => summary.push_str(&format!("; {trouble}")),
        None => summary.push_str(&format!(", {lines} {}", line_noun(lines))),
    }
    let (url, title) = (Some(now.url.clone()), Some(now.title.clone()));
    PageChange { summary, url, title, ..PageChange::default() }
}

/// What changed; none when nothing did.
pub fn detect_change(before: &WatchSnapshot, now: &WatchSnapshot) -> Option<PageChange> {
    if before == now {
        return None;
    }
    let url = (before.url != now.url).then(|| now.url.clone());
    let title = (before.title != now.title).then(|| now.title.clone());
    let (diff, added, removed) = diff_lines(&before.lines, &now.lines);
    let mut parts = Vec::new();
    parts.extend(url.as_ref().map(|url| format!("now at {url}")));
    parts.extend(title.as_ref().map(|title| format!("title \"{title}\"")));
    if added + removed > 0 {
        parts.push(format!("{added} {} came, {removed} went", line_noun(added as usize)));
    }
    match (before.read_failure, now.read_failure) {
        (before, Some(trouble)) if before != now.read_failure => parts.push(trouble.to_owned()),
        (Some(_), None) => parts.push("the page answers again".to_owned()),
        _ => {}
    }
    (!parts.is_empty()).then(|| PageChange {
        summary: parts.join("; "),
        url,
        title,
        diff,
        added,
        removed,
    })
}

/// Lines that came and went, at most twenty of each, and how many in all.
fn diff_lines(before: &str, now: &str) -> (String, u32, u32) {
    if before == now {
        return (String::new(), 0, 0);
    }
    // Without an end the last line would differ from one in the middle.
    let (before, now) = (format!("{before}\n"), format!("{now}\n"));
    let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(&before, &now);
    let (mut lines, mut added, mut removed) = (Vec::new(), 0, 0);
    let filled = |change: &similar::Change<&str>| !change.value().trim().is_empty();
    for change in diff.iter_all_changes().filter(filled) {
        let (count, sign) = match change.tag() {
            ChangeTag::Equal => continue,
            ChangeTag::Insert => (&mut added, '+'),
            ChangeTag::Delete => (&mut removed, '-'),
        };
        *count += 1;
        if *count as usize <= MAX_DIFF_LINES {
            lines.push(format!("{sign} {}", truncate(change.value().trim())));
        }
    }
    let reported = lines.len() as u32;
    if added + removed > reported {
        lines.push(format!("… {} more", added + removed - reported));
    }
    (lines.join("\n"), added, removed)
}

fn line_noun(count: usize) -> &'static str {
    if count == 1 { "line" } else { "lines" }
}

fn truncate(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{WatchSnapshot, detect_change, initial_state};

    fn look(url: &str, lines: &str) -> WatchSnapshot {
        WatchSnapshot {
            url: url.into(),
            title: "T".into(),
            lines: lines.into(),
            read_failure: None,
        }
    }

    #[test]
    fn what_changed_is_told_in_a_line_and_a_diff() {
        let before = look("http://a/", "- heading \"A\"\n- link \"x\"");
        assert_eq!(detect_change(&before, &before), None);
        let change = detect_change(&before, &look("http://b/", "- heading \"B\"\n- link \"x\""));
        let change = change.expect("a change");
        assert_eq!(change.summary, "now at http://b/; 1 line came, 1 went");
        assert_eq!(change.diff, "- - heading \"A\"\n+ - heading \"B\"");
        assert_eq!(initial_state(&before).summary, "watching http://a/ \"T\", 2 lines");
    }

    #[test]
    fn a_line_that_stays_is_not_told_because_another_follows_it() {
        let change =
            detect_change(&look("http://a/", "x"), &look("http://a/", "x\ny")).expect("one");
        assert_eq!((change.diff.as_str(), change.added, change.removed), ("+ y", 1, 0));
    }

    #[test]
    fn a_page_that_changes_much_is_told_in_few_lines() {
        let many = |word: &str| (0..5000).map(|n| format!("{word} {n}\n")).collect::<String>();
        let long = format!("{}\n", "y".repeat(10_000));
        let before = look("http://a/", &many("old"));
        let change =
            detect_change(&before, &look("http://a/", &(long + &many("new")))).expect("one");
        assert_eq!((change.added, change.removed), (5001, 5000));
        assert!(change.diff.lines().count() <= 41, "{}", change.diff.lines().count());
        assert!(change.diff.len() < 8_000 && change.diff.ends_with("… 9961 more"));
    }

    #[test]
    fn trouble_is_told_once() {
        let fine = look("http://a/", "x");
        let hung = WatchSnapshot { read_failure: Some("the page does not answer"), ..fine.clone() };
        let reported = |before: &WatchSnapshot, now: &WatchSnapshot| {
            detect_change(before, now).map(|change| change.summary)
        };
        assert_eq!(reported(&fine, &hung).as_deref(), Some("the page does not answer"));
        assert_eq!(reported(&hung, &hung), None);
        assert_eq!(reported(&hung, &fine).as_deref(), Some("the page answers again"));
    }
}
