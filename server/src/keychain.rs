//! The keychain of the operating system: the secret service of Linux through
//! `secret-tool`, and that of macOS through `security`.
//!
//! Programs get argument lists, and secrets only on their standard input.
//! What was found is remembered in memory for the life of the daemon.

use std::{
    collections::HashMap,
    path::PathBuf,
    process::Stdio,
    sync::{Mutex, PoisonError},
};

use tokio::{
    io::AsyncWriteExt as _,
    process::Command,
    time::{Instant, timeout_at},
};
use zeroize::Zeroizing;

use browse_base::quote;

/// Which operating system's keychain, and whose places, are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux.
    Linux,
    /// macOS.
    Mac,
}

impl Platform {
    /// That of this build.
    pub fn current() -> Self {
        if cfg!(target_os = "macos") { Self::Mac } else { Self::Linux }
    }
}

/// Something in a keychain: attributes of the secret service, service and
/// account in that of macOS.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KeychainItem {
    /// Attribute and value, in turn.
    Attributes(Vec<(String, String)>),
    /// A generic password.
    Password {
        /// Service.
        service: String,
        /// Account.
        account: String,
    },
}

/// Why the keychain gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeychainError {
    /// It holds no such item.
    #[error("the keychain holds no such key")]
    NotFound,
    /// It cannot be asked.
    #[error("the keychain cannot be asked: {0}")]
    Unavailable(String),
}

/// A secret; it is wiped when dropped.
pub type SecretBytes = Zeroizing<Vec<u8>>;

/// The keychain.
#[derive(Default)]
pub struct Keychain {
    /// Instead of the program of the platform: for tests.
    program: Option<PathBuf>,
    cache: Mutex<HashMap<KeychainItem, SecretBytes>>,
}

impl Keychain {
    /// One that is asked through `program`.
    pub fn with_program(program: impl Into<PathBuf>) -> Self {
        Self { program: Some(program.into()), ..Self::default() }
    }

    /// The secret of an item.
    ///
    /// # Errors
    /// It is not there, or the keychain does not answer by the deadline.
    pub async fn find(
        &self,
        item: &KeychainItem,
        deadline: Instant,
    ) -> Result<SecretBytes, KeychainError> {
        if let Some(known) = self.lock_cache().get(item) {
            return Ok(known.clone());
        }
        let (program, arguments) = match item {
            KeychainItem::Attributes(pairs) => ("secret-tool", lookup_arguments(pairs)),
            KeychainItem::Password { service, account } => (
                "security",
                ["find-generic-password", "-w", "-s", service, "-a", account]
                    .map(str::to_owned)
                    .to_vec(),
            ),
        };
        let mut secret = self.run(program, &arguments, None, deadline).await?;
        if secret.last() == Some(&b'\n') {
            secret.pop();
        }
        if secret.is_empty() {
            return Err(KeychainError::NotFound);
        }
        self.lock_cache().insert(item.clone(), secret.clone());
        Ok(secret)
    }

    /// Keeps a secret, which is text without blanks and quotes.
    ///
    /// # Errors
    /// The keychain does not take it.
    pub async fn store(
        &self,
        item: &KeychainItem,
        label: &str,
        secret: &SecretBytes,
        deadline: Instant,
    ) -> Result<(), KeychainError> {
        match item {
            KeychainItem::Attributes(pairs) => {
                let mut arguments = vec!["store".to_owned(), format!("--label={label}")];
                arguments.extend(flatten_pairs(pairs));
                self.run("secret-tool", &arguments, Some(secret.clone()), deadline).await?;
            }
            KeychainItem::Password { service, account } => {
                // The arguments of a program can be seen by others: its
                // interactive form reads the secret from standard input.
                let mut line = Zeroizing::new(
                    format!("add-generic-password -U -s {service} -a {account} -w ").into_bytes(),
                );
                line.extend_from_slice(secret);
                line.push(b'\n');
                self.run("security", &["-i".to_owned()], Some(line), deadline).await?;
            }
        }
        // Some keychains take what they do not keep.
        self.lock_cache().remove(item);
        let kept = self.find(item, deadline).await?;
        match kept == *secret {
            true => Ok(()),
            false => Err(KeychainError::Unavailable("it did not keep the key".to_owned())),
        }
    }

    async fn run(
        &self,
        program: &str,
        arguments: &[String],
        input: Option<SecretBytes>,
        deadline: Instant,
    ) -> Result<SecretBytes, KeychainError> {
        let unavailable = |why: &str| KeychainError::Unavailable(format!("`{program}` {why}"));
        let path = self.program.clone().unwrap_or_else(|| program.into());
        let mut command = Command::new(path);
        command.args(arguments).kill_on_drop(true);
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let work = async {
            let mut child = command.spawn()?;
            if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
                stdin.write_all(&input).await?;
            }
            child.wait_with_output().await
        };
        let output = match timeout_at(deadline, work).await {
            Err(_) => return Err(unavailable("gave no answer: it may wait for you to unlock it")),
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(unavailable("is not installed"));
            }
            Ok(Err(error)) => return Err(unavailable(&format!("did not run: {error}"))),
            Ok(Ok(output)) => output,
        };
        let secret = Zeroizing::new(output.stdout);
        if output.status.success() {
            return Ok(secret);
        }
        let reported = String::from_utf8_lossy(&output.stderr);
        // Both say nothing, or this, of what they do not hold.
        if reported.trim().is_empty() || reported.contains("could not be found") {
            return Err(KeychainError::NotFound);
        }
        Err(unavailable(&format!("reported `{}`", quote(&reported))))
    }

    fn lock_cache(&self) -> std::sync::MutexGuard<'_, HashMap<KeychainItem, SecretBytes>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lookup_arguments(pairs: &[(String, String)]) -> Vec<String> {
    std::iter::once("lookup".to_owned()).chain(flatten_pairs(pairs)).collect()
}

fn flatten_pairs(pairs: &[(String, String)]) -> impl Iterator<Item = String> {
    pairs.iter().flat_map(|(name, value)| [name.clone(), value.clone()])
}

#[cfg(test)]
mod tests;
