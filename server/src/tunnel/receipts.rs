//! What is written down of tunnels: who agreed to what, and what was opened
//! when. Nothing is forwarded before its receipt is on the disk.

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use browse_proto::Reason;
use nix::unistd::{User, geteuid};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    TunnelConfig,
    hash_chain::{ChainError, HashChainLog, VerifiedChain},
};
use browse_base::{Error, Result, hex};

/// Folder of the receipts, below the home of browse.
const RECEIPTS_FOLDER: &str = "tunnel/receipts";

/// The receipts of a home of browse.
#[derive(Clone, Debug)]
pub struct Receipts {
    chain: HashChainLog,
    /// Those of what is over which could not be written, and why.
    pending: Arc<Mutex<Vec<PendingReceipt>>>,
}

#[derive(Debug)]
struct PendingReceipt {
    receipt: TunnelReceipt,
    why: String,
}

/// Receipts that are owed; with more of them the oldest go.
const MAX_PENDING_RECEIPTS: usize = 100;

/// One receipt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TunnelReceipt {
    /// consent, start, open or end.
    pub event: String,
    /// RFC 3339, in UTC.
    pub time: String,
    /// Name of the user whose daemon it is.
    pub user: String,
    /// Its number.
    pub uid: u32,
    /// Who called, and how.
    pub by: String,
    /// Folder of the project.
    pub project: String,
    /// ngrok, command or none.
    pub provider: String,
    /// The command, without secrets.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// SHA-256 of the command as it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command_hash: String,
    /// Where the listener is on this machine.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub listener: String,
    /// SHA-256 of the public key of its certificate.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// Where agents reach it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub address: String,
    /// What was agreed to, or why it ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

impl Receipts {
    /// Those below `home`. Nothing is touched before the first.
    pub fn new(home: &Path) -> Self {
        Self { chain: HashChainLog::new(home.join(RECEIPTS_FOLDER)), pending: Arc::default() }
    }

    /// Their file.
    pub fn file(&self) -> String {
        self.chain.file().display().to_string()
    }

    /// All of them, checked.
    ///
    /// # Errors
    /// Where the chain breaks, or why it cannot be read.
    pub fn read(&self) -> Result<VerifiedChain<TunnelReceipt>, ChainError> {
        self.chain.read_verified()
    }

    /// Whether somebody has agreed to just this.
    ///
    /// # Errors
    /// `RECEIPTS_BROKEN`, `RECEIPTS_UNUSABLE`, `RECEIPT_UNWRITABLE`.
    pub fn has_consent(&self, like: &TunnelReceipt) -> Result<bool> {
        let whole = self.read().map_err(|fault| self.to_error(&fault))?;
        let same = |found: &TunnelReceipt| {
            (found.event == "consent" && found.uid == like.uid)
                && (&found.project, &found.provider) == (&like.project, &like.provider)
                && (&found.command_hash, &found.text) == (&like.command_hash, &like.text)
        };
        Ok(whole.records.iter().any(|link| same(&link.content)))
    }

    /// Writes one down, after those that are owed, and answers its hash.
    ///
    /// # Errors
    /// `RECEIPTS_BROKEN`, `RECEIPTS_UNUSABLE`, `RECEIPT_UNWRITABLE`.
    pub fn write(&self, receipt: TunnelReceipt) -> Result<String> {
        self.flush_pending()?;
        self.chain.append(receipt).map_err(|fault| self.to_error(&fault))
    }

    /// The same for what is over, whether it is written or not: what cannot be
    /// is owed.
    pub fn write_or_queue(&self, receipt: TunnelReceipt) {
        if let Err(error) = self.write(receipt.clone()) {
            tracing::error!(%error, "the end of a tunnel was not written down");
            let mut owed = self.lock_pending();
            if owed.len() >= MAX_PENDING_RECEIPTS {
                owed.remove(0);
            }
            owed.push(PendingReceipt { receipt, why: error.to_string() });
        }
    }

    /// Tries to write what is owed, and says what of it is so still.
    pub fn pending_notice(&self) -> Option<String> {
        let _ = self.flush_pending();
        let owed = self.lock_pending();
        let last = owed.last()?;
        let TunnelReceipt { event, time, address, .. } = &last.receipt;
        let rest = match owed.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} before it)"),
        };
        Some(format!("`{event}` of {time} for `{address}`{rest}: {}", last.why))
    }

    fn flush_pending(&self) -> Result<()> {
        let mut owed = self.lock_pending();
        while let Some(first) = owed.first() {
            let written = self.chain.append(first.receipt.clone());
            written.map_err(|fault| self.to_error(&fault))?;
            owed.remove(0);
        }
        Ok(())
    }

    fn lock_pending(&self) -> MutexGuard<'_, Vec<PendingReceipt>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn to_error(&self, fault: &ChainError) -> Error {
        let folder = self.chain.folder().display();
        let (reason, message) = match fault {
            ChainError::Tampered { .. } => {
                (Reason::ReceiptsBroken, format!("the receipts in `{folder}` do not hold: {fault}"))
            }
            ChainError::Untrusted { .. } => (
                Reason::ReceiptsUnusable,
                format!("the receipts in `{folder}` cannot be gone by: {fault}"),
            ),
            ChainError::Io(error) => (
                Reason::ReceiptUnwritable,
                format!("no receipt can be written in `{folder}`: {error}"),
            ),
        };
        let folder = folder.to_string();
        let quoted = shlex::try_quote(&folder).map_or(folder.clone(), Into::into);
        Error::new(reason, message).with("path", &folder).with("folder", quoted)
    }
}

impl TunnelReceipt {
    /// A receipt of what `by` does with `choice` for `project`.
    pub fn new(event: &str, by: &str, project: &Path, requested: &TunnelConfig) -> Self {
        let uid = geteuid();
        let user = User::from_uid(uid).ok().flatten().map(|user| user.name);
        let hash = |text: &str| hex(&Sha256::digest(text.as_bytes()));
        Self {
            event: event.to_owned(),
            time: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
            user: user.unwrap_or_default(),
            uid: uid.as_raw(),
            by: by.to_owned(),
            project: project.display().to_string(),
            provider: requested.provider.name().to_owned(),
            command: requested.redacted_command(),
            command_hash: match requested.command.as_str() {
                "" => String::new(),
                command => hash(command),
            },
            ..Self::default()
        }
    }

    /// The same of another moment.
    #[must_use]
    pub fn with_event(&self, event: &str) -> Self {
        let time = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        Self { event: event.to_owned(), time, text: String::new(), ..self.clone() }
    }

    /// The same with a text.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_cannot_be_written_is_owed_and_written_when_it_can_be() {
        let home = tempfile::tempdir().expect("a folder");
        let receipts = Receipts::new(home.path());
        let receipt = |event: &str| TunnelReceipt {
            event: event.to_owned(),
            address: "a.example:443".to_owned(),
            ..TunnelReceipt::default()
        };
        receipts.write(receipt("open")).expect("it is written");
        assert_eq!(receipts.pending_notice(), None);
        let (file, aside) = (receipts.chain.file(), home.path().join("aside"));
        std::fs::rename(&file, &aside).expect("it is moved");
        std::fs::create_dir(&file).expect("a folder in its way");
        receipts.write_or_queue(receipt("end"));
        let owed = receipts.pending_notice().expect("it is not written");
        assert!(owed.contains("`end` of ") && owed.contains("is not a plain file"), "{owed}");
        let refused = receipts.write(receipt("start")).expect_err("nothing goes before it");
        assert_eq!(refused.reason(), Reason::ReceiptsUnusable);
        std::fs::remove_dir(&file).expect("it goes");
        std::fs::rename(&aside, &file).expect("it is back");
        receipts.write(receipt("start")).expect("it is written");
        assert_eq!(receipts.pending_notice(), None);
        let events: Vec<_> = receipts
            .read()
            .expect("it holds")
            .records
            .into_iter()
            .map(|l| l.content.event)
            .collect();
        assert_eq!(events, ["open", "end", "start"]);
    }
}
