//! Starts and stops recordings, one a session.

use std::{sync::Arc, time::Duration};

use browse_proto::{Reason, v1};
use futures::Stream;
use sha2::{Digest as _, Sha256};

use super::files::stream_parts;
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_recording::{Captions, RecordingOptions, VideoRecording};

/// Frames a second, when the caller names no other number.
const DEFAULT_FPS: u32 = 10;

/// Time that a slow recording waits after an action.
const SLOW_ACTION_DELAY: Duration = Duration::from_secs(1);

/// Frames a second at most.
const MAX_FPS: u32 = 30;

/// Begins to film the tab.
pub async fn start_recording(
    cx: &CallContext,
    request: v1::StartRecordingRequest,
) -> Result<v1::StartRecordingResponse> {
    let fps = request.fps.unwrap_or(DEFAULT_FPS);
    if !(1..=MAX_FPS).contains(&fps) {
        let message = format!("`--fps` is 1 to {MAX_FPS}, not {fps}");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "record start"));
    }
    let session = cx.session()?;
    let running = || Error::new(Reason::RecordingRuns, "this session is being recorded already");
    if session.recording().is_some() {
        return Err(running());
    }
    let browser = cx.browser().await?;
    let captions = request
        .captions
        .then(|| Captions::new(cx.daemon().activity().subscribe().1, session.name()));
    let pace = if request.slow { SLOW_ACTION_DELAY } else { Duration::ZERO };
    let style = RecordingOptions { fps, captions, action_delay: pace };
    let recording = VideoRecording::start(&browser, cx.page(), style).await?;
    let (width, height) = recording.size();
    let mut place = session.recording();
    if place.is_some() {
        return Err(running());
    }
    *place = Some(recording);
    Ok(v1::StartRecordingResponse { width, height })
}

/// Ends the recording of the session, and answers the film.
pub async fn stop_recording(
    cx: Arc<CallContext>,
    _: v1::StopRecordingRequest,
) -> Result<impl Stream<Item = Result<v1::FilePart>> + Send + 'static> {
    let recording = cx.session()?.recording().take();
    let recording = recording.ok_or_else(|| {
        Error::new(Reason::RecordingMissing, "this session is not being recorded")
    })?;
    let mut film = recording.stop()?;
    Ok(stream_parts(move |pipe| async move {
        let head = v1::FileHead {
            name: "recording.webm".to_owned(),
            mime: "video/webm".to_owned(),
            ..Default::default()
        };
        pipe.send(v1::FilePart { head: Some(head), ..Default::default() }).await?;
        let (mut hash, mut bytes) = (Sha256::new(), 0);
        for piece in film.pieces() {
            let data = film.read(piece)?;
            hash.update(&data);
            bytes += data.len() as u64;
            pipe.send(v1::FilePart { data, ..Default::default() }).await?;
        }
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let note = std::mem::take(&mut film.notice);
        let tail = v1::FileTail { bytes, sha256, note, ..Default::default() };
        pipe.send(v1::FilePart { tail: Some(tail), ..Default::default() }).await
    }))
}
