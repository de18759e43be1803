//! The words that this project does not use. CONTRIBUTING.md says why.

use std::{fs, path::Path};

/// Words and what to write for them. They are compared without case, as whole
/// words: `MOST_` denies every constant that begins with it.
const DENIED: &[(&str, &str)] = &[
    ("told", "returned, reported, notified"),
    ("said", "returned, reported, printed"),
    ("wish", "request, choice, options"),
    ("wishes", "requests, chooses"),
    ("mend", "fix"),
    ("mends", "fixes"),
    ("mended", "fixed"),
    ("elsewhere", "remote, somewhere else"),
    ("stranger", "anonymous caller, unknown peer"),
    ("strangers", "anonymous callers, unknown peers"),
    ("fate", "disposition"),
    ("heed", "follow"),
    ("heeds", "follows"),
    ("dear", "expensive, slow"),
    ("dearer", "more expensive"),
    ("luggage", "state"),
    ("belongings", "storage"),
    ("parcel", "snapshot"),
    ("graves", "trash"),
    ("lids", "covers"),
    ("keepsake", "copy"),
    ("furniture", "boilerplate"),
    ("patience", "timeout"),
    ("most_", "max_"),
    ("least_", "min_"),
    ("longest_", "max_"),
    ("deepest_", "max_depth"),
];

/// Folders and files that are not checked.
const SKIPPED: &[&str] = &[
    // Built, vendored or foreign.
    "target",
    "node_modules",
    ".git",
    "_lib",
    "vendor",
    "dist",
    "fixtures",
    "THIRD-PARTY.md",
    // Text of others, which the guard learns from and looks for.
    "server/guard/train",
    "server/guard/src/classifier",
    "server/guard/src/patterns",
    "server/guard/src/patterns_tests.rs",
    // The page script, and the SDKs with what is generated for them.
    "server/engine/src/js",
    "sdk-ts",
    "sdk-python",
    "sdk-rust",
    // This list.
    "cli/tests/cli/words.rs",
];

/// Words that a line may have all the same: part of a name that users see, of a
/// format on disk, of a page under test or of its URL.
const ALLOWED: &[(&str, &str)] = &[
    ("stranger", "\"stranger\""),
    ("elsewhere", "elsewhere.test"),
    ("elsewhere", "elsewhere.example"),
    ("elsewhere", "'/elsewhere'"),
    ("elsewhere", "\"/elsewhere\""),
    ("elsewhere", "\"elsewhere\""),
    ("told", "id=told"),
    ("told", "all that you were told"),
    ("told", ">told<"),
    ("told", "told.textContent"),
    ("said", "part(said)"),
    ("said", "part=said"),
    ("said", "<p>said"),
    ("said", "> said"),
    ("wish", "Wish"),
    ("furniture", "\"furniture\""),
    ("lids", "\"lids\""),
    ("parcel", "The parcel is on its way"),
    ("parcel", "Parcel JJD"),
    ("patience", "\"patience\""),
    ("patience", "name: patience"),
];

#[test]
fn private_words_are_not_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    let files = check_folder(&root, &root, &mut found);
    assert!(files > 900, "only {files} files were checked");
    assert!(found.is_empty(), "{} words to replace:\n{}", found.len(), found.join("\n"));
}

#[test]
fn each_denied_word_is_found() {
    for (word, _) in DENIED {
        let name = if word.ends_with('_') { format!("{word}bytes") } else { (*word).to_owned() };
        assert_eq!(denied(&format!("// {name}, then")).len(), 1, "{word}");
        assert!(denied(&format!("// un{name}s")).is_empty(), "{word}");
    }
    assert_eq!(denied("it is no folder").len(), 1);
    assert_eq!(denied("these are no files").len(), 1);
    assert!(denied("there is no folder, it is no longer used, there are no files").is_empty());
}

/// Checks the files below `folder`, and returns their number.
fn check_folder(root: &Path, folder: &Path, found: &mut Vec<String>) -> usize {
    let mut files = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let shown = path.strip_prefix(root).expect("a path below the root").display().to_string();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if SKIPPED.contains(&shown.as_str()) || SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            files += check_folder(root, &path, found);
            continue;
        }
        let ends = ["rs", "proto", "md", "sh", "mjs", "toml"];
        if !path.extension().is_some_and(|end| ends.iter().any(|known| end == *known)) {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        files += 1;
        for (number, line) in text.lines().enumerate() {
            let words = denied(line);
            found.extend(words.iter().map(|(word, instead)| {
                format!("{shown}:{}: `{word}`: write {instead}", number + 1)
            }));
        }
    }
    files
}

/// The denied words of `line`, each with what to write for it.
fn denied(line: &str) -> Vec<(String, &'static str)> {
    let lower = line.to_lowercase();
    let is_sign = |sign: char| !sign.is_alphanumeric() && sign != '_';
    let words: Vec<_> = lower.split(is_sign).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for word in &words {
        let known = DENIED.iter().find(|(denied, _)| {
            word == denied || denied.ends_with('_') && word.starts_with(denied)
        });
        let Some((denied, instead)) = known else { continue };
        if !ALLOWED.iter().any(|(word, part)| word == denied && line.contains(part)) {
            found.push(((*word).to_owned(), *instead));
        }
    }
    for words in words.windows(4).filter(|words| is_denied_negation(words)) {
        found.push((words.join(" "), "is not a"));
    }
    found
}

/// What may follow "is no": these are no negated nouns.
const NEGATIONS: &[&str] = &[
    "longer",
    "more",
    "less",
    "fewer",
    "better",
    "such",
    "one",
    "way",
    "need",
    "use",
    "point",
    "room",
    "reason",
    "doubt",
    "harm",
    "none",
    "matter",
    "different",
    "other",
    "sign",
    "sense",
];

/// Whether the words say that something "is no" other thing: `it is no folder`.
fn is_denied_negation(words: &[&str]) -> bool {
    let is_negation = matches!(words[1], "is" | "are") && words[2] == "no";
    is_negation && words[0] != "there" && !NEGATIONS.contains(&words[3])
}
