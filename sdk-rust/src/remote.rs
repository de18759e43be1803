//! Browsers elsewhere: the pairing block that an owner gave, the token that its
//! key is traded for, and where that is kept.

mod tls;

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ring::{aead, hmac};
use rustls::crypto::ring as provider;

use super::client::{Browse, Stream};
use super::error::{Error, Result};
use super::json::Json;
use super::place::own_json;
use super::sha256::sha256;
use super::wire::{Raw, entries, put_bytes};
use tls::opener;

const SCHEME: &str = "browse-pair://";
const REDEEM: &str = "/browse.v1.PairService/Redeem";
/// Time that the daemon has to take a key.
const PATIENCE: Duration = Duration::from_secs(30);
/// What a remote file says when authorities may vouch for the other end.
const VOUCHED: &str = "session-key";
/// Fields of the answer.
const TOKEN: u32 = 1;
const SEALED: u32 = 8;
/// Those that the seal is bound to, in its order: name, scopes, hosts, session,
/// end.
const BOUND: [u32; 5] = [2, 3, 4, 5, 6];

/// Makes a client of a browser elsewhere out of a pairing block, or of its link.
///
/// The key of a block is good once. With `keep` the token is kept under that
/// name, where [`remote`] and the command line find it; without, it goes with the
/// client.
///
/// # Errors
/// `PAIRING_LINK_INVALID`, `REMOTE_MISMATCH`, `REMOTE_UNPROVEN`,
/// `SETUP_KEY_INVALID`, `FILE_UNWRITABLE`, and what a call may answer.
pub fn redeem(block: &str, keep: Option<&str>) -> Result<Browse> {
    // A name that cannot be costs no key.
    let file = keep.map(file).transpose()?;
    let Link { address, key, pin, session } = Link::parse(block)?;
    let seal = session.map(Seal::new).transpose()?;
    let message = match &seal {
        None => fields(&[&key]),
        Some(seal) => seal.ask(&key),
    };
    let open = || opener(&address, &pin, seal.is_some());
    let stranger = Browse::through(&address, "", Some(open()?));
    let mut stream: Stream<()> = stranger.exchange(REDEEM, &message, PATIENCE)?;
    let mut answer = Vec::new();
    while let Some(message) = stream.bytes() {
        answer = message?;
    }
    let token = match &seal {
        None => text(&answer, TOKEN),
        Some(seal) => seal.open(&answer).ok_or_else(unproven)?,
    };
    if token.is_empty() {
        return Err(Error::unreachable(&address, "its answer holds no token"));
    }
    if let Some(file) = file {
        let mut members = vec![("address", &*address), ("pin", &pin), ("token", &token)];
        members.extend(seal.as_ref().map(|_| ("trust", VOUCHED)));
        write(&file, &members)?;
    }
    Ok(Browse::through(&address, &token, Some(open()?)))
}

fn unproven() -> Error {
    let message = "the answer is not that of the daemon of the pairing block: it does not fit the session key";
    let hint =
        "Do not go on; ask the owner to run `browse pair revoke` and for a block by another way";
    Error::new("REMOTE_UNPROVEN", message, hint, 9)
}

/// A message of texts, numbered from 1.
fn fields(texts: &[&str]) -> Vec<u8> {
    let mut message = Vec::new();
    for (number, text) in (1..).zip(texts) {
        put_bytes(number, text.as_bytes(), &mut message);
    }
    message
}

/// How a key is redeemed where TLS may end at a tunnel, which sees neither the
/// key nor the token: the session key of a block, and the challenge of one request.
struct Seal {
    key: hmac::Key,
    challenge: String,
}

impl Seal {
    fn new(session: [u8; 32]) -> Result<Self> {
        let mut bytes = [0; 16];
        let filled = provider::default_provider().secure_random.fill(&mut bytes);
        let none = |_| Error::new("BUG", "the system has no random numbers", "Try again", 13);
        filled.map_err(none)?;
        Ok(Self::with(session, bytes))
    }

    fn with(session: [u8; 32], challenge: [u8; 16]) -> Self {
        let challenge = hex(&challenge);
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, &session), challenge }
    }

    /// The request for the token of `key`.
    fn ask(&self, key: &str) -> Vec<u8> {
        let id = sha256(key.as_bytes());
        let proof = self.mac(&["browse-redeem-request-v1", &self.challenge, &id]);
        fields(&[&format!("sealed-{id}"), &self.challenge, &hex(proof.as_ref())])
    }

    /// The token in an answer, when it is that of the daemon to this request.
    fn open(&self, answer: &[u8]) -> Option<String> {
        let own = self.mac(&["browse-redeem-seal-v1", &self.challenge]);
        let own = aead::UnboundKey::new(&aead::AES_256_GCM, own.as_ref()).ok()?;
        let mut bytes = unhex(&text(answer, SEALED))?;
        let (nonce, sealed) = bytes.split_at_mut_checked(aead::NONCE_LEN)?;
        let nonce = aead::Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut bound = format!("browse-redeem-answer-v1\n{}", self.challenge);
        for number in BOUND {
            bound.push('\n');
            bound.push_str(&text(answer, number));
        }
        let bound = aead::Aad::from(bound.as_bytes());
        let token = aead::LessSafeKey::new(own).open_in_place(nonce, bound, sealed).ok()?;
        String::from_utf8(token.to_vec()).ok()
    }

    fn mac(&self, lines: &[&str]) -> hmac::Tag {
        hmac::sign(&self.key, lines.join("\n").as_bytes())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes = text.as_bytes().chunks_exact(2).map(byte).collect::<Option<Vec<u8>>>()?;
    (digits && text.len().is_multiple_of(2)).then_some(bytes)
}

/// Makes a client of a browser elsewhere that [`redeem`] or the command line keeps
/// under this name.
///
/// # Errors
/// `REMOTE_UNKNOWN`, `REMOTE_FILE_INVALID`.
pub fn remote(name: &str) -> Result<Browse> {
    let kept = read(&file(name)?)?;
    let Some(Kept { address, pin, token, vouched }) = kept else {
        let hint = "Run `browse redeem <link>` with the link of a pairing block";
        let message = format!("there is no remote `{name}`");
        return Err(Error::new("REMOTE_UNKNOWN", message, hint, 5));
    };
    Ok(Browse::through(&address, &token, Some(opener(&address, &pin, vouched)?)))
}

/// What a remote file holds.
#[derive(Debug, PartialEq)]
struct Kept {
    address: String,
    pin: String,
    token: String,
    /// Whether authorities may vouch for the other end.
    vouched: bool,
}

/// What is kept in a file; `None` when there is no file.
fn read(path: &Path) -> Result<Option<Kept>> {
    let invalid = |fault: &str| {
        let shown = path.display();
        let message = format!("the remote file `{shown}` cannot be used: {fault}");
        let hint = format!("Remove {shown}, and redeem a new block");
        Error::new("REMOTE_FILE_INVALID", message, &hint, 9).with("path", shown.to_string())
    };
    let Some(state) = own_json(path, invalid)? else { return Ok(None) };
    let [address, pin, token] =
        ["address", "pin", "token"].map(|key| state[key].as_str().unwrap_or_default().to_owned());
    let vouched = state.get("trust").is_some();
    let trust = !vouched || state["trust"].as_str() == Some(VOUCHED);
    if address.is_empty() || token.is_empty() || !is_pin(&pin) || !trust {
        return Err(invalid("it is damaged"));
    }
    Ok(Some(Kept { address, pin, token, vouched }))
}

/// The link of a pairing block.
struct Link {
    address: String,
    key: String,
    pin: String,
    /// By what the answer is known where TLS may end at a tunnel.
    session: Option<[u8; 32]>,
}

impl Link {
    /// Finds it in a block; parts that are not known are for others.
    fn parse(block: &str) -> Result<Self> {
        // It never repeats the key.
        let invalid = |why: &str| {
            let message = format!("that is no link of a pairing block: {why}");
            let hint = "Copy the link of the block whole: it is one word";
            Error::new("PAIRING_LINK_INVALID", message, hint, 3)
        };
        let at = block.find(SCHEME).ok_or_else(|| invalid("it does not hold `browse-pair://`"))?;
        let link = block[at + SCHEME.len()..].split_whitespace().next().unwrap_or_default();
        let mut parts = link.split('/');
        let address = parts.next().unwrap_or_default();
        let (host, port) = address.rsplit_once(':').unwrap_or_default();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_:[]".contains(letter);
        let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
        if host.is_empty() || !host.chars().all(plain) || !is_port {
            return Err(invalid("it names no host with a port"));
        }
        let parts: Vec<_> = parts.collect();
        let part = |prefix| parts.iter().find_map(|part| part.strip_prefix(prefix));
        let key = part("setup-").ok_or_else(|| invalid("it holds no setup key"))?;
        let pin = part("pin-").filter(|pin| is_pin(pin));
        let pin = pin.ok_or_else(|| invalid("it holds no whole fingerprint"))?;
        let session = match part("session-") {
            None => None,
            Some(key) => {
                let key = unhex(key).and_then(|bytes| bytes.try_into().ok());
                Some(key.ok_or_else(|| invalid("it holds no whole session key"))?)
            }
        };
        let (address, key) = (address.to_owned(), format!("setup-{key}"));
        Ok(Self { address, key, pin: pin.to_owned(), session })
    }
}

fn is_pin(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The text of field `wanted` of a message; those of a list with commas between.
fn text(message: &[u8], wanted: u32) -> String {
    let found = entries(message).filter_map(|entry| match entry {
        Ok((number, Raw::Bytes(bytes))) if number == wanted => Some(String::from_utf8_lossy(bytes)),
        _ => None,
    });
    found.collect::<Vec<_>>().join(",")
}

/// The file that keeps the remote `name`.
fn file(name: &str) -> Result<PathBuf> {
    let good = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if !begins || name.len() > 64 || !name.chars().all(good) {
        let hint = "Use letters, digits, dash, dot and underscore, at most 64";
        let message = format!("`{name}` cannot name a remote");
        return Err(Error::new("ARGUMENT_INVALID", message, hint, 3));
    }
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("BROWSE_HOME").or_else(|| Some(set("HOME")?.join(".browse")));
    let home = home.ok_or_else(|| {
        let message = "neither BROWSE_HOME nor HOME names a folder";
        Error::new("SETTING_INVALID", message, "Set HOME", 3)
    })?;
    Ok(home.join("remotes").join(format!("{name}.json")))
}

fn write(path: &Path, members: &[(&str, &str)]) -> Result<()> {
    let json = Json::object(members.iter().map(|(name, value)| (*name, Json::from(*value))));
    let write = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Through a file of its own, so that nobody reads half of it.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let waiting = folder.join(format!(".{name}.{}", std::process::id()));
        let _ = fs::remove_file(&waiting);
        let mut draft =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&waiting)?;
        draft.write_all(json.to_string().as_bytes())?;
        fs::rename(&waiting, path)
    };
    write().map_err(|error| {
        let shown = path.display().to_string();
        let message = format!("`{shown}` cannot be written: {error}");
        Error::new("FILE_UNWRITABLE", message, "Give another path", 3).with("path", shown)
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_token_is_kept_for_its_user_alone() {
        let home = std::env::temp_dir().join(format!("browse-sdk-{}", std::process::id()));
        let path = home.join("remotes/a.json");
        assert_eq!(read(&path), Ok(None));
        let pin = "0a".repeat(32);
        let members = [("address", "a:1"), ("pin", &pin), ("token", "t")];
        write(&path, &members).expect("a writable folder");
        write(&path, &members).expect("it is replaced");
        let kept = read(&path).expect("it is whole").expect("it is there");
        assert_eq!((kept.address.as_str(), kept.token.as_str(), kept.vouched), ("a:1", "t", false));
        write(&path, &[&members[..], &[("trust", VOUCHED)]].concat()).expect("it is replaced");
        assert!(read(&path).is_ok_and(|kept| kept.is_some_and(|kept| kept.vouched)));
        let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode));
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        set(0o644).expect("a mode");
        assert_eq!(read(&path).expect_err("others may read").reason, "REMOTE_FILE_INVALID");
        set(0o600).expect("a mode");
        fs::write(&path, "{}").expect("it is written");
        assert_eq!(read(&path).expect_err("half of one").reason, "REMOTE_FILE_INVALID");
        fs::remove_dir_all(&home).expect("it is removed");
        for bad in ["", "..", "a/b", ".a", "a b"] {
            assert_eq!(file(bad).expect_err(bad).reason, "ARGUMENT_INVALID");
        }
    }

    #[test]
    fn a_token_that_was_sealed_for_this_request_opens_and_nothing_else() {
        // As another implementation sealed it, with the session key 7 and the
        // challenge 1.
        let sealed =
            "000102030405060708090a0bbfe20a010b4f632134fb1bac6bb583373b87194fdba60980534da8db";
        let answer = |scope: &str, sealed: &str| {
            let mut answer = Vec::new();
            let end = "2026-01-01T00:00:00Z";
            for (number, text) in [(2, "ada"), (3, "read"), (3, scope), (4, "*"), (6, end)] {
                put_bytes(number, text.as_bytes(), &mut answer);
            }
            put_bytes(5, b"pair-ada-000000", &mut answer);
            put_bytes(8, sealed.as_bytes(), &mut answer);
            answer
        };
        let seal = Seal::with([7; 32], [1; 16]);
        assert_eq!(seal.open(&answer("write", sealed)).as_deref(), Some("token-of-ada"));
        assert_eq!(seal.open(&answer("admin", sealed)), None);
        assert_eq!(Seal::with([8; 32], [1; 16]).open(&answer("write", sealed)), None);
        assert_eq!(Seal::with([7; 32], [2; 16]).open(&answer("write", sealed)), None);
        for wrong in ["", "0", "zz", &sealed[2..], &sealed[..40], &"00".repeat(40)] {
            assert_eq!(seal.open(&answer("write", wrong)), None, "{wrong}");
        }
        let asked = String::from_utf8_lossy(&seal.ask("setup-0123")).into_owned();
        assert!(asked.contains("sealed-") && !asked.contains("setup-0123"), "{asked}");
    }

    #[test]
    fn a_link_is_found_in_a_block_and_half_of_one_is_none() {
        let pin = "0a".repeat(32);
        let good = format!("browse-pair://[::1]:4567/setup-00ff/pin-{pin}");
        let block = format!("You may …\n  browse redeem {good}/new-part\n  browse --remote");
        for text in [&good, &block] {
            let link = Link::parse(text).expect("it is whole");
            assert_eq!((link.address.as_str(), link.key.as_str()), ("[::1]:4567", "setup-00ff"));
            assert_eq!((link.pin, link.session), (pin.clone(), None));
        }
        let tunnel = format!("{good}/session-{}", "07".repeat(32));
        assert_eq!(Link::parse(&tunnel).expect("it is whole").session, Some([7; 32]));
        for bad in [
            "",
            "setup-00ff",
            &good[..good.len() - 1],
            &good.replace(":4567", ""),
            &good.replace(":4567", ":0"),
            &good.replace("[::1]", "u@h"),
            &good.replace("[::1]", "\"h"),
            &good.replace("setup-", ""),
            &good.replace("pin-0", "pin-g"),
            &tunnel[..tunnel.len() - 1],
        ] {
            let error = Link::parse(bad).err().expect(bad);
            assert_eq!(error.reason, "PAIRING_LINK_INVALID");
            assert!(!error.message.contains("00ff"), "the key is nobody's to print");
        }
    }
}
