//! Whether a call may take files and settings from this machine. A program that calls for callers of
//! other machines has none of theirs.

use browse_proto::{Command, Reason};

use crate::failure::{Failure, Result};

/// What a call may take from this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// Files that may be read, the environment, the screen: this machine is that of the caller.
    Caller,
    /// Nothing: the caller is on another one.
    None,
}

impl FileAccess {
    /// Refuses to take something from this machine for `command`.
    ///
    /// # Errors
    /// `FILE_DENIED`.
    pub fn check(self, command: &Command) -> Result<()> {
        match self {
            Self::Caller => Ok(()),
            Self::None => {
                let message = format!(
                    "`{}` needs a file or a setting of the machine of its caller, and this server \
                     runs on another one",
                    command.name
                );
                Err(Failure::new(Reason::FileDenied, message).with_hint(
                    "Use another command, or run it in a shell: `browse --remote <name>`",
                ))
            }
        }
    }
}
