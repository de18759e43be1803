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

use super::output_rule::OutputPlaces;

/// Links that are followed.
const MAX_LINKS: usize = 40;

/// Devices that are written into: name, and their numbers on Linux.
const WRITABLE_DEVICES: [(&str, u64); 4] =
    [("null", 0x103), ("zero", 0x105), ("full", 0x107), ("tty", 0x500)];

#[cfg(target_os = "linux")]
const O_PATH: i32 = 0o10_000_000;
#[cfg(target_os = "linux")]
pub(crate) const O_NONBLOCK: i32 = 0o4000;
#[cfg(not(target_os = "linux"))]
pub(crate) const O_NONBLOCK: i32 = 4;

/// How a command writes.
#[derive(Clone, Copy, Debug)]
pub struct OutputOptions<'a> {
    /// The folders that the rule goes by.
    pub output_places: &'a OutputPlaces,
    /// Whether the rule on places, names and kinds is lifted.
    pub is_forced: bool,
    /// Whether a page chose the name: then nothing is replaced.
    pub is_numbered: bool,
    /// Permissions of a new file.
    pub mode: u32,
    /// When a pipe that nobody reads is given up.
    pub deadline: Instant,
}

/// Why nothing is written.
#[derive(Debug)]
pub enum OutputError {
    /// The rule refuses it, which `forced` lifts.
    Refused(String),
    /// It is not a file that is written to.
    Unsupported(String),
    /// The system refuses it.
    Io(io::Error),
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// An outcome of writing.
pub type OutputResult<T> = Result<T, OutputError>;

/// A folder that was opened, and its path.
#[derive(Debug)]
pub(crate) struct OpenedFolder {
    file: File,
    pub(crate) path: PathBuf,
    /// Whether it is reached through the descriptor.
    is_held_open: bool,
}

impl OpenedFolder {
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
            return Ok(Self { file, path: real, is_held_open: true });
        }
        // Where descriptors have no names the path is compared with what was opened.
        let real = fs::canonicalize(path)?;
        if !is_same(&fs::symlink_metadata(&real)?, &about) {
            return Err(io::Error::other("the folder changed meanwhile"));
        }
        Ok(Self { file, path: real, is_held_open: false })
    }

    /// A path to `name` in this folder, wherever the folder is by now.
    pub(crate) fn path_of(&self, name: &OsStr) -> PathBuf {
        match self.is_held_open {
            true => Path::new(&format!("/proc/self/fd/{}", self.file.as_raw_fd())).join(name),
            false => self.path.join(name),
        }
    }

    /// What `name` is in this folder; none when it is not there.
    pub(crate) fn metadata_of(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        match fs::symlink_metadata(self.path_of(name)) {
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
pub(crate) enum OutputTarget {
    /// A regular file, or nothing yet.
    File(OpenedFolder, OsString),
    /// A named pipe or a device.
    Stream(OpenedFolder, OsString, Metadata),
    /// A descriptor of this process.
    Descriptor(u32),
}

impl OutputTarget {
    /// Follows `path`, and decides by the rule whether it is written to.
    ///
    /// # Errors
    /// The rule refuses it, or it is not a file that is written to.
    pub(crate) fn resolve(path: &Path, options: &OutputOptions<'_>) -> OutputResult<Self> {
        let mut path = std::env::current_dir()?.join(path);
        for _ in 0..MAX_LINKS {
            if let Some(number) = descriptor(&path) {
                return Ok(Self::Descriptor(number));
            }
            let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
            let (Some(parent), Some(name), false) = (path.parent(), path.file_name(), is_folder)
            else {
                return Err(OutputError::Unsupported("it is a folder".to_owned()));
            };
            let (folder, name) = (OpenedFolder::open(parent)?, name.to_owned());
            let about = folder.metadata_of(&name)?;
            if about.as_ref().is_some_and(Metadata::is_symlink) {
                path = folder.path.join(fs::read_link(folder.path_of(&name))?);
                continue;
            }
            let unfit = about.as_ref().and_then(|about| unsupported_reason(&folder, &name, about));
            if let Some(unfit) = unfit {
                return Err(OutputError::Unsupported(unfit));
            }
            let device = about.as_ref().is_some_and(|about| about.file_type().is_char_device());
            let refusal = options.output_places.refusal_reason(&folder.path.join(&name));
            if let Some(refusal) = refusal.filter(|_| !options.is_forced && !device) {
                return Err(OutputError::Refused(refusal));
            }
            return Ok(match about {
                Some(about) if !about.is_file() => Self::Stream(folder, name, about),
                _ => Self::File(folder, name),
            });
        }
        Err(OutputError::Unsupported("it is a link to itself".to_owned()))
    }
}

/// Why a file of this type is not written to.
fn unsupported_reason(folder: &OpenedFolder, name: &OsStr, about: &Metadata) -> Option<String> {
    let kind = about.file_type();
    let is_known = |(known, numbers): &(&str, u64)| {
        let is_it = cfg!(not(target_os = "linux")) || about.rdev() == *numbers;
        folder.path == Path::new("/dev") && name == *known && is_it
    };
    let what = match kind {
        kind if kind.is_file() || kind.is_fifo() => return None,
        kind if kind.is_char_device() && WRITABLE_DEVICES.iter().any(is_known) => return None,
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
pub fn make_folder(path: &Path, options: &OutputOptions<'_>) -> OutputResult<()> {
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
        return Err(OutputError::Unsupported("a folder above it does not exist".to_owned()));
    }
    match options
        .output_places
        .refusal_reason(&real.join("download"))
        .filter(|_| !options.is_forced)
    {
        Some(refusal) => Err(OutputError::Refused(refusal)),
        None => Ok(fs::create_dir_all(&real)?),
    }
}
