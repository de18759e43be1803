//! Copies a folder that nobody vouches for: plain files and folders only, and
//! no more than a skill may have.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::{OpenFolder, failpoint};

/// What is taken along, and how much at most.
pub struct CopyRules {
    /// Whether what tools leave behind stays behind.
    pub sources_only: bool,
    /// Whether files that have other names may come along: those may be written
    /// to where nobody looks.
    pub hard_links: bool,
    /// Whether all of it lies on the disk afterwards.
    pub durable: bool,
    /// Files and folders.
    pub max_entries: usize,
    /// Bytes of one file.
    pub max_file_bytes: u64,
    /// Bytes of all files.
    pub max_total_bytes: u64,
    /// Folders within folders.
    pub max_depth: usize,
}

/// The rules for what becomes a skill; one with its crates beside it fits.
pub const SKILL_RULES: CopyRules = CopyRules {
    sources_only: true,
    hard_links: false,
    durable: true,
    max_entries: 20_000,
    max_file_bytes: 64 << 20,
    max_total_bytes: 512 << 20,
    max_depth: 32,
};

/// The rules for a copy that is compared with the original, and can be made
/// again.
pub const SNAPSHOT_RULES: CopyRules =
    CopyRules { sources_only: false, hard_links: true, durable: false, ..SKILL_RULES };

/// What tools leave behind, which is not taken along: anywhere, and at the top.
const IGNORED_ANYWHERE: [&str; 4] = [".git", ".DS_Store", "__pycache__", ".pytest_cache"];
const IGNORED_AT_TOP: [&str; 2] = ["node_modules", "target"];

/// Why a folder is not copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// It holds what no skill may.
    #[error("`{}` {problem}", file.display())]
    Refused {
        /// Relative to the folder.
        file: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The disk.
    #[error("`{}`: {error}", file.display())]
    Io {
        /// Relative to the folder.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// Copies what is in `from` into `to`, which is empty, and puts all of it on
/// the disk.
///
/// # Errors
/// What cannot be taken along.
pub fn copy(from: &OpenFolder, to: &OpenFolder, rules: &CopyRules) -> Result<(), CopyError> {
    let mut copying = CopyProgress { rules, entries: 0, bytes: 0 };
    copying.folder(from, to, Path::new(""), 0)
}

struct CopyProgress<'a> {
    rules: &'a CopyRules,
    entries: usize,
    bytes: u64,
}

impl CopyProgress<'_> {
    fn folder(
        &mut self,
        from: &OpenFolder,
        to: &OpenFolder,
        inner: &Path,
        depth: usize,
    ) -> Result<(), CopyError> {
        let failed = |file: &Path| {
            let file = file.to_owned();
            move |error| CopyError::Io { file, error }
        };
        if depth > self.rules.max_depth {
            return Err(refused(inner, "lies too deep"));
        }
        let names = from.names().map_err(failed(inner))?;
        let mut seen = BTreeSet::new();
        let sources_only = self.rules.sources_only;
        let left = |name: &OsStr| {
            if !sources_only {
                return false;
            }
            let at_top = depth == 0 && IGNORED_AT_TOP.iter().any(|left| name == *left);
            at_top || IGNORED_ANYWHERE.iter().any(|left| name == *left)
        };
        for name in names.iter().filter(|name| !left(name)) {
            let path = inner.join(name);
            check_name(name, &path)?;
            if !seen.insert(name.to_string_lossy().to_lowercase()) {
                return Err(refused(&path, "differs from another name only in case"));
            }
            self.entries += 1;
            if self.entries > self.rules.max_entries {
                return Err(refused(&path, "is one file too many"));
            }
            let entry = from.entry(name).map_err(failed(&path))?;
            match entry.kind {
                FileType::Directory => {
                    let from = from.child(name).map_err(failed(&path))?;
                    let to = to.create_child(name, 0o755).map_err(failed(&path))?;
                    self.folder(&from, &to, &path, depth + 1)?;
                }
                FileType::RegularFile => self.file(from, to, name, &path)?,
                FileType::Symlink => return Err(refused(&path, "is a symbolic link")),
                _ => return Err(refused(&path, "is neither a file nor a folder")),
            }
        }
        if self.rules.durable { to.sync().map_err(failed(inner)) } else { Ok(()) }
    }

    /// One file. It is looked at again when it is open: it may have become
    /// another since.
    fn file(
        &mut self,
        from: &OpenFolder,
        to: &OpenFolder,
        name: &OsStr,
        path: &Path,
    ) -> Result<(), CopyError> {
        let failed = |error| CopyError::Io { file: path.to_owned(), error };
        let (file, entry) = from.read(name).map_err(failed)?;
        if entry.links > 1 && !self.rules.hard_links {
            return Err(refused(path, "has another name (a hard link)"));
        }
        let mut copy = to.create(name, entry.executable).map_err(failed)?;
        // It may grow while it is read.
        let mut bounded = file.take(self.rules.max_file_bytes + 1);
        let mut piece = vec![0; 64 * 1024];
        let mut length = 0;
        loop {
            let count = bounded.read(&mut piece).map_err(failed)?;
            if count == 0 {
                break;
            }
            length += count as u64;
            self.bytes += count as u64;
            if length > self.rules.max_file_bytes {
                return Err(refused(path, "is larger than 64 MiB"));
            }
            if self.bytes > self.rules.max_total_bytes {
                return Err(refused(path, "brings the whole over 512 MiB"));
            }
            failpoint::point();
            copy.write_all(&piece[..count]).map_err(failed)?;
        }
        if self.rules.durable { copy.sync_all().map_err(failed) } else { Ok(()) }
    }
}

/// Names that every system can hold, and a terminal can print.
fn check_name(name: &OsStr, path: &Path) -> Result<(), CopyError> {
    let Some(name) = name.to_str() else {
        return Err(refused(path, "has a name that is not UTF-8"));
    };
    if name.chars().any(|letter| letter.is_control() || letter == '\\') {
        return Err(refused(path, "has a name with control characters or a backslash"));
    }
    Ok(())
}

fn refused(file: &Path, problem: &'static str) -> CopyError {
    CopyError::Refused { file: file.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use super::{CopyRules, OpenFolder, SKILL_RULES, copy};

    /// What copying `from` says, and how many files came along.
    fn copied(from: &Path, rules: &CopyRules) -> (Option<String>, usize) {
        let to = tempfile::tempdir().expect("a folder");
        let (from, to) =
            (OpenFolder::open(from).expect("open"), OpenFolder::open(to.path()).expect("open"));
        let problem = copy(&from, &to, rules).err().map(|error| error.to_string());
        (problem, crate::skills::hash::files(to.path()).expect("listed").len())
    }

    fn problem(make: impl FnOnce(&Path)) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        make(folder.path());
        copied(folder.path(), &SKILL_RULES).0.expect("it is refused")
    }

    #[test]
    fn files_keep_content_and_executability_and_nothing_else() {
        let (from, to) = (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        fs::create_dir_all(from.path().join("a/b")).expect("made");
        fs::create_dir_all(from.path().join("__pycache__")).expect("made");
        fs::write(from.path().join("__pycache__/x.pyc"), "").expect("written");
        fs::write(from.path().join("a/b/c"), "text").expect("written");
        fs::write(from.path().join("run"), "#!").expect("written");
        fs::set_permissions(from.path().join("run"), fs::Permissions::from_mode(0o6777))
            .expect("set");
        let open = |path: &Path| OpenFolder::open(path).expect("open");
        copy(&open(from.path()), &open(to.path()), &SKILL_RULES).expect("copied");
        assert_eq!(fs::read_to_string(to.path().join("a/b/c")).expect("read"), "text");
        let mode = fs::metadata(to.path().join("run")).expect("there").permissions().mode();
        assert_eq!(mode & 0o7077 & !0o055, 0, "{mode:o}");
        assert_ne!(mode & 0o100, 0);
        assert!(!to.path().join("__pycache__").exists());
    }

    #[test]
    fn what_is_no_plain_file_is_refused() {
        let link = |name: &'static str, to: &'static str| {
            problem(move |folder| symlink(to, folder.join(name)).expect("linked"))
        };
        assert_eq!(link("a", "/etc/passwd"), "`a` is a symbolic link");
        assert_eq!(link("_lib", "/"), "`_lib` is a symbolic link");
        assert_eq!(link("a", "nowhere"), "`a` is a symbolic link");
        let pipe = |folder: &Path| {
            nix::unistd::mkfifo(&folder.join("a"), nix::sys::stat::Mode::S_IRWXU).expect("made");
        };
        assert_eq!(problem(pipe), "`a` is neither a file nor a folder");
        let socket = |folder: &Path| {
            std::os::unix::net::UnixListener::bind(folder.join("a")).expect("bound");
        };
        assert_eq!(problem(socket), "`a` is neither a file nor a folder");
        let hard = |folder: &Path| {
            fs::write(folder.join("a"), "").expect("written");
            fs::hard_link(folder.join("a"), folder.join("b")).expect("linked");
        };
        assert_eq!(problem(hard), "`a` has another name (a hard link)");
    }

    #[test]
    fn odd_names_are_refused() {
        let named = |name: &'static str| {
            problem(move |folder| fs::write(folder.join(name), "").expect("written"))
        };
        assert!(named("a\nb").contains("control characters"));
        assert!(named("a\\b").contains("backslash"));
        let two = |folder: &Path| {
            for name in ["Éa", "éA"] {
                fs::write(folder.join(name), "").expect("written");
            }
        };
        assert!(problem(two).ends_with("differs from another name only in case"));
    }

    #[test]
    fn there_is_a_limit_to_everything() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("a/b")).expect("made");
        fs::write(folder.path().join("a/b/c"), "12345").expect("written");
        fs::write(folder.path().join("a/d"), "12345").expect("written");
        let with = |entries, file, total, depth| {
            copied(
                folder.path(),
                &CopyRules {
                    max_entries: entries,
                    max_file_bytes: file,
                    max_total_bytes: total,
                    max_depth: depth,
                    ..SKILL_RULES
                },
            )
            .0
        };
        assert_eq!(with(4, 5, 10, 2), None);
        assert!(with(3, 5, 10, 2).expect("refused").ends_with("is one file too many"));
        assert!(with(4, 4, 10, 2).expect("refused").contains("is larger than"));
        assert!(with(4, 5, 9, 2).expect("refused").contains("brings the whole over"));
        assert!(with(4, 5, 10, 1).expect("refused").ends_with("lies too deep"));
    }
}
