//! Writes what a command saves. A regular file appears whole or not at all; pipes
//! with a name and a few devices are written into; nothing else is.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, DirBuilder, File, Metadata, OpenOptions},
    io::{self, ErrorKind, Read as _, Write},
    os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

pub use super::output_place::{Fault, Options, Outcome, make_folder};
use super::output_place::{Folder, Goal, O_NONBLOCK, is_same};
use super::output_rule::{HEAD, contradiction, replacement};

/// Time between two looks at a pipe that nobody reads.
const PAUSE: Duration = Duration::from_millis(10);

/// `ENXIO`: nobody reads.
const NO_READER: i32 = 6;

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
