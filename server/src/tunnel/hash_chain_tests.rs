use std::{fs, os::unix::fs::PermissionsExt as _};

use super::*;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Note {
    text: String,
}

struct Home {
    folder: tempfile::TempDir,
    chain: HashChainLog,
}

impl Home {
    fn of(notes: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let home = Self { chain: HashChainLog::new(folder.path().join("receipts")), folder };
        for note in notes {
            home.append(note).expect("it is written");
        }
        home
    }

    fn append(&self, text: &str) -> Result<String, ChainError> {
        self.chain.append(Note { text: text.to_owned() })
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.chain.file()).expect("a file");
        text.lines().map(str::to_owned).collect()
    }

    fn write(&self, lines: &[String]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.chain.file(), text).expect("it is written");
    }

    fn fault(&self) -> String {
        let found = self.chain.read_verified::<Note>();
        let fault = found.map(|whole| whole.records.len()).expect_err("it is broken").to_string();
        // What is broken takes nothing more.
        let before = fs::read(self.chain.file()).ok();
        assert_eq!(self.append("more").expect_err("it is broken").to_string(), fault);
        assert_eq!(fs::read(self.chain.file()).ok(), before);
        fault
    }
}

#[test]
fn each_line_names_the_one_before() {
    let home = Home::of(&[]);
    assert!(home.chain.read_verified::<Note>().expect("it holds").records.is_empty());
    let first = home.append("one \"quoted\"\nline").expect("it is written");
    let second = home.append("two").expect("it is written");
    let whole = home.chain.read_verified::<Note>().expect("it holds");
    assert_eq!(whole.last_hash, second);
    assert_eq!((whole.records[0].before.as_str(), whole.records[0].number), (&*"0".repeat(64), 1));
    assert_eq!((whole.records[1].before.as_str(), whole.records[1].number), (first.as_str(), 2));
    assert_eq!(whole.records[0].content.text, "one \"quoted\"\nline");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(home.chain.folder()), mode(&home.chain.file())), (0o700, 0o600));
    assert_eq!(mode(&home.chain.folder().join(HEAD_FILE)), 0o600);
}

#[test]
fn whatever_is_changed_is_noticed_where_it_is() {
    let notes = ["one", "two", "three"];
    let fault = |change: &dyn Fn(&mut Vec<String>)| {
        let home = Home::of(&notes);
        let mut lines = home.lines();
        change(&mut lines);
        home.write(&lines);
        home.fault()
    };
    let changed = fault(&|lines| lines[1] = lines[1].replace("two", "owt"));
    assert_eq!(changed, "chain.jsonl:2: its hash does not fit");
    let missing = "chain.jsonl:3: receipts that were written are missing";
    assert_eq!(fault(&|lines| drop(lines.pop())), missing);
    let all = "chain.jsonl:1: receipts that were written are missing";
    assert_eq!(fault(&Vec::clear), all);
    let next = "its number is not the next";
    assert_eq!(fault(&|lines| drop(lines.remove(0))), format!("chain.jsonl:1: {next}"));
    assert_eq!(fault(&|lines| drop(lines.remove(1))), format!("chain.jsonl:2: {next}"));
    assert_eq!(fault(&|lines| lines.swap(0, 1)), format!("chain.jsonl:1: {next}"));
    let first = |lines: &mut Vec<String>| lines.push(lines[2].clone());
    assert_eq!(fault(&first), format!("chain.jsonl:4: {next}"));
    assert_eq!(fault(&|lines| lines[2] = "{}".to_owned()), "chain.jsonl:3: it has no hash");
    // One who hashes anew has to hash all that follows, and the head too.
    let forged = |lines: &mut Vec<String>| {
        let body = lines[1].rsplit_once(HASH_PREFIX).expect("a hash").0.replace("two", "owt");
        lines[1] = format!("{body}{HASH_PREFIX}{}{HASH_SUFFIX}", sha256_hex(&body));
    };
    let unnamed = "chain.jsonl:3: it does not name the hash of the line before";
    assert_eq!(fault(&forged), unnamed);
    let last = |lines: &mut Vec<String>| {
        let body = lines[2].rsplit_once(HASH_PREFIX).expect("a hash").0.replace("three", "3");
        lines[2] = format!("{body}{HASH_PREFIX}{}{HASH_SUFFIX}", sha256_hex(&body));
    };
    assert_eq!(fault(&last), "chain.jsonl:3: it is another than was written last");
}

#[test]
fn a_daemon_that_was_killed_while_it_wrote_broke_nothing() {
    let home = Home::of(&["one", "two"]);
    let mut options = OpenOptions::new();
    let mut file = options.append(true).open(home.chain.file()).expect("a file");
    file.write_all(b"{\"number\":3,\"bef").expect("it is written");
    assert_eq!(home.chain.read_verified::<Note>().expect("it holds").records.len(), 2);
    home.append("three").expect("it is written");
    assert_eq!(home.lines().len(), 3);
    assert_eq!(home.chain.read_verified::<Note>().expect("it holds").records.len(), 3);
    // It was killed between the line and the head.
    let head = fs::read(home.chain.folder().join(HEAD_FILE)).expect("a head");
    home.append("four").expect("it is written");
    fs::write(home.chain.folder().join(HEAD_FILE), &head).expect("it is written");
    assert_eq!(home.chain.read_verified::<Note>().expect("it holds").records.len(), 4);
    home.append("five").expect("it is written");
    fs::write(home.chain.folder().join(HEAD_FILE), &head).expect("it is written");
    assert_eq!(home.fault(), "chain.jsonl:5: there are more receipts than were written");
}

#[test]
fn what_cannot_be_written_is_told() {
    let home = Home::of(&["one"]);
    let before = home.lines();
    // The folder is a file, the file is a folder, or a link somewhere else.
    let blocked = HashChainLog::new(home.chain.file());
    assert!(matches!(
        blocked.append(Note { text: String::new() }),
        Err(ChainError::Untrusted { .. })
    ));
    let other = HashChainLog::new(home.folder.path().join("other"));
    fs::create_dir_all(other.file()).expect("a folder");
    assert!(matches!(
        other.append(Note { text: String::new() }),
        Err(ChainError::Untrusted { .. })
    ));
    let linked = HashChainLog::new(home.folder.path().join("linked"));
    fs::create_dir(linked.folder()).expect("a folder");
    std::os::unix::fs::symlink("/dev/full", linked.file()).expect("a link");
    assert!(matches!(
        linked.append(Note { text: String::new() }),
        Err(ChainError::Untrusted { .. })
    ));
    // Nor is a link followed to a folder, or a pipe waited for.
    let (folder, aside) = (home.chain.folder(), home.folder.path().join("aside"));
    fs::rename(folder, &aside).expect("it is moved");
    std::os::unix::fs::symlink(&aside, folder).expect("a link");
    let reported = |why: &str| {
        let read = home.chain.read_verified::<Note>().map(|_| ()).expect_err(why);
        let written = home.append("more").map(|_| ()).expect_err(why);
        let wanted = format!("`receipts` {why}");
        assert_eq!([read.to_string(), written.to_string()], [wanted.clone(), wanted]);
    };
    reported("is a link");
    fs::remove_file(folder).expect("it goes");
    nix::unistd::mkfifo(folder, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    reported("is not a folder");
    fs::remove_file(folder).expect("it goes");
    fs::rename(&aside, folder).expect("it is back");
    assert_eq!(home.lines(), before);
    // What has no end is torn when it is short, and put there when it is not.
    let mut file = OpenOptions::new().append(true).open(home.chain.file()).expect("a file");
    file.write_all(&vec![0; 1 << 20]).expect("it is written");
    assert_eq!(home.fault(), "chain.jsonl:2: it has no end, and is not a receipt");
}

#[test]
fn what_is_not_the_users_alone_is_no_chain() {
    let home = Home::of(&["one"]);
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
    };
    for (mode, why) in [(0o666, "written"), (0o620, "written"), (0o644, "read")] {
        set(&home.chain.file(), mode);
        assert_eq!(home.fault(), format!("`chain.jsonl` may be {why} by others"));
    }
    set(&home.chain.file(), 0o600);
    set(&home.chain.folder().join(HEAD_FILE), 0o606);
    assert_eq!(home.fault(), "`head.json` may be written by others");
    set(&home.chain.folder().join(HEAD_FILE), 0o600);
    set(home.chain.folder(), 0o770);
    assert_eq!(home.fault(), "`receipts` may be written by others");
    set(home.chain.folder(), 0o755);
    home.append("two").expect("others may look into the folder");
    let huge = OpenOptions::new().append(true).open(home.chain.file()).expect("a file");
    huge.set_len(MAX_CHAIN_BYTES + 1).expect("a hole");
    assert_eq!(
        home.chain.read_verified::<Note>().expect_err("it is huge").to_string(),
        "`chain.jsonl` is larger than 64 MiB"
    );
}

#[test]
fn daemons_that_write_at_once_make_one_chain() {
    let home = Home::of(&[]);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let home = &home;
            scope.spawn(move || {
                for note in 0..3 {
                    home.append(&format!("{writer} {note}")).expect("it is written");
                }
            });
        }
    });
    assert_eq!(home.chain.read_verified::<Note>().expect("it holds").records.len(), 12);
}
