//! The salt of this device, `security/device-salt`: without it the hashes of
//! sources could be looked up in a table.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use super::file::unreadable;
use browse_base::{Result, open_private};

/// Bytes of the salt.
const SALT_BYTES: usize = 32;

/// The salt of a device.
pub struct DeviceSalt([u8; SALT_BYTES]);

impl DeviceSalt {
    /// The salt in `folder`; a new one where there is none.
    ///
    /// # Errors
    /// `SECURITY_FILE_UNREADABLE`: it is damaged, others can read it, or it
    /// cannot be written. A new one in its place would hide the damage.
    pub fn read_or_create(folder: &Path) -> Result<Self> {
        let path = salt_path(folder);
        loop {
            match read(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                read => return read.map(Self).map_err(|error| unreadable(&path, 0, &error)),
            }
            match create(folder, &path) {
                // Another daemon was faster: its salt counts.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(Self).map_err(|error| unreadable(&path, 0, &error)),
            }
        }
    }

    /// The salted SHA-256 of `source`, in hex.
    pub fn hash(&self, source: &[u8]) -> String {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(source);
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Whether a salt that exists can be used.
///
/// # Errors
/// As [`Salt::read_or_make`].
pub fn check(folder: &Path) -> Result<()> {
    let path = salt_path(folder);
    match read(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unreadable(&path, 0, &error)),
        _ => Ok(()),
    }
}

fn salt_path(folder: &Path) -> PathBuf {
    folder.join("device-salt")
}

fn read(path: &Path) -> io::Result<[u8; SALT_BYTES]> {
    let mut file = open_private(OpenOptions::new().read(true), path)?;
    let meta = file.metadata()?;
    if meta.len() != SALT_BYTES as u64 {
        return Err(io::Error::other(format!("it is not a file of {SALT_BYTES} bytes")));
    }
    if meta.mode() & 0o077 != 0 {
        return Err(io::Error::other("others than its owner can read it: `chmod 600` it"));
    }
    let mut salt = [0; SALT_BYTES];
    file.read_exact(&mut salt)?;
    Ok(salt)
}

/// Whole or not at all, and never over one that is there.
fn create(folder: &Path, path: &Path) -> io::Result<[u8; SALT_BYTES]> {
    let salt: [u8; SALT_BYTES] = rand::random();
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o600))?;
    file.write_all(&salt)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()?;
    Ok(salt)
}
