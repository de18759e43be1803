//! Takes files out of a package, which is a zip archive.

use std::{
    fs::File,
    io::{self, Cursor, Read as _},
    path::Path,
};

use zip::ZipArchive;

/// Bytes of a file that is taken out.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Writes the files of `wanted` to `folder`: what each is called in the
/// archive, and there.
///
/// # Errors
/// The archive is damaged, lacks one, or they cannot be written.
pub fn unpack(archive: &[u8], wanted: &[(&str, &str)], folder: &Path) -> io::Result<()> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).map_err(io::Error::other)?;
    for (name, to) in wanted {
        let entry = archive.by_name(name).map_err(|error| {
            io::Error::other(format!("`{name}` cannot be taken out of the package: {error}"))
        })?;
        let mut file = File::create_new(folder.join(to))?;
        io::copy(&mut entry.take(MAX_FILE_BYTES), &mut file)?;
        file.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write as _};

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    #[test]
    fn only_what_is_wanted_is_taken() {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in [("a/model.onnx", "weights"), ("../evil", "no"), ("b", "other")] {
            archive.start_file(name, SimpleFileOptions::default()).expect("a file");
            archive.write_all(text.as_bytes()).expect("it is written");
        }
        let archive = archive.finish().expect("an archive").into_inner();
        let folder = tempfile::tempdir().expect("a folder");
        let take = |wanted: &[(&str, &str)]| unpack(&archive, wanted, folder.path());
        take(&[("a/model.onnx", "model.onnx")]).expect("it is there");
        assert_eq!(fs::read_to_string(folder.path().join("model.onnx")).expect("text"), "weights");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        assert!(take(&[("c", "c")]).expect_err("it is not there").to_string().contains("`c`"));
        assert!(take(&[("b", "model.onnx")]).is_err(), "nothing is written over");
        assert!(unpack(&archive[..20], &[("b", "b")], folder.path()).is_err());
    }
}
