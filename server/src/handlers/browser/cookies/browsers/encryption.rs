//! How Chromium seals the values of cookies on disk: AES-128 in CBC mode, with
//! a key made from a password by PBKDF2-HMAC-SHA1. Source: Chromium,
//! `components/os_crypt` and `net/extras/sqlite`.

use aes::cipher::{BlockDecryptMut as _, KeyIvInit as _, block_padding::Pkcs7};
use sha1::Sha1;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use crate::keychain::Platform;

/// The version of the database from which on the host is sealed with the
/// value, so that values cannot be moved from one host to another.
const HOST_BOUND_VERSION: i64 = 24;

const SALT: &[u8] = b"saltysalt";

/// The password of Linux where there is no keyring.
const FIXED_PASSWORD: &[u8] = b"peanuts";

type CookieEncryptionKey = Zeroizing<[u8; 16]>;

/// How a value is sealed, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieEncryption {
    /// Not at all.
    Plaintext,
    /// With a password that everybody knows.
    FixedPassword,
    /// With the password of the keychain.
    Keychain,
    /// In a way that is not known.
    Unknown,
}

/// The keys of a browser.
pub struct CookieDecryptor {
    platform: Platform,
    fixed: Vec<CookieEncryptionKey>,
    keychain: Vec<CookieEncryptionKey>,
}

impl CookieEncryption {
    /// How `sealed` is sealed.
    pub fn detect(sealed: &[u8], platform: Platform) -> Self {
        match (sealed.get(..3), platform) {
            _ if sealed.is_empty() => Self::Plaintext,
            (Some(b"v10"), Platform::Linux) => Self::FixedPassword,
            (Some(b"v11"), Platform::Linux) | (Some(b"v10"), Platform::Mac) => Self::Keychain,
            _ => Self::Unknown,
        }
    }
}

impl CookieDecryptor {
    /// The keys, with the password of the keychain where there is one.
    pub fn new(platform: Platform, password: Option<&[u8]>) -> Self {
        let rounds = match platform {
            Platform::Linux => 1,
            Platform::Mac => 1003,
        };
        let key = |password: &[u8]| {
            let mut key = CookieEncryptionKey::default();
            pbkdf2::pbkdf2_hmac::<Sha1>(password, SALT, rounds, &mut *key);
            key
        };
        // Some builds sealed with an empty password by mistake.
        let empty = (platform == Platform::Linux).then(|| key(b""));
        let fixed = (platform == Platform::Linux).then(|| key(FIXED_PASSWORD));
        Self {
            platform,
            fixed: fixed.into_iter().chain(empty.clone()).collect(),
            keychain: password.map(key).into_iter().chain(empty).collect(),
        }
    }

    /// Opens a value that was sealed for `host` in a database of `version`.
    pub fn decrypt(&self, sealed: &[u8], host: &str, version: i64) -> Option<String> {
        let keys = match CookieEncryption::detect(sealed, self.platform) {
            CookieEncryption::FixedPassword => &self.fixed,
            CookieEncryption::Keychain => &self.keychain,
            CookieEncryption::Plaintext | CookieEncryption::Unknown => return None,
        };
        keys.iter().find_map(|key| {
            let iv = [b' '; 16].into();
            let decryptor = cbc::Decryptor::<aes::Aes128>::new((&**key).into(), &iv);
            let opened = decryptor.decrypt_padded_vec_mut::<Pkcs7>(sealed.get(3..)?).ok()?;
            let value = match version >= HOST_BOUND_VERSION {
                true => opened.strip_prefix(&Sha256::digest(host)[..])?.to_vec(),
                false => opened,
            };
            String::from_utf8(value).ok()
        })
    }

    /// Seals a value as the browser would: for the databases of tests.
    #[cfg(test)]
    pub fn encrypt(&self, prefix: &[u8; 3], value: &str, host: &str, version: i64) -> Vec<u8> {
        use aes::cipher::BlockEncryptMut as _;
        let keys = match CookieEncryption::detect(prefix, self.platform) {
            CookieEncryption::FixedPassword => &self.fixed,
            _ => &self.keychain,
        };
        let mut plain = Vec::new();
        if version >= HOST_BOUND_VERSION {
            plain.extend_from_slice(&Sha256::digest(host));
        }
        plain.extend_from_slice(value.as_bytes());
        let iv = [b' '; 16].into();
        let encryptor = cbc::Encryptor::<aes::Aes128>::new((&*keys[0]).into(), &iv);
        [prefix.as_slice(), &encryptor.encrypt_padded_vec_mut::<Pkcs7>(&plain)].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_chromium() {
        // From Chromium's own tests and from independent implementations.
        let linux = CookieDecryptor::new(Platform::Linux, None);
        let fixed = "fd621fe5a2b402539dfa147ca9272778";
        let hex: String = linux.fixed[0].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, fixed);
    }

    #[test]
    fn what_was_sealed_is_opened_by_the_right_key_for_the_right_host() {
        for (platform, prefix) in
            [(Platform::Linux, b"v10"), (Platform::Linux, b"v11"), (Platform::Mac, b"v10")]
        {
            let keys = CookieDecryptor::new(platform, Some(b"a password"));
            for version in [23, 24] {
                let sealed = keys.encrypt(prefix, "välue", ".a.test", version);
                assert_eq!(keys.decrypt(&sealed, ".a.test", version).as_deref(), Some("välue"));
            }
            let sealed = keys.encrypt(prefix, "value", ".a.test", 24);
            assert_eq!(keys.decrypt(&sealed, ".b.test", 24), None);
            let cut = &sealed[..sealed.len() - 1];
            assert_eq!(keys.decrypt(cut, ".a.test", 24), None);
            if CookieEncryption::detect(prefix, platform) == CookieEncryption::Keychain {
                let others = CookieDecryptor::new(platform, Some(b"another"));
                assert_eq!(others.decrypt(&sealed, ".a.test", 24), None);
            }
        }
    }

    #[test]
    fn other_seals_are_not_guessed() {
        let keys = CookieDecryptor::new(Platform::Linux, None);
        for sealed in [b"".as_slice(), b"v1", b"v10", b"v20abcdefghijklmnop", b"plain"] {
            assert_eq!(keys.decrypt(sealed, "a.test", 20), None);
        }
        assert_eq!(CookieEncryption::detect(b"v20x", Platform::Linux), CookieEncryption::Unknown);
    }
}
