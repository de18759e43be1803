//! What names a model: the hash of its file.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use browse_guard::onnx_classifier::{ModelFileError, file_name};
use sha2::{Digest as _, Sha256};

/// SHA-256 of a file in hex, and its size in bytes.
///
/// # Errors
/// It cannot be read.
pub fn hash_file(path: &Path) -> Result<(String, u64), ModelFileError> {
    read_and_hash(path).map_err(|error| ModelFileError::new(file_name(path), error.to_string()))
}

fn read_and_hash(path: &Path) -> io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 256 << 10];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => {
                hash.update(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
    Ok((hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect(), bytes))
}

#[cfg(test)]
mod tests {
    use super::hash_file;

    #[test]
    fn a_file_is_hashed_whole() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "abc").expect("it is written");
        let (hash, bytes) = hash_file(file.path()).expect("it is read");
        assert!(hash.starts_with("ba7816bf8f01cfea") && bytes == 3, "{hash}");
        assert!(hash_file(std::path::Path::new("/nowhere")).is_err());
    }
}
