//! The files of a skill, read once: the hash and the texts are of the same bytes.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path};

use browse_base::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    hash::{self, ContentHasher},
    store::{FolderEntry, OpenFolder},
    visible_text::visible_text,
};

/// Bytes of the largest file whose text is kept.
pub const MAX_TEXT_FILE_BYTES: u64 = 512 << 10;

/// Bytes of all texts of a skill that are kept.
pub const MAX_TEXT_BYTES: usize = 4 << 20;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 64 << 10;

/// The files of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillContent {
    /// What [`hash::hash`] answers for the skill.
    pub hash: String,
    /// Its files, in the order in which they are hashed.
    pub files: Vec<SkillFileContent>,
}

/// A file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillFileContent {
    /// Path in the folder of the skill.
    pub path: String,
    /// Whether anybody may execute it.
    pub executable: bool,
    /// Its size in bytes.
    pub bytes: u64,
    /// SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
    /// What it holds.
    pub text: SkillFileText,
}

/// The text of a file, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillFileText {
    /// Its lines, as [`visible_text`] shows them.
    Lines(String),
    /// It is not text.
    Binary,
    /// It is larger than [`MAX_TEXT_FILE_BYTES`].
    TooLarge,
    /// The texts before it take [`MAX_TEXT_BYTES`].
    OverLimit,
}

impl SkillContent {
    /// Reads the skill in `folder`. Links are not followed.
    ///
    /// # Errors
    /// A file cannot be read, is a link or another special file, has a name that is not
    /// UTF-8, or changed while it was read.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let root = OpenFolder::open(folder)?;
        let mut reading = ContentReader::default();
        for path in hash::files(folder)? {
            reading.add(&root, &path)?;
        }
        Ok(Self { hash: reading.hasher.finish(), files: reading.files })
    }
}

#[derive(Default)]
struct ContentReader {
    hasher: ContentHasher,
    files: Vec<SkillFileContent>,
    /// Bytes of the texts so far.
    text_bytes: usize,
}

impl ContentReader {
    fn add(&mut self, root: &OpenFolder, path: &Path) -> io::Result<()> {
        let Some(name) = path.to_str() else {
            let shown = path.display();
            return Err(invalid(&format!("`{shown}` has a name that is not UTF-8")));
        };
        let (mut file, entry) = open_file(root, path)?;
        let length = file.metadata()?.len();
        self.hasher.begin(path, entry.executable, length);
        let (mut sha, mut read) = (Sha256::new(), 0);
        let mut kept = (length <= MAX_TEXT_FILE_BYTES).then(Vec::new);
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let count = file.read(&mut piece)?;
            read += count as u64;
            if count == 0 || read > length {
                break;
            }
            self.hasher.update(&piece[..count]);
            sha.update(&piece[..count]);
            if let Some(kept) = &mut kept {
                kept.extend_from_slice(&piece[..count]);
            }
        }
        if read != length {
            return Err(invalid(&format!("`{}` changed while it was read", path.display())));
        }
        let text = self.text(kept);
        self.files.push(SkillFileContent {
            path: name.to_owned(),
            executable: entry.executable,
            bytes: length,
            sha256: hex(&sha.finalize()),
            text,
        });
        Ok(())
    }

    /// The text of a file with this content, which is none when it is too large.
    fn text(&mut self, content: Option<Vec<u8>>) -> SkillFileText {
        let Some(content) = content else { return SkillFileText::TooLarge };
        let Some(text) = visible_text(&content) else { return SkillFileText::Binary };
        if self.text_bytes + text.len() > MAX_TEXT_BYTES {
            return SkillFileText::OverLimit;
        }
        self.text_bytes += text.len();
        SkillFileText::Lines(text)
    }
}

/// Opens a file below `root`: no part of its path may have become a link meanwhile.
fn open_file(root: &OpenFolder, path: &Path) -> io::Result<(File, FolderEntry)> {
    let name = path.file_name().ok_or_else(|| invalid("a file has no name"))?;
    let mut folder: Option<OpenFolder> = None;
    for part in path.parent().unwrap_or(Path::new("")).components() {
        let Component::Normal(part) = part else { return Err(invalid("a path leads out")) };
        folder = Some(folder.as_ref().unwrap_or(root).child(part)?);
    }
    folder.as_ref().unwrap_or(root).read(name)
}

fn invalid(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::{MAX_TEXT_BYTES, MAX_TEXT_FILE_BYTES, SkillContent, SkillFileText};
    use crate::skills::hash::hash;

    #[test]
    fn it_has_the_hash_of_the_skill_and_its_texts() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("lib")).expect("made");
        fs::write(folder.path().join("lib/a"), "one\n").expect("written");
        fs::write(folder.path().join("lib-b"), [0, 1, 2, 0xff]).expect("written");
        fs::write(folder.path().join("run"), "").expect("written");
        fs::set_permissions(folder.path().join("run"), fs::Permissions::from_mode(0o755))
            .expect("set");
        let content = SkillContent::read(folder.path()).expect("read");
        assert_eq!(content.hash, hash(folder.path()).expect("hashed"));
        let files: Vec<_> = content
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.executable, file.bytes, &file.text))
            .collect();
        let lines = |text: &str| SkillFileText::Lines(text.to_owned());
        assert_eq!(
            files,
            [
                ("lib/a", false, 4, &lines("one\n")),
                ("lib-b", false, 4, &SkillFileText::Binary),
                ("run", true, 0, &lines("")),
            ]
        );
        let json = serde_json::to_vec(&content).expect("JSON");
        assert_eq!(serde_json::from_slice::<SkillContent>(&json).expect("read"), content);
    }

    #[test]
    fn what_is_too_much_has_a_hash_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let size = usize::try_from(MAX_TEXT_FILE_BYTES).expect("a size");
        fs::write(folder.path().join("a"), "a".repeat(size + 1)).expect("written");
        let fitting = MAX_TEXT_BYTES / size;
        for number in 0..=fitting {
            fs::write(folder.path().join(format!("b{number}")), "b".repeat(size)).expect("written");
        }
        let content = SkillContent::read(folder.path()).expect("read");
        let count =
            |text: &SkillFileText| content.files.iter().filter(|file| file.text == *text).count();
        assert_eq!(count(&SkillFileText::TooLarge), 1);
        assert_eq!(count(&SkillFileText::Lines("b".repeat(size))), fitting);
        assert_eq!(count(&SkillFileText::OverLimit), 1);
        assert!(content.files.iter().all(|file| file.sha256.len() == 64));
        assert_eq!(content.hash, hash(folder.path()).expect("hashed"));
    }

    #[test]
    fn a_link_is_not_followed() {
        let (folder, other) =
            (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        fs::write(other.path().join("key"), "secret").expect("written");
        symlink(other.path().join("key"), folder.path().join("a")).expect("linked");
        assert!(SkillContent::read(folder.path()).is_err());
        fs::remove_file(folder.path().join("a")).expect("removed");
        symlink(other.path(), folder.path().join("b")).expect("linked");
        assert!(SkillContent::read(folder.path()).is_err());
        let root = super::OpenFolder::open(folder.path()).expect("open");
        assert!(super::open_file(&root, "b/key".as_ref()).is_err());
        assert!(super::open_file(&root, "../key".as_ref()).is_err());
        assert!(SkillContent::read(&folder.path().join("b")).is_err());
    }
}
