//! Files that are sent as they are, each with its name.

use std::{fs, path::Path};

use browse_proto::wire::base64;
use serde_json::{Value, json};

use super::{input::unreadable, readable_path};
use crate::{
    failure::Result,
    io_failure,
    limits::{MAX_MESSAGE_BYTES, too_large},
};

/// Bytes of a request that are left for everything but the files.
const REQUEST_OVERHEAD_BYTES: usize = 64 << 10;

/// The files at `paths`, as a list of names and contents. All of them have to
/// fit into one message.
pub fn files(paths: &[&str]) -> Result<Value> {
    let limit = MAX_MESSAGE_BYTES - REQUEST_OVERHEAD_BYTES;
    let mut total = 0;
    let mut files = Vec::new();
    for path in paths {
        let real = readable_path::check_readable(path)?;
        let failed = |error| unreadable(&format!("`{path}`"), &io_failure::error_text(&error));
        // Measured first: a file of gigabytes is not read to be refused.
        total += fs::metadata(&real).map_err(failed)?.len();
        if total > limit as u64 {
            let message = match paths {
                [path] => format!("`{path}` has {total} bytes"),
                _ => format!("the files up to `{path}` have {total} bytes"),
            };
            return Err(too_large(message, limit));
        }
        let content = base64::encode(&fs::read(&real).map_err(failed)?);
        files.push(json!({ "name": file_name(path), "content": content }));
    }
    Ok(Value::Array(files))
}

/// The name that the caller gave, not that of what a link points to.
fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_carry_their_names_and_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a b.bin");
        fs::write(&path, [0, 159, 146, 150]).expect("a file");
        let path = path.to_string_lossy();
        let read = files(&[&path, &path]).expect("two files");
        assert_eq!(
            read,
            json!([{ "name": "a b.bin", "content": "AJ+Slg==" }, { "name": "a b.bin", "content": "AJ+Slg==" }])
        );
    }

    #[test]
    fn secrets_and_folders_are_not_sent() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = folder.path().join("server.pem");
        fs::write(&key, "x").expect("a file");
        assert!(files(&[&key.to_string_lossy()]).is_err());
        assert!(files(&[&folder.path().to_string_lossy()]).is_err());
        assert!(files(&["no such file"]).is_err());
    }
}
