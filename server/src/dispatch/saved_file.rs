//! Calls that save a file, as recordings know them: without the bytes.

use std::{any::Any, sync::Arc, time::Duration};

use browse_proto::{Command, Reason, SentData, v1};
use futures::{StreamExt as _, stream::BoxStream};
use prost::Message;
use prost_types::Any as Packed;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::{CallContext, deadline, egress};
use browse_base::{Error, Result};
use browse_net::without_query;
use browse_policy::{Grant, Listener};

/// Whether a command saves a file, and may be a step of a skill.
pub fn saves_file(command: &Command) -> bool {
    matches!(command.name, "click --download" | "download")
}

/// What is known of a file that is sent in parts.
#[derive(Default)]
pub struct SavedFile(Map<String, Value>);

impl SavedFile {
    /// Takes note of a part of any answer.
    pub fn add_part(&mut self, part: &dyn Any) {
        let Some(part) = part.downcast_ref::<v1::FilePart>() else { return };
        if let Some(head) = &part.head {
            self.0.insert("path".to_owned(), head.name.clone().into());
            self.0.insert("url".to_owned(), without_query(&head.url).into());
            self.0.insert("mime".to_owned(), head.mime.clone().into());
        }
        if let Some(tail) = &part.tail {
            self.0.insert("bytes".to_owned(), tail.bytes.into());
        }
    }

    /// The same in the shape of an answer.
    pub fn into_value(self) -> Value {
        self.0.into()
    }
}

/// Runs a command that saves a file, during the call of `cx`, for the holder of `grant`, as a skill of its
/// would from outside.
///
/// # Errors
/// Those of the command, and what the grant does not allow.
pub async fn run_save_as(
    cx: &CallContext,
    grant: &Arc<Grant>,
    session: &str,
    request: &Packed,
    timeout: Duration,
) -> Result<Value> {
    let name = request.type_url.rsplit('/').next().unwrap_or_default();
    let command = Command::by_request(name).filter(|command| saves_file(command));
    let command =
        command.ok_or_else(|| Error::new(Reason::Bug, format!("`{name}` saves no file")))?;
    let permit = browse_policy::check(grant, command, Listener::Skills)?;
    let of_step = Arc::new(cx.internal(permit, session, timeout));
    (cx.step_handlers().save)(&of_step, request.value.as_slice()).await
}

/// Runs `handler` with a request of these bytes, and returns what is known of the file
/// that it sends. The bytes of the file are let go of.
///
/// # Errors
/// Those of the command.
pub async fn collect_saved_file<Q, F>(
    cx: &Arc<CallContext>,
    bytes: &[u8],
    handler: impl FnOnce(Arc<CallContext>, Q) -> F,
) -> Result<Value>
where
    Q: Message + SentData + Default + 'static,
    F: Future<Output = Result<BoxStream<'static, Result<v1::FilePart>>>>,
{
    let request = Q::decode(bytes).map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let (mut entry, begun) = (cx.begin_activity(&request), Instant::now());
    let work = async {
        cx.acquire_tab().await?;
        egress::check(cx, &request).await?;
        let mut parts = handler(Arc::clone(cx), request).await?;
        let mut file = SavedFile::default();
        while let Some(part) = parts.next().await {
            file.add_part(&part?);
        }
        Ok(file.into_value())
    };
    let outcome = deadline::run_with_deadline(cx, work).await;
    cx.note_tab(&mut entry);
    let reason = outcome.as_ref().err().map(Error::reason);
    cx.daemon().activity().record_ended(entry, begun.elapsed(), reason);
    outcome.map_err(|error| super::unary::complete_error(cx, error))
}
