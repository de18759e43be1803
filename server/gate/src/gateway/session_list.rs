//! `session list` for a caller with all sessions of its tenant: those of all its pods. A pod knows
//! its own alone.

use std::collections::BTreeMap;

use browse_base::{Error, Result};
use browse_fleet::{SessionKey, SessionScope};
use browse_policy::layer::{grpc_answer, into_grpc, response_for};
use browse_proto::{Reason, metadata, v1};
use http::{HeaderMap, Response, header};
use http_body_util::{BodyExt as _, Limited};
use prost::Message as _;
use tonic::{Code, Status, body::Body};

use super::{
    CallBody, Gateway,
    call_record::CallRecord,
    forward::{self, AdmittedCall},
};
use crate::cluster::PodRecord;

/// The command.
const COMMAND: &str = "session list";

/// Largest list of a pod, in bytes.
const MAX_LIST_BYTES: usize = 4 << 20;

/// Bytes before a message of gRPC: whether it is compressed, and its length.
const FRAME_BYTES: usize = 5;

/// The pods to ask, when it is not one: those of the tenant, for a caller with all its sessions. In
/// the forms of gRPC-Web a pod answers for itself.
pub fn pods_to_ask(
    gateway: &Gateway,
    admitted: &AdmittedCall<'_>,
    body: &CallBody,
) -> Option<Vec<PodRecord>> {
    let kind = body.headers().get(header::CONTENT_TYPE).map(|kind| kind.as_bytes());
    let is_web = kind.is_some_and(|kind| kind.starts_with(b"application/grpc-web"));
    let asks_for_all = matches!(admitted.caller.session, SessionScope::Any);
    if admitted.command.name != COMMAND || !asks_for_all || is_web {
        return None;
    }
    let pods = gateway.lock().pods_of(&admitted.key.tenant);
    (pods.len() != 1).then_some(pods)
}

/// Asks `pods`, and answers with the sessions of all of them, by name.
///
/// # Errors
/// As [`forward::forward`]: a list with sessions left out is not given.
pub async fn answer(
    gateway: &Gateway,
    admitted: &AdmittedCall<'_>,
    mut body: CallBody,
    pods: Vec<PodRecord>,
    record: &mut CallRecord,
) -> Result<Response<Body>> {
    let AdmittedCall { caller, origin, role, command, key, until } = *admitted;
    let (mut request, _) = body.next_request();
    let headers = request.headers().clone();
    if let Some(refused) = into_grpc(&mut request) {
        return Ok(refused);
    }
    let mut list = SessionList::default();
    for pod in pods {
        // One of its own, so that a pod which is lost moves what it had.
        let session = pod.claim.as_ref().and_then(|claim| claim.sessions.keys().next());
        let session = session.unwrap_or(&key.session).clone();
        let key = SessionKey { tenant: key.tenant.clone(), session };
        let admitted = AdmittedCall { caller, origin, role, command, key: &key, until };
        let call = CallBody::without_fields(request.headers().clone(), request.uri().clone());
        let response = forward::forward(gateway, &admitted, call, pod.clone(), record).await?;
        if let Err(status) = list.add(gateway, &pod, &key, response).await? {
            return Ok(response_for(&headers, command, status.into_http()).await);
        }
    }
    Ok(response_for(&headers, command, list.into_response()).await)
}

/// The sessions of the pods that were asked so far.
#[derive(Default)]
struct SessionList {
    /// Each with whether the gateway has it in that pod: every pod has a session `default`.
    sessions: BTreeMap<String, (bool, v1::Session)>,
    /// What pods say to the caller.
    notice: HeaderMap,
}

impl SessionList {
    /// Adds the answer of a pod; the status of one that failed is the answer of the call.
    async fn add(
        &mut self,
        gateway: &Gateway,
        pod: &PodRecord,
        key: &SessionKey,
        response: Response<Body>,
    ) -> Result<std::result::Result<(), Status>> {
        let (parts, body) = response.into_parts();
        if let Some(notice) = parts.headers.get(metadata::NOTICE) {
            self.notice.insert(metadata::NOTICE, notice.clone());
        }
        let whole = Limited::new(body, MAX_LIST_BYTES).collect().await;
        let whole = whole.map_err(|error| unreadable(key, &error.to_string()))?;
        let in_headers = Status::from_header_map(&parts.headers);
        let status = in_headers.or_else(|| whole.trailers().and_then(Status::from_header_map));
        match status {
            Some(status) if status.code() == Code::Ok => {}
            Some(status) => return Ok(Err(status)),
            None => return Err(unreadable(key, "it has no status")),
        }
        let bytes = whole.to_bytes();
        if bytes.len() < FRAME_BYTES || bytes[0] != 0 {
            return Err(unreadable(key, "it is not one message"));
        }
        let listed = v1::ListSessionsResponse::decode(bytes.slice(FRAME_BYTES..))
            .map_err(|error| unreadable(key, &error.to_string()))?;
        let routes = gateway.lock();
        for session in listed.sessions {
            let of = SessionKey { tenant: key.tenant.clone(), session: session.name.clone() };
            let is_routed = routes.pod(&of).is_some_and(|routed| routed.uid == pod.uid);
            let known = self.sessions.get(&session.name);
            if known.is_none_or(|(known, _)| is_routed && !known) {
                self.sessions.insert(session.name.clone(), (is_routed, session));
            }
        }
        Ok(Ok(()))
    }

    fn into_response(self) -> Response<Body> {
        let sessions = self.sessions.into_values().map(|(_, session)| session).collect();
        let mut response = grpc_answer(&v1::ListSessionsResponse { sessions });
        response.headers_mut().extend(self.notice);
        response
    }
}

fn unreadable(key: &SessionKey, why: &str) -> Error {
    let message =
        format!("the list of the pod of the session `{}` cannot be read: {why}", key.session);
    Error::new(Reason::PodUnreachable, message).with("session", &key.session).with("retry_ms", 1000)
}

#[cfg(test)]
mod tests {
    use browse_proto::Command;

    use super::*;

    #[test]
    fn the_command_is_in_the_contract_and_has_no_arguments() {
        let command = Command::by_name(COMMAND).expect("a command");
        assert!(!command.streaming);
        assert_eq!(v1::ListSessionsRequest {}.encode_to_vec(), [0_u8; 0]);
    }
}
