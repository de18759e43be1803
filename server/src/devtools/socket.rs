//! One WebSocket connection: what comes in goes to the client, what its queue holds
//! goes out.

use std::{sync::Arc, time::Duration};

use futures::{SinkExt as _, StreamExt as _};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        self, Message,
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};

use super::{
    addresses::AddressGrant,
    client::DevToolsClient,
    outbox::{Next, Outbox},
};

/// Bytes of one message of a client.
const MAX_MESSAGE_BYTES: usize = 48 << 20;

/// Time in which a client must take a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);

/// Time that a client gets to take the reason of the end.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Bytes of a reason in a closing frame.
const MAX_REASON_BYTES: usize = 120;

/// Serves a client until it goes, its address ends or it does not read. Answers why.
pub(super) async fn serve<S>(
    stream: S,
    client: Arc<DevToolsClient>,
    outbox: Arc<Outbox>,
    grant: AddressGrant,
) -> String
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
    let (mut sink, mut incoming) = socket.split();
    let reading = async {
        loop {
            match incoming.next().await {
                Some(Ok(Message::Text(text))) => client.receive(text.as_str()).await,
                Some(Ok(Message::Binary(_))) => client.receive("").await,
                Some(Ok(Message::Close(_))) | None => break None,
                Some(Ok(_)) => {}
                Some(Err(error)) => break Some(read_error(&error)),
            }
        }
    };
    let writing = async {
        loop {
            match outbox.next().await {
                Next::Message(message) => {
                    match timeout(SEND_TIMEOUT, sink.send(Message::text(message))).await {
                        Ok(Ok(())) => {}
                        Ok(Err(_)) => break None,
                        Err(_) => break Some("the client does not read".to_owned()),
                    }
                }
                Next::Close(reason) => break Some(reason),
            }
        }
    };
    let ended = async {
        tokio::select! {
            () = grant.ended.cancelled() => {
                "the address was revoked or has expired, or its session has ended".to_owned()
            }
            () = tokio::time::sleep_until(grant.expires_at) => {
                "the address has expired".to_owned()
            }
            () = client.wait_shown() => "a person has the session in a window".to_owned(),
            reason = watch_overflow(&outbox) => reason,
        }
    };
    let reason = tokio::select! {
        reason = reading => reason,
        reason = writing => reason,
        reason = ended => Some(reason),
    };
    let Some(reason) = reason else { return "the client has disconnected".to_owned() };
    let mut shown = reason.clone();
    while shown.len() > MAX_REASON_BYTES {
        shown.pop();
    }
    let frame = CloseFrame { code: CloseCode::Policy, reason: shown.into() };
    let _ = timeout(CLOSE_TIMEOUT, sink.send(Message::Close(Some(frame)))).await;
    let _ = timeout(CLOSE_TIMEOUT, sink.close()).await;
    reason
}

/// Waits until the queue is given up: the write that is under way may never end.
async fn watch_overflow(outbox: &Outbox) -> String {
    let mut tick = tokio::time::interval_at(
        Instant::now() + Duration::from_millis(500),
        Duration::from_millis(500),
    );
    loop {
        tick.tick().await;
        if let Some(reason) = outbox.overflow() {
            return reason;
        }
    }
}

fn read_error(error: &tungstenite::Error) -> String {
    match error {
        tungstenite::Error::Capacity(_) => {
            format!("a message has more than {} MiB", MAX_MESSAGE_BYTES >> 20)
        }
        tungstenite::Error::Utf8(_) => "a message is not UTF-8".to_owned(),
        _ => "the connection broke".to_owned(),
    }
}
