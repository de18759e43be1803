//! Where the files are: a folder for each session, and an index beside them.
//!
//! Everything is 0700 or 0600, and nothing is done through a link: a project that
//! was cloned may hold some.

use std::{
    collections::HashSet,
    fs, io,
    os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    },
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use browse_proto::file_name;

use super::record::{DownloadRecord, DownloadStatus, IndexEntry, RETENTION};
use crate::SessionName;
use browse_chromium::PARTIAL_DIR_PREFIX;

/// Files that one name is numbered for.
const MAX_NAME_SUFFIX: u32 = 10_000;

/// The folder of the downloads, by the folder that the daemon keeps its own files
/// in. A folder that is not ours alone gets one whose name says whose it is.
pub fn downloads_dir(folder: &Path) -> PathBuf {
    match folder.ends_with(".browse") {
        true => folder.join("downloads"),
        false => folder.join(".browse-downloads"),
    }
}

/// A folder that was checked.
#[derive(Clone, Debug)]
pub struct DownloadFolder(PathBuf);

impl DownloadFolder {
    /// Makes or checks the folder at `path`.
    ///
    /// # Errors
    /// It cannot be made, is a link, or belongs to somebody else.
    pub fn open(path: &Path) -> io::Result<Self> {
        create_private_dir(path)?;
        Ok(Self(path.to_owned()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Moves the file at `from` into the folder of `session` under `name`, or the
    /// first of `name-2`, `name-3` … that is free. Answers where it is, and its
    /// size.
    ///
    /// # Errors
    /// The file is gone, or the folder cannot be written.
    pub fn move_in(&self, from: &Path, session: &str, name: &str) -> io::Result<(PathBuf, u64)> {
        let folder = self.session_dir(session);
        create_private_dir(&folder)?;
        let size = fs::symlink_metadata(from)?.len();
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        for number in 1..=MAX_NAME_SUFFIX {
            let path = folder.join(numbered_name(name, number));
            // Reserves the name: a rename would replace what has it.
            match options.open(&path) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
            let moved = fs::set_permissions(from, fs::Permissions::from_mode(0o600))
                .and_then(|()| fs::rename(from, &path));
            return match moved {
                Ok(()) => Ok((path, size)),
                Err(error) => {
                    let _ = fs::remove_file(&path);
                    Err(error)
                }
            };
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Reads the index: the files that are still there.
    pub fn read_index(&self, now: SystemTime) -> Vec<DownloadRecord> {
        let Ok(text) = fs::read_to_string(self.index_path()) else { return Vec::new() };
        let entries: Vec<IndexEntry> = serde_json::from_str(&text).unwrap_or_default();
        entries.into_iter().filter_map(|entry| self.load_entry(entry, now)).collect()
    }

    /// An entry as a record, when it is one that we could have written and its
    /// file is there.
    fn load_entry(&self, entry: IndexEntry, now: SystemTime) -> Option<DownloadRecord> {
        entry.session.parse::<SessionName>().ok()?;
        let is_plain = |name: &str| file_name::sanitize(name) == name;
        if !is_plain(&entry.name) || !is_plain(&entry.file) {
            return None;
        }
        let path = self.session_dir(&entry.session).join(&entry.file);
        let found = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let until = UNIX_EPOCH.checked_add(Duration::from_secs(entry.until))?.min(now + RETENTION);
        Some(DownloadRecord {
            id: entry.id,
            guid: String::new(),
            session: entry.session,
            instance: entry.instance,
            client: entry.client,
            tab: entry.tab,
            url: entry.url,
            name: entry.name,
            mime: entry.mime,
            received: found.len(),
            total: None,
            status: DownloadStatus::Complete,
            expires_at: until,
            path: Some(path),
            saved: entry.saved,
            is_reported: true,
            started_at: None,
        })
    }

    /// Writes the index of `records`; there is none when no file is kept.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_index(&self, records: &[DownloadRecord]) -> io::Result<()> {
        let entries: Vec<_> = records.iter().filter_map(to_index_entry).collect();
        if entries.is_empty() {
            return match fs::remove_file(self.index_path()) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let mut file = tempfile::Builder::new()
            .prefix(".browse-")
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(self.0.parent().unwrap_or(&self.0))?;
        io::Write::write_all(&mut file, &serde_json::to_vec(&entries)?)?;
        file.persist(self.index_path())?;
        Ok(())
    }

    /// Removes files that are older than a day and that no record has: those of an
    /// index that was lost, and what a daemon that was killed left half-written.
    pub fn sweep(&self, records: &[DownloadRecord], now: SystemTime) {
        let known: HashSet<&Path> =
            records.iter().filter_map(|record| record.path.as_deref()).collect();
        let is_old = |entry: &fs::DirEntry| {
            let changed = entry.metadata().and_then(|found| found.modified());
            changed
                .is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age > RETENTION))
        };
        for folder in fs::read_dir(&self.0).into_iter().flatten().flatten() {
            if !folder.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let is_file = file.file_type().is_ok_and(|kind| kind.is_file());
                if is_file && is_old(&file) && !known.contains(file.path().as_path()) {
                    let _ = fs::remove_file(file.path());
                }
            }
            let is_partial = folder.file_name().to_string_lossy().starts_with(PARTIAL_DIR_PREFIX);
            if !is_partial || is_old(&folder) {
                // One that is not empty stays.
                let _ = fs::remove_dir(folder.path());
            }
        }
    }

    /// Removes the folder when nothing is in it.
    pub fn remove_if_empty(&self) {
        let _ = fs::remove_dir(&self.0);
    }

    fn session_dir(&self, session: &str) -> PathBuf {
        // Names of sessions may be `.` and `..`.
        match session.starts_with('.') {
            true => self.0.join(format!("_{session}")),
            false => self.0.join(session),
        }
    }

    /// Beside the folder, where no name that a page chose can be.
    fn index_path(&self) -> PathBuf {
        self.0.with_extension("json")
    }
}

fn to_index_entry(record: &DownloadRecord) -> Option<IndexEntry> {
    let file = record.path.as_ref()?.file_name()?.to_str()?.to_owned();
    let until = record.expires_at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    (record.status == DownloadStatus::Complete).then(|| IndexEntry {
        id: record.id,
        session: record.session.clone(),
        instance: record.instance,
        client: record.client.clone(),
        tab: record.tab,
        url: record.url.clone(),
        name: record.name.clone(),
        file,
        mime: record.mime.clone(),
        bytes: record.received,
        until,
        saved: record.saved,
    })
}

fn create_private_dir(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() || found.uid() != nix::unistd::geteuid().as_raw() {
        let message = "the folder for them is a link, or belongs to another user";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))
}

fn numbered_name(name: &str, number: u32) -> String {
    match name.rsplit_once('.') {
        _ if number == 1 => name.to_owned(),
        Some((stem, ending)) if !stem.is_empty() => format!("{stem}-{number}.{ending}"),
        _ => format!("{name}-{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: u64, path: PathBuf, until: SystemTime) -> DownloadRecord {
        DownloadRecord {
            id,
            guid: String::new(),
            session: "default".to_owned(),
            instance: None,
            client: "root".to_owned(),
            tab: 1,
            url: "http://x/a".to_owned(),
            name: "a.txt".to_owned(),
            mime: "text/plain".to_owned(),
            received: 1,
            total: None,
            status: DownloadStatus::Complete,
            expires_at: until,
            path: Some(path),
            saved: false,
            is_reported: true,
            started_at: None,
        }
    }

    #[test]
    fn files_get_numbers_and_are_found_again() {
        let outer = tempfile::tempdir().unwrap();
        let folder = DownloadFolder::open(&outer.path().join("downloads")).unwrap();
        let mut names = Vec::new();
        let mut records = Vec::new();
        for id in 1..=3 {
            let from = outer.path().join("guid");
            fs::write(&from, "x").unwrap();
            let (path, size) = folder.move_in(&from, "..", "a.txt").unwrap();
            assert_eq!((size, fs::metadata(&path).unwrap().mode() & 0o777), (1, 0o600));
            names.push(path.strip_prefix(folder.path()).unwrap().display().to_string());
            let session = "..".to_owned();
            records.push(DownloadRecord { session, ..record(id, path, SystemTime::now()) });
        }
        assert_eq!(names, ["_../a.txt", "_../a-2.txt", "_../a-3.txt"]);
        assert_eq!(fs::metadata(folder.path()).unwrap().mode() & 0o777, 0o700);
        fs::remove_file(records[1].path.as_ref().unwrap()).unwrap();
        folder.write_index(&records).unwrap();
        let read = folder.read_index(SystemTime::now());
        assert_eq!(read.iter().map(|record| record.id).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn an_index_of_somebody_else_leads_nowhere() {
        let outer = tempfile::tempdir().unwrap();
        let folder = DownloadFolder::open(&outer.path().join("downloads")).unwrap();
        fs::write(outer.path().join("secret"), "x").unwrap();
        fs::create_dir(folder.path().join("default")).unwrap();
        let link = folder.path().join("default/link");
        std::os::unix::fs::symlink(outer.path().join("secret"), link).unwrap();
        for (session, file) in
            [("default", "../../secret"), ("a/b", "secret"), ("default", "link"), ("default", "no")]
        {
            let entry = serde_json::json!([{ "id": 1, "session": session, "client": "root",
                "tab": 1, "url": "", "name": "a", "file": file, "mime": "", "bytes": 1,
                "until": 9_999_999_999u64, "saved": false }]);
            fs::write(folder.index_path(), entry.to_string()).unwrap();
            assert_eq!(folder.read_index(SystemTime::now()).len(), 0, "{session} {file}");
        }
    }

    #[test]
    fn a_link_in_the_place_of_the_folder_is_refused() {
        let outer = tempfile::tempdir().unwrap();
        let link = outer.path().join("downloads");
        std::os::unix::fs::symlink(outer.path(), &link).unwrap();
        assert!(DownloadFolder::open(&link).is_err());
    }

    #[test]
    fn what_nobody_knows_goes_after_a_day() {
        let outer = tempfile::tempdir().unwrap();
        let folder = DownloadFolder::open(&outer.path().join("downloads")).unwrap();
        let inner = folder.path().join("default");
        let partial = folder.path().join(format!("{PARTIAL_DIR_PREFIX}1"));
        for path in [&inner, &partial] {
            fs::create_dir(path).unwrap();
            fs::write(path.join("lost"), "x").unwrap();
        }
        let kept = inner.join("kept");
        fs::write(&kept, "x").unwrap();
        let records = [record(1, kept.clone(), SystemTime::now())];
        folder.sweep(&records, SystemTime::now());
        assert!(inner.join("lost").exists() && partial.join("lost").exists());
        folder.sweep(&records, SystemTime::now() + RETENTION * 2);
        assert!(kept.exists() && !inner.join("lost").exists());
        assert!(!partial.exists());
    }
}
