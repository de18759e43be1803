//! What changed in a skill since it was trusted, as a person reads it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use browse_proto::v1::{SkillFileChange, SkillFileDiff};
use similar::TextDiff;

use super::{
    skill_content::{SkillFileContent, SkillFileText},
    visible_text::visible_name,
};

/// Bytes of the hunks of all files.
const MAX_HUNK_BYTES: usize = 1 << 20;

/// The files of a skill that differ.
#[derive(Debug, Default)]
pub struct SkillDiff {
    /// A line for each file, and its hunks.
    pub text: String,
    /// The files, by path.
    pub files: Vec<SkillFileDiff>,
    /// Lines of the text.
    line_count: usize,
    /// Bytes of the hunks in it.
    hunk_bytes: usize,
}

impl SkillDiff {
    /// Compares the files `now` with those `before`. After the deadline the difference may
    /// be larger than it needs to be.
    pub fn between(
        before: &[SkillFileContent],
        now: &[SkillFileContent],
        deadline: Instant,
    ) -> Self {
        let (before, now) = (by_path(before), by_path(now));
        let paths: BTreeSet<&str> = before.keys().chain(now.keys()).copied().collect();
        let mut diff = Self::default();
        for path in paths {
            let pair = FilePair { before: before.get(path).copied(), now: now.get(path).copied() };
            if !pair.is_same() {
                diff.add(path, &pair, deadline);
            }
        }
        diff
    }

    fn add(&mut self, path: &str, pair: &FilePair, deadline: Instant) {
        let (path, change) = (visible_name(path), pair.change());
        let room = MAX_HUNK_BYTES - self.hunk_bytes;
        let hunks = pair.hunks(deadline).and_then(|hunks| match hunks.len() > room {
            true => Err("more than the 1 MiB of differences that are shown"),
            false => Ok(hunks),
        });
        let (mut notes, is_binary) = (Vec::new(), hunks.is_err());
        notes.extend(pair.mode_note().map(str::to_owned));
        let hunks = hunks.unwrap_or_else(|reason| {
            notes.push(format!("{reason}: {}", pair.sizes()));
            String::new()
        });
        if hunks.is_empty() && !is_binary && !pair.has_same_bytes() {
            notes.push(match change {
                SkillFileChange::Changed => {
                    format!("its bytes differ where its lines look the same: {}", pair.sizes())
                }
                _ => "empty".to_owned(),
            });
        }
        let note = notes.join("; ");
        let word = word(change);
        self.push(&match note.is_empty() {
            true => format!("{word} {path}\n"),
            false => format!("{word} {path}: {note}\n"),
        });
        let mut line = 0;
        if !hunks.is_empty() {
            let name = |side: &str, is_there: bool| match is_there {
                true => format!("{side}/{path}"),
                false => "/dev/null".to_owned(),
            };
            let before = name("trusted", pair.before.is_some());
            let now = name("current", pair.now.is_some());
            self.push(&format!("--- {before}\n+++ {now}\n"));
            line = self.line_count + 1;
            self.push(&hunks);
        }
        self.hunk_bytes += hunks.len();
        self.files.push(SkillFileDiff {
            path,
            change: change.into(),
            binary: is_binary,
            note,
            line: to_u32(line),
            lines: to_u32(count_lines(&hunks)),
        });
    }

    fn push(&mut self, lines: &str) {
        self.line_count += count_lines(lines);
        self.text.push_str(lines);
    }
}

/// A file before and now.
struct FilePair<'a> {
    before: Option<&'a SkillFileContent>,
    now: Option<&'a SkillFileContent>,
}

impl FilePair<'_> {
    fn is_same(&self) -> bool {
        let is_executable =
            |file: Option<&SkillFileContent>| file.is_some_and(|file| file.executable);
        self.has_same_bytes() && is_executable(self.before) == is_executable(self.now)
    }

    fn has_same_bytes(&self) -> bool {
        match (self.before, self.now) {
            (Some(before), Some(now)) => before.sha256 == now.sha256,
            _ => false,
        }
    }

    fn change(&self) -> SkillFileChange {
        match (self.before, self.now) {
            (None, _) => SkillFileChange::Added,
            (_, None) => SkillFileChange::Removed,
            _ => SkillFileChange::Changed,
        }
    }

    /// The hunks of a unified diff, or why the lines cannot be shown.
    fn hunks(&self, deadline: Instant) -> Result<String, &'static str> {
        if self.has_same_bytes() {
            return Ok(String::new());
        }
        let (now, before) = (lines(self.now)?, lines(self.before)?);
        let diff = TextDiff::configure().deadline(deadline).diff_lines(before, now);
        let hunks = diff.unified_diff().to_string();
        Ok(hunks)
    }

    fn mode_note(&self) -> Option<&'static str> {
        let before = self.before.is_some_and(|file| file.executable);
        match (before, self.now.map(|file| file.executable)) {
            (false, Some(true)) => Some("executable"),
            (true, Some(false)) => Some("not executable any more"),
            _ => None,
        }
    }

    fn sizes(&self) -> String {
        let describe =
            |file: &SkillFileContent| format!("{} bytes, SHA-256 {}", file.bytes, file.sha256);
        match (self.before, self.now) {
            (Some(before), Some(now)) => format!("{}; it was {}", describe(now), describe(before)),
            (file, None) | (None, file) => file.map(describe).unwrap_or_default(),
        }
    }
}

/// The lines of a file, which are none when it is not there, or why they are not known.
fn lines(file: Option<&SkillFileContent>) -> Result<&str, &'static str> {
    match file.map(|file| &file.text) {
        None => Ok(""),
        Some(SkillFileText::Lines(text)) => Ok(text),
        Some(SkillFileText::Binary) => Err("not text"),
        Some(SkillFileText::TooLarge) => Err("larger than 512 KiB"),
        Some(SkillFileText::OverLimit) => Err("more than the 4 MiB of text that are compared"),
    }
}

fn by_path(files: &[SkillFileContent]) -> BTreeMap<&str, &SkillFileContent> {
    files.iter().map(|file| (file.path.as_str(), file)).collect()
}

fn word(change: SkillFileChange) -> &'static str {
    match change {
        SkillFileChange::Added => "added",
        SkillFileChange::Removed => "removed",
        SkillFileChange::Changed | SkillFileChange::Unspecified => "changed",
    }
}

fn count_lines(text: &str) -> usize {
    text.matches('\n').count()
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{SkillDiff, SkillFileChange, SkillFileContent, SkillFileText};

    fn file(path: &str, text: SkillFileText) -> SkillFileContent {
        let sha256 = format!("{text:?}").len().to_string();
        SkillFileContent { path: path.to_owned(), executable: false, bytes: 4, sha256, text }
    }

    fn lines(path: &str, text: &str) -> SkillFileContent {
        file(path, SkillFileText::Lines(text.to_owned()))
    }

    fn diff(before: &[SkillFileContent], now: &[SkillFileContent]) -> SkillDiff {
        SkillDiff::between(before, now, Instant::now() + Duration::from_secs(5))
    }

    #[test]
    fn each_file_that_differs_has_its_lines() {
        let before = [lines("a", "one\ntwo\n"), lines("b", "same\n"), lines("gone", "x")];
        let now = [lines("a", "one\nthree\n"), lines("b", "same\n"), lines("new\n/c", "y\n")];
        let diff = diff(&before, &now);
        let expected = "changed a\n--- trusted/a\n+++ current/a\n@@ -1,2 +1,2 @@\n one\n-two\n\
            +three\nremoved gone\n--- trusted/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
            \\ No newline at end of file\nadded new\\n/c\n--- /dev/null\n+++ current/new\\n/c\n\
            @@ -0,0 +1 @@\n+y\n";
        assert_eq!(diff.text, expected);
        let all: Vec<_> = diff.text.lines().collect();
        let parts: Vec<_> = diff
            .files
            .iter()
            .map(|file| {
                let begin = file.line as usize - 1;
                (file.path.as_str(), file.change(), &all[begin..begin + file.lines as usize])
            })
            .collect();
        assert_eq!(
            parts,
            [
                ("a", SkillFileChange::Changed, &["@@ -1,2 +1,2 @@", " one", "-two", "+three"][..]),
                (
                    "gone",
                    SkillFileChange::Removed,
                    &["@@ -1 +0,0 @@", "-x", "\\ No newline at end of file"][..]
                ),
                ("new\\n/c", SkillFileChange::Added, &["@@ -0,0 +1 @@", "+y"][..]),
            ]
        );
    }

    #[test]
    fn what_has_no_lines_has_a_note() {
        let runs = SkillFileContent { executable: true, ..lines("run", "x\n") };
        let before = [lines("run", "x\n"), file("image", SkillFileText::Binary)];
        let now = [runs, file("image", SkillFileText::TooLarge), lines("none", "")];
        let diff = diff(&before, &now);
        assert_eq!(
            diff.text,
            "changed image: larger than 512 KiB: 4 bytes, SHA-256 8; it was 4 bytes, SHA-256 6\n\
             added none: empty\nchanged run: executable\n"
        );
        let facts: Vec<_> =
            diff.files.iter().map(|file| (file.binary, file.line, file.lines)).collect();
        assert_eq!(facts, [(true, 0, 0), (false, 0, 0), (false, 0, 0)]);
    }

    #[test]
    fn escapes_do_not_hide_that_bytes_differ() {
        let other = SkillFileContent { sha256: "other".to_owned(), ..lines("a", "x\n") };
        let diff = diff(&[lines("a", "x\n")], &[other]);
        assert!(diff.text.starts_with("changed a: its bytes differ where"), "{}", diff.text);
        assert!(!diff.files[0].binary);
    }

    #[test]
    fn there_is_a_limit_to_all_lines() {
        let long = "a line of a file\n".repeat(40_000);
        let now = [lines("a", &long), lines("b", &long), lines("c", "x\n")];
        let diff = diff(&[], &now);
        let omitted: Vec<_> = diff.files.iter().map(|file| file.binary).collect();
        assert_eq!(omitted, [false, true, false]);
        assert!(diff.text.len() < (1 << 20) + 1000, "{}", diff.text.len());
        assert!(diff.files[1].note.starts_with("more than the 1 MiB"), "{}", diff.files[1].note);
    }
}
