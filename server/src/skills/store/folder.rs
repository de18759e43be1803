//! A folder that is held open: what is done in it is done in it, whatever
//! becomes of its path meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, RenameFlags};

use super::failpoint;

/// An open folder. No method follows a link in its last component.
#[derive(Debug)]
pub struct OpenFolder {
    fd: OwnedFd,
    path: PathBuf,
}

/// What an entry of a folder is.
#[derive(Clone, Debug)]
pub struct FolderEntry {
    /// File, folder, or something that no skill may hold.
    pub kind: FileType,
    /// Names that the file has on the disk.
    pub links: u64,
    /// Whether anybody may execute it.
    pub executable: bool,
    /// Device and inode: which file it is, whatever its name.
    pub identity: (u64, u64),
}

impl OpenFolder {
    /// Opens `path`, whose last component is not a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        let fd = rustix::fs::open(path, OPEN_FOLDER_FLAGS, Mode::empty())?;
        Ok(Self { fd, path: path.to_owned() })
    }

    /// Opens `path`, with links followed and missing folders made.
    pub fn create_all(path: &Path, mode: u32) -> io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        if !path.is_dir() {
            failpoint::point();
            std::fs::DirBuilder::new().recursive(true).mode(mode).create(path)?;
            if let Some(parent) = path.parent() {
                File::open(parent)?.sync_all()?;
            }
        }
        Self::open(&path.canonicalize()?)
    }

    /// Opens the folder `name` in it, and makes it where there is none. A link
    /// is not followed, and neither is it replaced.
    pub fn open_or_create_child(&self, name: &OsStr, mode: u32) -> io::Result<Self> {
        match self.create_child(name, mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                self.sync()?;
                return made;
            }
        }
        self.child(name)
    }

    /// Opens the folder `name` in it.
    pub fn child(&self, name: &OsStr) -> io::Result<Self> {
        let fd = rustix::fs::openat(&self.fd, name, OPEN_FOLDER_FLAGS, Mode::empty())?;
        Ok(Self { fd, path: self.path.join(name) })
    }

    /// Makes the folder `name` in it, which must not be there.
    pub fn create_child(&self, name: &OsStr, mode: u32) -> io::Result<Self> {
        failpoint::point();
        rustix::fs::mkdirat(&self.fd, name, Mode::from_raw_mode(mode as _))?;
        self.child(name)
    }

    /// Makes the private folder `name` in it and locks that one, before whoever
    /// sweeps here can see it.
    pub fn create_locked_child(&self, name: &OsStr) -> io::Result<Self> {
        let sweeper = Self::open(&self.path)?;
        sweeper.lock()?;
        let folder = self.create_child(name, 0o700)?;
        folder.lock()?;
        Ok(folder)
    }

    /// Where it was when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names in it, sorted.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// What `name` in it is; a link is a link.
    #[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // Types differ by system.
    pub fn entry(&self, name: &OsStr) -> io::Result<FolderEntry> {
        let stat = rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(to_entry(&stat))
    }

    /// Whether there is anything called `name` in it, a dangling link included.
    pub fn has(&self, name: &OsStr) -> bool {
        self.entry(name).is_ok()
    }

    /// What the folder itself is.
    pub fn metadata(&self) -> io::Result<FolderEntry> {
        Ok(to_entry(&rustix::fs::fstat(&self.fd)?))
    }

    /// Opens the plain file `name`. Whatever else stands there is not opened,
    /// and a pipe does not hold it up.
    pub fn read(&self, name: &OsStr) -> io::Result<(File, FolderEntry)> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::empty())?;
        let entry = to_entry(&rustix::fs::fstat(&fd)?);
        if entry.kind != FileType::RegularFile {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a plain file"));
        }
        Ok((File::from(fd), entry))
    }

    /// Makes the file `name`, which must not be there.
    pub fn create(&self, name: &OsStr, executable: bool) -> io::Result<File> {
        failpoint::point();
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = if executable { 0o755 } else { 0o644 };
        let fd = rustix::fs::openat(&self.fd, name, flags, Mode::from_raw_mode(mode))?;
        Ok(File::from(fd))
    }

    /// Makes the file `name` with this content, on the disk.
    pub fn write(&self, name: &OsStr, content: &[u8], executable: bool) -> io::Result<()> {
        let mut file = self.create(name, executable)?;
        failpoint::point();
        file.write_all(content)?;
        file.sync_all()
    }

    /// Puts its list of names on the disk.
    pub fn sync(&self) -> io::Result<()> {
        failpoint::point();
        Ok(rustix::fs::fsync(&self.fd)?)
    }

    /// Removes `name` with all that is in it; links are removed, not followed.
    /// What is not there is removed already.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        match self.entry(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
            Ok(entry) if entry.kind != FileType::Directory => {
                failpoint::point();
                return Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?);
            }
            Ok(_) => {}
        }
        let folder = self.child(name)?;
        for inner in folder.names()? {
            folder.remove(&inner)?;
        }
        failpoint::point();
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::REMOVEDIR)?)
    }

    /// Moves `name` to `to/new`, which must not be there.
    pub fn move_to(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        failpoint::point();
        let flags = RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(&self.fd, name, &to.fd, new, flags) {
            // The file system knows no such flag; the lock of the tier is what is left.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) if !to.has(new) => {
                Ok(rustix::fs::renameat(&self.fd, name, &to.fd, new)?)
            }
            done => Ok(done?),
        }
    }

    /// Lets `one` and `other` in it change places at once.
    pub fn exchange(&self, one: &OsStr, other: &OsStr) -> io::Result<()> {
        failpoint::point();
        let flags = RenameFlags::EXCHANGE;
        Ok(rustix::fs::renameat_with(&self.fd, one, &self.fd, other, flags)?)
    }

    /// Waits until no other daemon changes it; others may again when this
    /// folder is dropped.
    pub fn lock(&self) -> io::Result<()> {
        Ok(rustix::fs::flock(&self.fd, FlockOperation::LockExclusive)?)
    }

    /// The same without waiting; tells whether it has the lock.
    pub fn try_lock(&self) -> bool {
        rustix::fs::flock(&self.fd, FlockOperation::NonBlockingLockExclusive).is_ok()
    }
}

const OPEN_FOLDER_FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

#[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // Types differ by system.
fn to_entry(stat: &rustix::fs::Stat) -> FolderEntry {
    FolderEntry {
        kind: FileType::from_raw_mode(stat.st_mode),
        links: stat.st_nlink as u64,
        executable: stat.st_mode & 0o111 != 0,
        identity: (stat.st_dev as u64, stat.st_ino as u64),
    }
}
