//! Where a command may write what a page served, and what it may replace there.
//! The command line and the three SDKs decide alike: `proto/tests/outputs.json`
//! is the table of cases that each of them is tested with.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::output_names::{
    CLOSED, CODE, DATA, EXECUTABLE, EXPECTED, FIRST_BYTES, FOLDERS, HOME_PROGRAMS, NAMES, OPEN,
    PICTURES, PROGRAMS, SHARED, SYSTEM, SYSTEM_OF_MACOS, contains, matches_pattern,
};

/// Bytes of a file that its kind is identified by.
pub const KIND_HEAD_BYTES: usize = 4096;

/// The folders that the rule goes by, with their links resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputPlaces {
    /// The project and the working directory.
    pub working_folders: Vec<PathBuf>,
    /// The temp folder.
    pub temp: PathBuf,
    /// The home folder.
    pub home: Option<PathBuf>,
    /// `BROWSE_HOME`.
    pub browse_home: Option<PathBuf>,
    /// The folders that programs are looked for in.
    pub search_path: Vec<PathBuf>,
    /// Whether nothing is written but below the working folders and the temp folder.
    pub is_confined: bool,
}

impl OutputPlaces {
    /// The places of this process, whose project is `project`.
    pub fn for_project(project: Option<&Path>) -> Self {
        let real = |path: PathBuf| fs::canonicalize(&path).unwrap_or(path);
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let folder = |name| set(name).map(|value| real(PathBuf::from(value)));
        let own = project.map(Path::to_owned).into_iter().chain(env::current_dir().ok());
        let search = set("PATH").unwrap_or_default();
        Self {
            working_folders: own.map(real).collect(),
            temp: real(env::temp_dir()),
            home: folder("HOME"),
            browse_home: folder("BROWSE_HOME"),
            search_path: env::split_paths(&search)
                .filter(|path| path.is_absolute())
                .map(real)
                .collect(),
            is_confined: false,
        }
    }

    /// Why nothing is written at `path`, whose links are resolved.
    pub fn refusal_reason(&self, path: &Path) -> Option<String> {
        let all = lower_components(path);
        let (folders, name) = (all.get(..all.len().saturating_sub(1))?, all.last()?);
        if let Some(part) = all.iter().find(|part| contains(CLOSED, part)) {
            return Some(format!("`{part}` holds settings, hooks or credentials"));
        }
        if self.browse_home.as_ref().is_some_and(|home| path.starts_with(home)) {
            return Some("settings of browse lie there".to_owned());
        }
        if let Some(fault) = settings_reason(&all) {
            return Some(fault);
        }
        let parent = path.parent()?;
        let of_home = |part: &str| self.home.as_ref().is_some_and(|home| parent == home.join(part));
        if self.search_path.iter().any(|folder| folder == parent)
            || HOME_PROGRAMS.split('|').any(of_home)
        {
            return Some(format!("programs are looked for in `{}`", parent.display()));
        }
        let base = self.base(path);
        if self.is_confined && base.is_none() {
            return Some("it is outside the project and the temp folder".to_owned());
        }
        if let Some(folder) = system_folder(&all).filter(|_| base.is_none()) {
            return Some(format!("`{folder}` is a folder of the system"));
        }
        if cfg!(target_os = "macos") && self.is_library(path, base) {
            return Some("programs keep their settings in `Library`".to_owned());
        }
        let begin = base.map_or(0, |base| lower_components(base).len());
        let in_temp = base == Some(&self.temp);
        for (index, part) in all.iter().enumerate().skip(begin) {
            // What `settings` let through, and the folders that Rust's `tempfile` makes.
            let ours = part == ".browse" || in_temp && index == begin && part.starts_with(".tmp");
            if part.starts_with('.') && !(ours && index < folders.len()) {
                return Some(format!("`{part}` begins with a dot"));
            }
        }
        if let Some(part) =
            folders[begin.min(folders.len())..].iter().find(|p| contains(FOLDERS, p))
        {
            return Some(format!("programs run or obey what lies in `{part}`"));
        }
        matches_pattern(NAMES, name).then(|| format!("programs run or obey a file named `{name}`"))
    }

    /// The innermost of our folders that `path` lies in.
    fn base(&self, path: &Path) -> Option<&PathBuf> {
        let all = self.working_folders.iter().chain([&self.temp]);
        all.filter(|base| path.starts_with(base) && path != *base && is_own(base))
            .max_by_key(|base| base.components().count())
    }

    fn is_library(&self, path: &Path, base: Option<&PathBuf>) -> bool {
        let Some(home) = &self.home else { return false };
        if base.is_some_and(|base| base.starts_with(home.join("Library"))) {
            return false;
        }
        let inner = path.strip_prefix(home).map(lower_components).unwrap_or_default();
        inner.first().is_some_and(|first| first == "library")
            && !inner.get(1).is_some_and(|p| contains("mobile documents|cloudstorage", p))
    }
}

/// Whether what lies below `base` can be a working directory's own.
fn is_own(base: &Path) -> bool {
    let all = lower_components(base);
    if all.is_empty() {
        return false;
    }
    if system_folder(&all).is_none() {
        return true;
    }
    let shown = format!("/{}/", all.join("/"));
    let inner = |folder: &str| shown.strip_prefix(&format!("{folder}/"));
    match inner("/usr") {
        Some(rest) => {
            let rest = rest.strip_prefix("local/").unwrap_or(rest);
            let first = rest.split('/').next().unwrap_or_default();
            !first.is_empty() && !contains(PROGRAMS, first)
        }
        None => OPEN.split('|').any(|open| inner(open).is_some()),
    }
}

/// The folder of the system that a path lies in.
fn system_folder(all: &[String]) -> Option<&'static str> {
    let shown = format!("/{}/", all.join("/"));
    let inner = |folder: &&str| shown.starts_with(&format!("{folder}/"));
    // Units of the session manager lie beside its sockets.
    let units = all.get(3).is_some_and(|part| part == "systemd");
    if !units && SHARED.split('|').any(|open| inner(&open)) {
        return None;
    }
    let macos = if cfg!(target_os = "macos") { SYSTEM_OF_MACOS } else { SYSTEM };
    SYSTEM.split('|').chain(macos.split('|')).find(inner)
}

/// Whether it is a file of ours in a `.browse`, other than what commands save there.
fn settings_reason(all: &[String]) -> Option<String> {
    let at = all.iter().position(|part| part == ".browse")?;
    let name = all.last()?;
    let is_inner = all.len() > at + 2;
    match all.get(at + 1).map(String::as_str) {
        Some("downloads") if is_inner => None,
        // A skill is source code; pages that it is tested with are not.
        Some("skills") if is_inner && (contains(DATA, extension(name)) || is_media(name)) => None,
        Some("skills") => Some(format!("`{name}` is part of a skill")),
        _ => Some("settings of browse lie there".to_owned()),
    }
}

fn is_media(name: &str) -> bool {
    expected_kind(extension(name)).is_some()
}

fn lower_components(path: &Path) -> Vec<String> {
    let normal = path.components().filter_map(|part| match part {
        std::path::Component::Normal(part) => Some(part.to_string_lossy().to_lowercase()),
        _ => None,
    });
    normal.collect()
}

/// The extension of a file name, in lower case; empty when it has none.
pub fn extension(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() => end,
        _ => "",
    }
}

/// The kind that an extension promises.
fn expected_kind(extension: &str) -> Option<&'static str> {
    let entries = EXPECTED.split('|').filter_map(|entry| entry.split_once(' '));
    entries.filter(|(end, _)| *end == extension).map(|(_, kind)| kind).next()
}

/// The kind of a file by its first bytes; `text` for text, empty when they say nothing.
pub fn detect_kind(head: &[u8]) -> &'static str {
    let fits = |pattern: &str| {
        let pairs = pattern.as_bytes().chunks(2).enumerate();
        pairs.into_iter().all(|(index, pair)| {
            let byte = std::str::from_utf8(pair).ok().and_then(|p| u8::from_str_radix(p, 16).ok());
            head.get(index).is_some_and(|found| byte.is_none_or(|byte| byte == *found))
        })
    };
    let entries = FIRST_BYTES.split('|').filter_map(|entry| entry.split_once(' '));
    let found = entries.filter(|(pattern, _)| fits(pattern)).map(|(_, kind)| kind).next();
    found.unwrap_or(if is_text(head) { "text" } else { "" })
}

fn is_text(head: &[u8]) -> bool {
    let control = |byte: &u8| *byte < 32 && !b"\t\n\r\x0c\x1b".contains(byte);
    let whole = match std::str::from_utf8(head) {
        Ok(_) => true,
        // A letter that is cut in two at the end.
        Err(error) => error.error_len().is_none() && head.len() == KIND_HEAD_BYTES,
    };
    !head.is_empty() && whole && !head.iter().any(control)
}

/// Why what begins with `new` is not written as `name`.
pub fn kind_mismatch(name: &str, new: &[u8]) -> Option<String> {
    let name = name.to_lowercase();
    let (extension, new) = (extension(&name), detect_kind(new));
    let is_text = contains(DATA, extension) || contains(CODE, extension);
    let wanted = expected_kind(extension).or(is_text.then_some("text"))?;
    let alike = new.is_empty()
        || new == wanted
        || contains(PICTURES, new) && contains(PICTURES, wanted)
        // Programs have extensions of code as well.
        || contains(CODE, extension) && !contains(PICTURES, new) && !contains("PDF|WebM|ZIP", new);
    (!alike).then(|| format!("the content is {}, not {}", kind_label(new), kind_label(wanted)))
}

/// Why the file `name`, which begins with `old`, is not replaced by what begins
/// with `new`.
pub fn replacement_refusal(name: &str, old: &[u8], executable: bool, new: &[u8]) -> Option<String> {
    let name = name.to_lowercase();
    let extension = extension(&name);
    let (is_data, old_kind, new_kind) =
        (contains(DATA, extension), detect_kind(old), detect_kind(new));
    if contains(CODE, extension) {
        return Some(format!("it exists and holds code or settings, as `.{extension}` says"));
    }
    let is_known = is_data || expected_kind(extension).is_some();
    if contains(EXECUTABLE, old_kind) || !is_known && (executable || old.starts_with(b"#!")) {
        return Some("it exists and is a program".to_owned());
    }
    if old_kind == "text" && !is_known && !extension.is_empty() {
        return Some(format!("it exists, and `.{extension}` is not known as data"));
    }
    if old.is_empty() || old_kind == new_kind || old_kind.is_empty() || new_kind.is_empty() {
        return None;
    }
    Some(format!(
        "it exists and is {}, and the content is {}",
        kind_label(old_kind),
        kind_label(new_kind)
    ))
}

fn kind_label(kind: &str) -> String {
    match kind {
        "text" => "text".to_owned(),
        kind => format!("a {kind} file"),
    }
}
