//! Calls to the API server: each has a time limit, and each failure is one of three kinds.

use std::time::Duration;

use tokio::time::timeout;

use crate::cluster::ClusterError;

/// Awaits the answer of the API server, for `limit` at most. A write that got no answer in time
/// may have been done.
pub(super) async fn answer<T>(
    limit: Duration,
    call: impl Future<Output = Result<T, kube::Error>>,
) -> Result<T, ClusterError> {
    match timeout(limit, call).await {
        Ok(result) => result.map_err(cluster_error),
        Err(_) => {
            let message = format!("no answer within {} s", limit.as_secs());
            Err(ClusterError::Unavailable(message))
        }
    }
}

/// What a failure means for the caller. An object that should be created and exists is a conflict.
fn cluster_error(error: kube::Error) -> ClusterError {
    match error {
        kube::Error::Api(status) if status.is_conflict() || status.is_already_exists() => {
            ClusterError::Conflict
        }
        kube::Error::Api(status) if status.is_not_found() => ClusterError::Gone,
        kube::Error::Api(status) => {
            ClusterError::Unavailable(format!("{} (status {})", status.message, status.code))
        }
        error => ClusterError::Unavailable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    fn of(reason: &str, code: u16) -> ClusterError {
        let status = Status::failure("why", reason).with_code(code);
        cluster_error(kube::Error::Api(Box::new(status)))
    }

    #[test]
    fn a_status_is_one_of_three_failures() {
        assert!(matches!(of("Conflict", 409), ClusterError::Conflict));
        assert!(matches!(of("AlreadyExists", 409), ClusterError::Conflict));
        assert!(matches!(of("NotFound", 404), ClusterError::Gone));
        let refused = of("Forbidden", 403).to_string();
        assert!(refused.contains("why (status 403)"), "{refused}");
    }

    #[tokio::test]
    async fn a_call_without_an_answer_ends() {
        let call = std::future::pending::<Result<(), kube::Error>>();
        let result = answer(Duration::from_millis(1), call).await;
        assert!(matches!(result, Err(ClusterError::Unavailable(_))), "{result:?}");
    }
}
