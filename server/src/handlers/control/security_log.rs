//! What was refused for security.

use browse_proto::{Reason, v1};

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_records::SecurityLogRow;

/// Attempts that are printed when nobody says how many.
const DEFAULT_LIMIT: u32 = 50;

/// Attempts that can be asked for.
const MAX_LIMIT: u32 = 1_000;

/// Digits of a hash that are shown.
const HASH_PREFIX_CHARS: usize = 12;

/// Answers the last attempts.
pub async fn security_log(
    cx: &CallContext,
    request: v1::SecurityLogRequest,
) -> Result<v1::SecurityLogResponse> {
    let limit = request.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        let message = format!("`limit` is {limit}, and can be 1 to {MAX_LIMIT}");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "security log"));
    }
    let daemon = std::sync::Arc::clone(cx.daemon());
    daemon.attempts().flush().await;
    let problem = daemon.attempts().write_error();
    let read = tokio::task::spawn_blocking(move || daemon.attempts().last_rows(limit as usize));
    let read = read.await.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let (rows, damaged) = read?;
    if let Some(problem) = problem {
        cx.add_notice(&format!("attempts are not written down: {problem}"));
    }
    for place in damaged.iter().take(5) {
        cx.add_notice(&format!("the line {place} cannot be read"));
    }
    if rows.is_empty() {
        cx.add_notice("nothing was refused so far");
    }
    Ok(v1::SecurityLogResponse { attempts: rows.into_iter().map(to_attempt).collect() })
}

fn to_attempt(row: SecurityLogRow) -> v1::SecurityAttempt {
    let dropped = match row.dropped {
        0 => String::new(),
        dropped => format!("(+{dropped} dropped)"),
    };
    v1::SecurityAttempt {
        time: row.time,
        surface: row.surface,
        reason: row.reason,
        source: row.source.chars().take(HASH_PREFIX_CHARS).collect(),
        domain: row.domain,
        dropped,
    }
}
