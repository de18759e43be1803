//! Taking clutter out of sight.

use browse_proto::v1;

use crate::dispatch::CallContext;
use browse_base::Result;
use browse_engine::{CleanupResult, Clutter};

/// Hides what lies around the content, and answers how much of each kind.
pub async fn cleanup(cx: &CallContext, request: v1::CleanupRequest) -> Result<v1::CleanupResponse> {
    let v1::CleanupRequest { ads, cookies, sticky, social, all } = request;
    let named = Clutter { ads, cookies, sticky, social };
    let clutter = if all || named == Clutter::default() { Clutter::ALL } else { named };
    let CleanupResult { counts, unlocked } = cx.engine().cleanup(clutter).await?;
    let mut words: Vec<_> = counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    if unlocked {
        words.push("the page scrolls again".to_owned());
    }
    let removed = counts.into_iter().map(|(kind, count)| v1::CleanupCount { kind, count });
    Ok(v1::CleanupResponse { summary: words.join(", "), removed: removed.collect(), unlocked })
}
