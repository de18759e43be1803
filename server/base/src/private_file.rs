//! Files of the daemon in its own folders: opened without following a link and without waiting
//! for the other end of a pipe, and readable by their owner alone.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use nix::libc::{O_NOFOLLOW, O_NONBLOCK};

/// Opens a file with `options`; one that is made gets the mode 0600.
///
/// # Errors
/// It cannot be opened, is a link, or is not a plain file.
pub fn open_private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.mode(0o600).custom_flags(O_NOFOLLOW | O_NONBLOCK).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a plain file")),
    }
}

/// Opens a file for writing at its end, and makes it if it is missing.
///
/// # Errors
/// As [`open_private`].
pub fn open_private_log(path: &Path) -> io::Result<File> {
    open_private(OpenOptions::new().append(true).create(true), path)
}

/// The first `max_bytes` of a file.
///
/// # Errors
/// As [`open_private`]; it cannot be read.
pub fn read_private(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_private(OpenOptions::new().read(true), path)?;
    file.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write as _, os::unix::fs::MetadataExt as _};

    use super::*;

    #[test]
    fn a_private_file_is_no_link_and_no_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        open_private_log(&file).expect("it opens").write_all(b"one").expect("written");
        open_private_log(&file).expect("it opens").write_all(b"two").expect("written");
        assert_eq!(fs::metadata(&file).expect("it is there").mode() & 0o777, 0o600);
        assert_eq!(read_private(&file, 4).expect("read"), b"onet");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        for refused in [&link, &folder.path().to_owned()] {
            assert!(read_private(refused, 4).is_err(), "{}", refused.display());
            assert!(open_private_log(refused).is_err(), "{}", refused.display());
        }
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        assert!(read_private(&pipe, 4).is_err());
    }
}
