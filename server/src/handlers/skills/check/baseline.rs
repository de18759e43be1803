//! What a skill has that tells what its pages were like: the notes that a
//! recording left, else the fixture and the literals of its program.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use browse_proto::Command;
use regex::Regex;

use crate::skills::record::{FixtureNotes, RecordedPage, UsedTarget};

/// Largest file that is read.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// `<!-- saved from url=(0019)https://a.example/ -->`, as browsers write it.
static SAVED_FROM_COMMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"<!-- saved from url=\(\d+\)(\S+) -->").expect("it is a regular expression")
});

/// `goto("https://a.example/")`.
static GOTO_URL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\bgoto\(\s*["'](https?://[^"'\\\s]+)["']"#).expect("it is a regular expression")
});

/// Readings of one element.
const ELEMENT_READS: &[&str] = &["text", "html", "markdown", "attrs"];

/// `.click("#go")`.
static TARGET_CALL: LazyLock<Regex> = LazyLock::new(|| {
    let methods = commands_with_targets().flat_map(sdk_method_names).collect::<Vec<_>>().join("|");
    let quoted = r#"(?:"([^"\\]+)"|'([^'\\]+)')"#;
    Regex::new(&format!(r"\.({methods})\(\s*{quoted}")).expect("it is a regular expression")
});

/// The commands whose targets a program names.
fn commands_with_targets() -> impl Iterator<Item = &'static Command> {
    let is_named =
        |command: &&Command| command.acts_on_element() || ELEMENT_READS.contains(&command.name);
    Command::all().iter().filter(is_named)
}

/// What the SDKs call a command: `double_click` and `doubleClick`.
fn sdk_method_names(command: &Command) -> [String; 2] {
    let mut words = command.function.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(1);
        camel.push_str(&first.to_uppercase());
        camel.push_str(rest);
    }
    [command.function.to_owned(), camel]
}

/// What there is to compare with.
pub struct Baseline {
    /// The page that was kept.
    pub fixture: Option<String>,
    /// The pages; the last is that of the fixture.
    pub pages: Vec<RecordedPage>,
}

impl Baseline {
    /// Reads the material of the skill in `folder`.
    ///
    /// # Errors
    /// What is wrong with a file, in a few words.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let page = newest_fixture(&folder.join("fixtures"));
        let fixture = page.as_deref().map(read_file).transpose()?;
        let notes = page.map(|page| page.with_extension("json")).filter(|notes| notes.is_file());
        if let Some(notes) = notes {
            let text = read_file(&notes)?;
            let notes: Result<FixtureNotes, _> = serde_json::from_str(&text);
            if let Ok(notes) = notes {
                return Ok(Self { fixture, pages: notes.pages });
            }
        }
        let program = program_source(folder);
        let address = |html: &String| {
            Some(SAVED_FROM_COMMENT.captures(&html[..html.len().min(2048)])?[1].to_owned())
        };
        let url = fixture.as_ref().and_then(address);
        let url = url.or_else(|| Some(GOTO_URL.captures(&program)?[1].to_owned()));
        let page = |url| RecordedPage {
            url,
            reachable: true,
            targets: used_targets(&program),
            reads: Vec::new(),
        };
        Ok(Self { fixture, pages: url.map(page).into_iter().collect() })
    }
}

/// The selectors that a program names.
fn used_targets(program: &str) -> Vec<UsedTarget> {
    let mut all: Vec<UsedTarget> = Vec::new();
    for call in TARGET_CALL.captures_iter(program) {
        let target = call.get(2).or(call.get(3)).map_or("", |found| found.as_str());
        let command = commands_with_targets()
            .find(|command| sdk_method_names(command).iter().any(|name| *name == call[1]));
        let command = command.map_or("", |command| command.name).to_owned();
        let used = UsedTarget { command, target: target.to_owned(), ..UsedTarget::default() };
        if !all.contains(&used) {
            all.push(used);
        }
    }
    all
}

/// The newest page: names end with their day.
fn newest_fixture(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut pages: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "html"))
        .collect();
    let day = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        stem.chars().rev().take(10).collect::<Vec<_>>().into_iter().rev().collect::<String>()
    };
    pages.sort_by_key(|path| (day(path), path.clone()));
    pages.pop()
}

/// The source of the program, without its tests and the SDK.
fn program_source(folder: &Path) -> String {
    let files = |folder: PathBuf| {
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
    };
    let mut sources: Vec<_> = files(folder.to_owned()).chain(files(folder.join("src"))).collect();
    sources.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_source = [".ts", ".py", ".rs"].iter().any(|end| name.ends_with(end));
        is_source && !name.contains("test")
    });
    sources.sort();
    sources.iter().filter_map(|path| read_file(path).ok()).collect::<Vec<_>>().join("\n")
}

fn read_file(path: &Path) -> Result<String, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // A link could lead anywhere.
    let found = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
    match found.map(|found| found.len()) {
        None => return Err(format!("`{name}` is not a file")),
        Some(length) if length > MAX_FILE_BYTES => {
            return Err(format!("`{name}` is larger than 8 MiB"));
        }
        Some(_) => {}
    }
    std::fs::read_to_string(path).map_err(|error| format!("`{name}` cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_by_hand_tells_its_address_and_selectors() {
        let root = tempfile::tempdir().expect("a folder");
        let source = "await browse.goto('https://a.example/x', {});\nbrowse.click(\"#go\");\n\
            browse.text('main'); browse.text('main'); browse.click(`${x}`);";
        std::fs::write(root.path().join("script.ts"), source).expect("written");
        std::fs::write(root.path().join("script.test.ts"), "browse.click('#no')").expect("written");
        let pages = Baseline::read(root.path()).expect("it reads").pages;
        assert_eq!(pages[0].url, "https://a.example/x");
        let targets: Vec<_> = pages[0].targets.iter().map(|used| used.target.as_str()).collect();
        assert_eq!(targets, ["#go", "main"]);
    }

    #[test]
    fn a_method_is_the_command_that_it_calls() {
        let calls =
            "browse.doubleClick('#a'); browse.double_click(\"#b\"); browse.drag('#c', '#d');";
        let found: Vec<_> =
            used_targets(calls).into_iter().map(|one| (one.command, one.target)).collect();
        let of = |command: &str, target: &str| (command.to_owned(), target.to_owned());
        assert_eq!(found, [of("dblclick", "#a"), of("dblclick", "#b"), of("drag", "#c")]);
    }

    #[test]
    fn the_mark_of_a_saved_page_is_its_address() {
        let root = tempfile::tempdir().expect("a folder");
        let fixtures = root.path().join("fixtures");
        std::fs::create_dir(&fixtures).expect("made");
        let page = "<!DOCTYPE html>\n<!-- saved from url=(0018)https://b.example/ -->\n<p>";
        std::fs::write(fixtures.join("z-2026-01-02.html"), "<p>old").expect("written");
        std::fs::write(fixtures.join("a-2026-02-01.html"), page).expect("written");
        let material = Baseline::read(root.path()).expect("it reads");
        assert_eq!(material.pages[0].url, "https://b.example/");
        assert_eq!(material.fixture.as_deref(), Some(page));
    }
}
