//! What a call may take: time, and bytes in a message.

use browse_proto::Reason;

use crate::failure::Failure;

/// Time that a call gets when neither the caller nor the command says.
pub const DEFAULT_TIMEOUT_MS: u64 = 30_000;

/// Messages hold at most this many bytes, both ways.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// Bytes of an answer of this process, which holds it several times on its way to an agent, and those of
/// other agents beside it.
pub const MAX_IN_PROCESS_ANSWER_BYTES: usize = 4 << 20;

/// The failure for what is larger than `limit` bytes.
pub fn too_large(message: String, limit: usize) -> Failure {
    Failure::with_values(Reason::TooLarge, message, [("limit", format!("{limit} bytes"))])
}
