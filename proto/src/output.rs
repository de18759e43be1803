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

use super::output_place::{O_NONBLOCK, OpenedFolder, OutputTarget, is_same};
pub use super::output_place::{OutputError, OutputOptions, OutputResult, make_folder};
use super::output_rule::{KIND_HEAD_BYTES, kind_mismatch, replacement_refusal};

/// Time between two looks at a pipe that nobody reads.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// `ENXIO`: nobody reads.
const ENXIO: i32 = 6;

/// A file under way. It is written under another name beside its own, or in a
/// folder of its own when it goes into a pipe or a device.
#[derive(Debug)]
pub struct AtomicFile {
    target: OutputTarget,
    path: PathBuf,
    temp_path: PathBuf,
    private_folder: Option<PathBuf>,
    file: File,
    first_bytes: Vec<u8>,
    is_named: bool,
    deadline: Instant,
    is_forced: bool,
}

impl AtomicFile {
    /// Begins what is to be at `path`.
    ///
    /// # Errors
    /// The rule refuses it, it is not a regular file, or the folder cannot be written.
    pub fn begin(path: &Path, options: &OutputOptions<'_>) -> OutputResult<Self> {
        let goal = OutputTarget::resolve(path, options)?;
        let (private, draft) = match &goal {
            OutputTarget::File(folder, name) => {
                // A long name would be too long with what is added to it.
                let short: String = name.to_string_lossy().chars().take(30).collect();
                (None, folder.path_of(OsStr::new(&format!(".{short}.{}", unique_suffix()))))
            }
            _ => {
                let folder = create_private_folder("output")?;
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
            target: goal,
            path: path.to_owned(),
            temp_path: draft,
            private_folder: private,
            file,
            first_bytes: Vec::new(),
            is_named: !options.is_numbered,
            deadline: options.deadline,
            is_forced: options.is_forced,
        })
    }

    /// Where the draft lies, for who removes it when a signal ends the program.
    pub fn draft_path(&self) -> PathBuf {
        match (&self.target, self.temp_path.file_name()) {
            (OutputTarget::File(folder, _), Some(name)) => folder.path.join(name),
            _ => self.temp_path.clone(),
        }
    }

    /// Whether it goes to standard output.
    pub fn is_standard_output(&self) -> bool {
        matches!(self.target, OutputTarget::Descriptor(1))
    }

    /// Puts it where it is to be, and returns the path that it got.
    ///
    /// # Errors
    /// What is there is of another kind, or the system refuses it.
    pub fn finish(mut self) -> OutputResult<PathBuf> {
        self.file.flush()?;
        match &self.target {
            OutputTarget::File(folder, name) if self.is_named => {
                self.replace(folder, name)?;
                Ok(self.path.clone())
            }
            OutputTarget::File(folder, name) => {
                for number in 1u32.. {
                    let wanted = numbered_name(name, number);
                    if self.claim(folder, &wanted)? {
                        return Ok(self.path.with_file_name(wanted));
                    }
                }
                Err(io::Error::from(ErrorKind::AlreadyExists).into())
            }
            OutputTarget::Stream(folder, name, about) => {
                let open = || {
                    OpenOptions::new()
                        .write(true)
                        .custom_flags(O_NONBLOCK)
                        .open(folder.path_of(name))
                };
                let stream = match about.file_type().is_fifo() {
                    true => self.open_when_read(open)?,
                    false => open()?,
                };
                let found = stream.metadata()?;
                if !is_same(&found, about) || found.rdev() != about.rdev() {
                    return Err(OutputError::Unsupported("it changed meanwhile".to_owned()));
                }
                self.copy_to(stream)?;
                Ok(self.path.clone())
            }
            OutputTarget::Descriptor(number) => {
                self.copy_to_descriptor(*number)?;
                Ok(self.path.clone())
            }
        }
    }

    /// Gives it its name in place of what had it.
    fn replace(&self, folder: &OpenedFolder, name: &OsStr) -> OutputResult<()> {
        let shown = name.to_string_lossy();
        let rule = |fault: Option<String>| match fault.filter(|_| !self.is_forced) {
            Some(fault) => Err(OutputError::Refused(fault)),
            None => Ok(()),
        };
        rule(kind_mismatch(&shown, &self.first_bytes))?;
        let Some(about) = folder.metadata_of(name)? else {
            return match self.claim(folder, name)? {
                true => Ok(()),
                false => Err(OutputError::Unsupported("it came into being meanwhile".to_owned())),
            };
        };
        if !about.is_file() {
            return Err(OutputError::Unsupported("it changed meanwhile".to_owned()));
        }
        if !self.is_forced {
            let old = read_first_bytes(&folder.path_of(name), &about)?;
            rule(replacement_refusal(&shown, &old, about.mode() & 0o111 != 0, &self.first_bytes))?;
        }
        Ok(fs::rename(&self.temp_path, folder.path_of(name))?)
    }

    /// Gives it the name `wanted`, unless something has it.
    fn claim(&self, folder: &OpenedFolder, wanted: &OsStr) -> io::Result<bool> {
        // A rename would replace; a link does not.
        match fs::hard_link(&self.temp_path, folder.path_of(wanted)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(error),
            // The file system has no links.
            Err(_) if folder.metadata_of(wanted)?.is_some() => Ok(false),
            Err(_) => fs::rename(&self.temp_path, folder.path_of(wanted)).map(|()| true),
        }
    }

    /// Opens a pipe as soon as somebody reads it.
    fn open_when_read(&self, open: impl Fn() -> io::Result<File>) -> OutputResult<File> {
        loop {
            match open() {
                Err(error) if error.raw_os_error() == Some(ENXIO) => self.wait_for_reader()?,
                done => return Ok(done?),
            }
        }
    }

    fn wait_for_reader(&self) -> OutputResult<()> {
        if Instant::now() >= self.deadline {
            return Err(OutputError::Unsupported("nobody reads it".to_owned()));
        }
        thread::sleep(POLL_INTERVAL);
        Ok(())
    }

    /// Writes what the draft holds into a pipe or a device.
    fn copy_to(&self, mut to: impl Write) -> OutputResult<()> {
        let mut from = File::open(&self.temp_path)?;
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
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        self.wait_for_reader()?
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }

    fn copy_to_descriptor(&self, number: u32) -> OutputResult<()> {
        let path = PathBuf::from(format!("/dev/fd/{number}"));
        let kind = fs::metadata(&path)?.file_type();
        if kind.is_block_device() || kind.is_dir() {
            return Err(OutputError::Unsupported("it is not a file that is written to".to_owned()));
        }
        if is_read_only(number) {
            return Err(OutputError::Unsupported("it is open for reading only".to_owned()));
        }
        match number {
            // A file is written on at the place where the shell is in it.
            1 if !kind.is_fifo() => self.copy_to(io::stdout().lock()),
            2 if !kind.is_fifo() => self.copy_to(io::stderr().lock()),
            _ => {
                let mut options = OpenOptions::new();
                options.append(true).custom_flags(O_NONBLOCK);
                self.copy_to(self.open_when_read(|| options.open(&path))?)
            }
        }
    }
}

/// Whether a descriptor was opened for reading alone. To open it by its path on Linux
/// asks for the file anew, so that its own mode would not count.
fn is_read_only(number: u32) -> bool {
    let about = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    // The lowest two bits are the access mode; zero is O_RDONLY.
    flags.is_some_and(|flags| flags & 0o3 == 0)
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        let room = KIND_HEAD_BYTES.saturating_sub(self.first_bytes.len());
        self.first_bytes.extend(&bytes[..count.min(room)]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After a rename there is nothing to remove, and none to tell.
        let _ = fs::remove_file(&self.temp_path);
        if let Some(folder) = &self.private_folder {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The first bytes of the regular file `about`.
fn read_first_bytes(path: &Path, about: &Metadata) -> OutputResult<Vec<u8>> {
    let mut out = Vec::new();
    let file = match OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(path) {
        // It may be replaced where it may not be read.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok(out),
        file => file?,
    };
    if !is_same(&file.metadata()?, about) {
        return Err(OutputError::Unsupported("it changed meanwhile".to_owned()));
    }
    file.take(KIND_HEAD_BYTES as u64).read_to_end(&mut out)?;
    Ok(out)
}

/// Makes a folder in the temp folder that nobody else can enter.
///
/// # Errors
/// The temp folder cannot be written.
pub fn create_private_folder(subject: &str) -> io::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("browse-{subject}-{}", unique_suffix()));
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

/// What no other name ends in.
pub fn unique_suffix() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{call}", now.as_millis(), process::id())
}

/// `a.png`, `a-2.png`, `a-3.png` …
fn numbered_name(name: &OsStr, number: u32) -> OsString {
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

/// The name that a file gets whose name a page chose: none that programs run, obey or
/// load by itself.
pub fn harmless_page_name(name: &str) -> String {
    use super::output_names::{LOADED, NAMES, contains, matches_pattern};

    let is_obeyed = |name: &str| matches_pattern(NAMES, &name.to_lowercase());
    let is_loaded = contains(LOADED, super::output_rule::extension(&name.to_lowercase()));
    if !is_obeyed(name) && !is_loaded {
        return name.to_owned();
    }
    let renamed = format!("_{name}");
    // Some extensions are obeyed whatever stands before them.
    if is_obeyed(&renamed) { format!("{renamed}.txt") } else { renamed }
}
