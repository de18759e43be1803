//! Opens what a command writes to. The folder is opened first, and everything is
//! decided on the folder that was opened. A regular file appears whole or not at
//! all; pipes with a name and a few devices are written into; nothing else is.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, DirBuilder, File, Metadata, OpenOptions},
    io::{self, ErrorKind, Read as _, Write},
    os::{
        fd::AsRawFd as _,
        unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _},
    },
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use super::output_rule::{HEAD, Places, contradiction, replacement};

/// Links that are followed.
const MAX_LINKS: usize = 40;

/// Time between two looks at a pipe that nobody reads.
const PAUSE: Duration = Duration::from_millis(10);

/// Devices that are written into: name, and their numbers on Linux.
const DEVICES: [(&str, u64); 4] =
    [("null", 0x103), ("zero", 0x105), ("full", 0x107), ("tty", 0x500)];

#[cfg(target_os = "linux")]
const O_PATH: i32 = 0o10_000_000;
#[cfg(target_os = "linux")]
const O_NONBLOCK: i32 = 0o4000;
#[cfg(not(target_os = "linux"))]
const O_NONBLOCK: i32 = 4;

/// `ENXIO`: nobody reads.
const NO_READER: i32 = 6;

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
struct Folder {
    file: File,
    path: PathBuf,
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
    fn at(&self, name: &OsStr) -> PathBuf {
        match self.held {
            true => Path::new(&format!("/proc/self/fd/{}", self.file.as_raw_fd())).join(name),
            false => self.path.join(name),
        }
    }

    fn about(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        match fs::symlink_metadata(self.at(name)) {
            Ok(about) => Ok(Some(about)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// What is at the end of a path.
#[derive(Debug)]
enum Goal {
    /// A regular file, or nothing yet.
    File(Folder, OsString),
    /// A named pipe or a device.
    Stream(Folder, OsString, Metadata),
    /// A descriptor of this process.
    Descriptor(u32),
}

impl Goal {
    fn find(path: &Path, options: &Options<'_>) -> Outcome<Self> {
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

/// A file under way. It is written under another name beside its own, or in a
/// folder of its own when it goes into a pipe or a device.
#[derive(Debug)]
pub struct Draft {
    goal: Goal,
    path: PathBuf,
    draft: PathBuf,
    private: Option<PathBuf>,
    file: File,
    head: Vec<u8>,
    named: bool,
    deadline: Instant,
    forced: bool,
}

impl Draft {
    /// Begins what is to be at `path`.
    ///
    /// # Errors
    /// The rule refuses it, it is not a regular file, or the folder cannot be written.
    pub fn begin(path: &Path, options: &Options<'_>) -> Outcome<Self> {
        let goal = Goal::find(path, options)?;
        let (private, draft) = match &goal {
            Goal::File(folder, name) => {
                // A long name would be too long with what is added to it.
                let short: String = name.to_string_lossy().chars().take(30).collect();
                (None, folder.at(OsStr::new(&format!(".{short}.{}", unique()))))
            }
            _ => {
                let folder = own_folder("output")?;
                let draft = folder.join("draft");
                (Some(folder), draft)
            }
        };
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(options.mode)
            .open(&draft);
        let file = opened?;
        Ok(Self {
            goal,
            path: path.to_owned(),
            draft,
            private,
            file,
            head: Vec::new(),
            named: !options.numbered,
            deadline: options.deadline,
            forced: options.forced,
        })
    }

    /// Where the draft lies, for who removes it when a signal ends the program.
    pub fn path(&self) -> PathBuf {
        match (&self.goal, self.draft.file_name()) {
            (Goal::File(folder, _), Some(name)) => folder.path.join(name),
            _ => self.draft.clone(),
        }
    }

    /// Whether it goes to standard output.
    pub fn is_standard_output(&self) -> bool {
        matches!(self.goal, Goal::Descriptor(1))
    }

    /// Puts it where it is to be, and returns the path that it got.
    ///
    /// # Errors
    /// What is there is of another kind, or the system refuses it.
    pub fn finish(mut self) -> Outcome<PathBuf> {
        self.file.flush()?;
        match &self.goal {
            Goal::File(folder, name) if self.named => {
                self.replace(folder, name)?;
                Ok(self.path.clone())
            }
            Goal::File(folder, name) => {
                for number in 1u32.. {
                    let wanted = numbered(name, number);
                    if self.claim(folder, &wanted)? {
                        return Ok(self.path.with_file_name(wanted));
                    }
                }
                Err(io::Error::from(ErrorKind::AlreadyExists).into())
            }
            Goal::Stream(folder, name, about) => {
                let open = || {
                    OpenOptions::new().write(true).custom_flags(O_NONBLOCK).open(folder.at(name))
                };
                let stream = match about.file_type().is_fifo() {
                    true => self.opened(open)?,
                    false => open()?,
                };
                let found = stream.metadata()?;
                if !is_same(&found, about) || found.rdev() != about.rdev() {
                    return Err(Fault::Unfit("it changed meanwhile".to_owned()));
                }
                self.pour(stream)?;
                Ok(self.path.clone())
            }
            Goal::Descriptor(number) => {
                self.describe(*number)?;
                Ok(self.path.clone())
            }
        }
    }

    /// Gives it its name in place of what had it.
    fn replace(&self, folder: &Folder, name: &OsStr) -> Outcome<()> {
        let shown = name.to_string_lossy();
        let rule = |fault: Option<String>| match fault.filter(|_| !self.forced) {
            Some(fault) => Err(Fault::Rule(fault)),
            None => Ok(()),
        };
        rule(contradiction(&shown, &self.head))?;
        let Some(about) = folder.about(name)? else {
            return match self.claim(folder, name)? {
                true => Ok(()),
                false => Err(Fault::Unfit("it came into being meanwhile".to_owned())),
            };
        };
        if !about.is_file() {
            return Err(Fault::Unfit("it changed meanwhile".to_owned()));
        }
        if !self.forced {
            let old = head(&folder.at(name), &about)?;
            rule(replacement(&shown, &old, about.mode() & 0o111 != 0, &self.head))?;
        }
        Ok(fs::rename(&self.draft, folder.at(name))?)
    }

    /// Gives it the name `wanted`, unless something has it.
    fn claim(&self, folder: &Folder, wanted: &OsStr) -> io::Result<bool> {
        // A rename would replace; a link does not.
        match fs::hard_link(&self.draft, folder.at(wanted)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(error),
            // The file system has no links.
            Err(_) if folder.about(wanted)?.is_some() => Ok(false),
            Err(_) => fs::rename(&self.draft, folder.at(wanted)).map(|()| true),
        }
    }

    /// Opens a pipe as soon as somebody reads it.
    fn opened(&self, open: impl Fn() -> io::Result<File>) -> Outcome<File> {
        loop {
            match open() {
                Err(error) if error.raw_os_error() == Some(NO_READER) => self.wait()?,
                done => return Ok(done?),
            }
        }
    }

    fn wait(&self) -> Outcome<()> {
        if Instant::now() >= self.deadline {
            return Err(Fault::Unfit("nobody reads it".to_owned()));
        }
        thread::sleep(PAUSE);
        Ok(())
    }

    /// Writes what the draft holds into a pipe or a device.
    fn pour(&self, mut to: impl Write) -> Outcome<()> {
        let mut from = File::open(&self.draft)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = from.read(&mut buffer)?;
            let mut rest = &buffer[..count];
            if count == 0 {
                return Ok(to.flush()?);
            }
            while !rest.is_empty() {
                match to.write(rest) {
                    Ok(0) => return Err(io::Error::from(ErrorKind::WriteZero).into()),
                    Ok(count) => rest = &rest[count..],
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait()?,
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }

    fn describe(&self, number: u32) -> Outcome<()> {
        let path = PathBuf::from(format!("/dev/fd/{number}"));
        let kind = fs::metadata(&path)?.file_type();
        if kind.is_block_device() || kind.is_dir() {
            return Err(Fault::Unfit("it is not a file that is written to".to_owned()));
        }
        match number {
            // A file is written on at the place where the shell is in it.
            1 if !kind.is_fifo() => self.pour(io::stdout().lock()),
            2 if !kind.is_fifo() => self.pour(io::stderr().lock()),
            _ => {
                let mut options = OpenOptions::new();
                options.append(true).custom_flags(O_NONBLOCK);
                self.pour(self.opened(|| options.open(&path))?)
            }
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        let room = HEAD.saturating_sub(self.head.len());
        self.head.extend(&bytes[..count.min(room)]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After a rename there is nothing to remove, and none to tell.
        let _ = fs::remove_file(&self.draft);
        if let Some(folder) = &self.private {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The first bytes of the regular file `about`.
fn head(path: &Path, about: &Metadata) -> Outcome<Vec<u8>> {
    let mut out = Vec::new();
    let file = match OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(path) {
        // It may be replaced where it may not be read.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(out),
        file => file?,
    };
    if !is_same(&file.metadata()?, about) {
        return Err(Fault::Unfit("it changed meanwhile".to_owned()));
    }
    file.take(HEAD as u64).read_to_end(&mut out)?;
    Ok(out)
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

/// Makes a folder in the temp folder that nobody else can enter.
///
/// # Errors
/// The temp folder cannot be written.
pub fn own_folder(subject: &str) -> io::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("browse-{subject}-{}", unique()));
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

/// What no other name ends in.
pub fn unique() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{call}", now.as_millis(), process::id())
}

/// `a.png`, `a-2.png`, `a-3.png` …
fn numbered(name: &OsStr, number: u32) -> OsString {
    if number == 1 {
        return name.to_owned();
    }
    let path = Path::new(name);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match path.extension() {
        Some(end) => format!("{stem}-{number}.{}", end.to_string_lossy()).into(),
        None => format!("{stem}-{number}").into(),
    }
}

/// Whether programs run or obey a file of this name: a page's gets another one.
pub fn is_obeyed(name: &str) -> bool {
    super::output_names::fits(super::output_names::NAMES, &name.to_lowercase())
}
