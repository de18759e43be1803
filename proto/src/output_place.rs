//! What is at the end of a path that a command writes to. The folder is opened first,
//! and everything is decided on the folder that was opened.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, Metadata, OpenOptions},
    io::{self, ErrorKind},
    os::{
        fd::AsRawFd as _,
        unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _},
    },
    path::{Path, PathBuf},
    process,
    time::Instant,
};

use super::output_rule::Places;

/// Links that are followed.
const MAX_LINKS: usize = 40;

/// Devices that are written into: name, and their numbers on Linux.
const DEVICES: [(&str, u64); 4] =
    [("null", 0x103), ("zero", 0x105), ("full", 0x107), ("tty", 0x500)];

#[cfg(target_os = "linux")]
const O_PATH: i32 = 0o10_000_000;
#[cfg(target_os = "linux")]
pub(crate) const O_NONBLOCK: i32 = 0o4000;
#[cfg(not(target_os = "linux"))]
pub(crate) const O_NONBLOCK: i32 = 4;

/// How a command writes.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The folders that the rule goes by.
    pub places: &'a Places,
    /// Whether the rule on places, names and kinds is lifted.
    pub forced: bool,
    /// Whether a page chose the name: then nothing is replaced.
    pub numbered: bool,
    /// Permissions of a new file.
    pub mode: u32,
    /// When a pipe that nobody reads is given up.
    pub deadline: Instant,
}

/// Why nothing is written.
#[derive(Debug)]
pub enum Fault {
    /// The rule refuses it, which `forced` lifts.
    Rule(String),
    /// It is not a file that is written to.
    Unfit(String),
    /// The system refuses it.
    System(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// An outcome of writing.
pub type Outcome<T> = Result<T, Fault>;

/// A folder that was opened, and its path.
#[derive(Debug)]
pub(crate) struct Folder {
    file: File,
    pub(crate) path: PathBuf,
    /// Whether it is reached through the descriptor.
    held: bool,
}

impl Folder {
    fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(target_os = "linux")]
        options.custom_flags(O_PATH);
        #[cfg(not(target_os = "linux"))]
        options.custom_flags(O_NONBLOCK);
        let file = options.open(path)?;
        let about = file.metadata()?;
        if !about.is_dir() {
            return Err(ErrorKind::NotADirectory.into());
        }
        let link = format!("/proc/self/fd/{}", file.as_raw_fd());
        // Skills build this with the edition of their own, which may have no let chains.
        let held = fs::metadata(&link).is_ok_and(|seen| is_same(&seen, &about));
        if let Some(real) = fs::read_link(&link).ok().filter(|_| held) {
            return Ok(Self { file, path: real, held: true });
        }
        // Where descriptors have no names the path is compared with what was opened.
        let real = fs::canonicalize(path)?;
        if !is_same(&fs::symlink_metadata(&real)?, &about) {
            return Err(io::Error::other("the folder changed meanwhile"));
        }
        Ok(Self { file, path: real, held: false })
    }

    /// A path to `name` in this folder, wherever the folder is by now.
    pub(crate) fn at(&self, name: &OsStr) -> PathBuf {
        match self.held {
            true => Path::new(&format!("/proc/self/fd/{}", self.file.as_raw_fd())).join(name),
            false => self.path.join(name),
        }
    }

    /// What `name` is in this folder; none when it is not there.
    pub(crate) fn about(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        match fs::symlink_metadata(self.at(name)) {
            Ok(about) => Ok(Some(about)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether both are the same file.
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// What is at the end of a path.
#[derive(Debug)]
pub(crate) enum Goal {
    /// A regular file, or nothing yet.
    File(Folder, OsString),
    /// A named pipe or a device.
    Stream(Folder, OsString, Metadata),
    /// A descriptor of this process.
    Descriptor(u32),
}

impl Goal {
    /// Follows `path`, and decides by the rule whether it is written to.
    ///
    /// # Errors
    /// The rule refuses it, or it is not a file that is written to.
    pub(crate) fn find(path: &Path, options: &Options<'_>) -> Outcome<Self> {
        let mut path = std::env::current_dir()?.join(path);
        for _ in 0..MAX_LINKS {
            if let Some(number) = descriptor(&path) {
                return Ok(Self::Descriptor(number));
            }
            let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
            let (Some(parent), Some(name), false) = (path.parent(), path.file_name(), is_folder)
            else {
                return Err(Fault::Unfit("it is a folder".to_owned()));
            };
            let (folder, name) = (Folder::open(parent)?, name.to_owned());
            let about = folder.about(&name)?;
            if about.as_ref().is_some_and(Metadata::is_symlink) {
                path = folder.path.join(fs::read_link(folder.at(&name))?);
                continue;
            }
            let unfit = about.as_ref().and_then(|about| unfit(&folder, &name, about));
            if let Some(unfit) = unfit {
                return Err(Fault::Unfit(unfit));
            }
            let device = about.as_ref().is_some_and(|about| about.file_type().is_char_device());
            let refusal = options.places.refusal(&folder.path.join(&name));
            if let Some(refusal) = refusal.filter(|_| !options.forced && !device) {
                return Err(Fault::Rule(refusal));
            }
            return Ok(match about {
                Some(about) if !about.is_file() => Self::Stream(folder, name, about),
                _ => Self::File(folder, name),
            });
        }
        Err(Fault::Unfit("it is a link to itself".to_owned()))
    }
}

/// Why a file of this type is not written to.
fn unfit(folder: &Folder, name: &OsStr, about: &Metadata) -> Option<String> {
    let kind = about.file_type();
    let is_known = |(known, numbers): &(&str, u64)| {
        let is_it = cfg!(not(target_os = "linux")) || about.rdev() == *numbers;
        folder.path == Path::new("/dev") && name == *known && is_it
    };
    let what = match kind {
        kind if kind.is_file() || kind.is_fifo() => return None,
        kind if kind.is_char_device() && DEVICES.iter().any(is_known) => return None,
        kind if kind.is_dir() => "a folder",
        kind if kind.is_block_device() => "a block device",
        kind if kind.is_char_device() => "a device",
        kind if kind.is_socket() => "a socket",
        _ => "not a file",
    };
    Some(format!("it is {what}"))
}

/// The descriptor that a path names: `/dev/stdout`, `/dev/fd/3`.
fn descriptor(path: &Path) -> Option<u32> {
    let own = format!("/proc/{}/fd", process::id());
    match path.to_str()? {
        "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        path => {
            let (folder, name) = path.rsplit_once('/')?;
            let is_ours = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd", own.as_str()];
            is_ours.contains(&folder).then(|| name.parse().ok())?
        }
    }
}

/// Makes the folder `path`, and those above it, where the rule lets a file lie in it.
///
/// # Errors
/// The rule refuses it, or the system.
pub fn make_folder(path: &Path, options: &Options<'_>) -> Outcome<()> {
    let path = std::env::current_dir()?.join(path);
    let mut rest = PathBuf::new();
    let found = path.ancestors().find_map(|folder| {
        let real = fs::canonicalize(folder).ok();
        if real.is_none() {
            let name = folder.file_name().unwrap_or(OsStr::new(".."));
            rest = Path::new(name).join(&rest);
        }
        real
    });
    let real = found.unwrap_or_default().join(rest);
    if real.components().any(|part| part == std::path::Component::ParentDir) {
        return Err(Fault::Unfit("a folder above it does not exist".to_owned()));
    }
    match options.places.refusal(&real.join("download")).filter(|_| !options.forced) {
        Some(refusal) => Err(Fault::Rule(refusal)),
        None => Ok(fs::create_dir_all(&real)?),
    }
}
