//! What was refused for security.

use browse_proto::{Reason, v1};

use crate::{
    dispatch::Context,
    error::{Error, Result},
    records::Row,
};

/// Attempts that are printed when nobody says how many.
const USUAL: u32 = 50;

/// Attempts that can be asked for.
const MOST: u32 = 1_000;

/// Digits of a hash that are shown.
const DIGITS: usize = 12;

/// Answers the last attempts.
pub async fn security_log(
    cx: &Context,
    request: v1::SecurityLogRequest,
) -> Result<v1::SecurityLogResponse> {
    let limit = request.limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        let message = format!("`limit` is {limit}, and can be 1 to {MOST}");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "security log"));
    }
    let daemon = std::sync::Arc::clone(cx.daemon());
    daemon.attempts().flush().await;
    let problem = daemon.attempts().problem();
    let read = tokio::task::spawn_blocking(move || daemon.attempts().last(limit as usize));
    let read = read.await.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let (rows, damaged) = read?;
    if let Some(problem) = problem {
        cx.say(&format!("attempts are not written down: {problem}"));
    }
    for place in damaged.iter().take(5) {
        cx.say(&format!("the line {place} cannot be read"));
    }
    if rows.is_empty() {
        cx.say("nothing was refused so far");
    }
    Ok(v1::SecurityLogResponse { attempts: rows.into_iter().map(attempt).collect() })
}

fn attempt(row: Row) -> v1::SecurityAttempt {
    let dropped = match row.dropped {
        0 => String::new(),
        dropped => format!("(+{dropped} dropped)"),
    };
    v1::SecurityAttempt {
        time: row.time,
        surface: row.surface,
        reason: row.reason,
        source: row.source.chars().take(DIGITS).collect(),
        domain: row.domain,
        dropped,
    }
}
