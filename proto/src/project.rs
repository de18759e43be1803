//! Which folder is the project of a working directory. The command line, the
//! daemon and the three SDKs decide alike: `proto/tests/projects.json` is the
//! table of cases that each of them is tested with.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// Who asks.
#[derive(Clone, Copy, Debug)]
pub struct ProjectSearch<'a> {
    /// The effective user id, where it is known.
    pub uid: Option<u32>,
    /// The home folder, where the search for `.browse` ends.
    pub home: Option<&'a Path>,
    /// `BROWSE_HOME`, whose `.browse` is not one of a project.
    pub browse_home: Option<&'a Path>,
}

/// Returns the project of `start`: the nearest folder with a `.git`, which is a
/// file in a worktree; else the nearest folder with a `.browse` that counts;
/// else `start` itself.
///
/// A `.browse` counts when it is a folder of the user, is not `BROWSE_HOME`, and
/// nobody else can put one in its place: the folder that holds it is not writable
/// by others, and no folder above is unless it has the sticky bit. The home folder
/// and what is above it are not searched.
pub fn find(start: &Path, asker: ProjectSearch<'_>) -> PathBuf {
    if let Some(top) = start.ancestors().find(|folder| folder.join(".git").exists()) {
        return top.to_owned();
    }
    let inside = start.ancestors().take_while(|folder| !is_same(folder, asker.home));
    let found = inside.into_iter().find(|folder| is_project(folder, asker));
    found.unwrap_or(start).to_owned()
}

/// Whether the `.browse` of the project `top` is a link: then a project that was
/// cloned names another place for what we write and obey. `BROWSE_HOME` is the user's
/// own, and may be one.
pub fn has_linked_settings(top: &Path, browse_home: Option<&Path>) -> bool {
    let own = top.join(".browse");
    own.is_symlink() && browse_home.is_none_or(|home| home != own)
}

fn is_project(folder: &Path, asker: ProjectSearch<'_>) -> bool {
    let own = folder.join(".browse");
    let owned = fs::symlink_metadata(&own)
        .is_ok_and(|about| about.is_dir() && asker.uid.is_none_or(|uid| about.uid() == uid));
    owned
        && !is_same(&own, asker.browse_home)
        && !is_writable_by_others(folder, StickyBit::Ignored)
        && folder
            .ancestors()
            .skip(1)
            .all(|above| !is_writable_by_others(above, StickyBit::Honoured))
}

/// What the sticky bit of a folder means: it keeps others from replacing what
/// is there, but not from adding to it.
#[derive(Clone, Copy, PartialEq)]
enum StickyBit {
    Honoured,
    Ignored,
}

/// Whether another user may write to `folder`. A group with the number of its
/// owner is taken for the owner's private group.
fn is_writable_by_others(folder: &Path, sticky: StickyBit) -> bool {
    let Ok(about) = fs::metadata(folder) else { return true };
    let by_group = about.mode() & 0o020 != 0 && about.gid() != about.uid();
    let protected = sticky == StickyBit::Honoured && about.mode() & 0o1000 != 0;
    (by_group || about.mode() & 0o002 != 0) && !protected
}

/// Whether both name the same file.
fn is_same(path: &Path, other: Option<&Path>) -> bool {
    let number = |path: &Path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    let other = other.and_then(number);
    other.is_some() && number(path) == other
}
