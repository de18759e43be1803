//! The frame that selectors look in.

use browse_proto::{Reason, v1};

use crate::dispatch::CallContext;
use browse_base::{Error, HINT_KEY, Result};
use browse_chromium::Frame;
use browse_engine::Target;

/// Chooses the frame that selectors look in, or answers which it is.
pub async fn frame(cx: &CallContext, request: v1::FrameRequest) -> Result<v1::FrameResponse> {
    let engine = cx.engine();
    let wanted = match (request.target.as_deref(), request.name, request.url) {
        (Some("main"), ..) => None,
        (Some(target), ..) => {
            let target: Target = target.parse()?;
            Some(engine.frame_in_element(&target).await?)
        }
        (_, Some(name), _) => {
            let matches = |frame: &Frame| frame.name == name;
            Some(find_only(cx, &format!("the name `{name}`"), matches)?)
        }
        (.., Some(url)) => {
            let glob = glob::Pattern::new(&url).map_err(|error| {
                let message = format!("the address is not a glob: {error}");
                Error::new(Reason::ArgumentInvalid, message).with("command", "frame")
            })?;
            let matches = |frame: &Frame| glob.matches(&frame.url);
            Some(find_only(cx, &format!("the address `{url}`"), matches)?)
        }
        _ => {
            let in_force = cx.page().frame(&engine.selector_frame()?)?;
            return Ok(to_response(&in_force));
        }
    };
    let wanted = wanted.filter(|frame| frame.parent.is_some());
    engine.select_frame(wanted.as_ref());
    Ok(to_response(&wanted.unwrap_or_else(|| cx.page().main_frame())))
}

/// The only frame that `matches`.
fn find_only(cx: &CallContext, what: &str, matches: impl Fn(&Frame) -> bool) -> Result<Frame> {
    let frames = cx.page().frames();
    let inner: Vec<_> = frames.into_iter().filter(|frame| frame.parent.is_some()).collect();
    let mut found: Vec<_> = inner.iter().filter(|frame| matches(frame)).collect();
    match (found.pop(), found.len()) {
        (Some(frame), 0) => Ok(frame.clone()),
        (None, _) if inner.is_empty() => {
            let error = Error::new(Reason::FrameNotFound, "the page has no frames");
            Err(error.with(HINT_KEY, "Leave the frame out: selectors look in the page itself"))
        }
        (None, _) => {
            let message = format!("no frame has {what}; there are {}", inner.len());
            Err(with_frame_names(Error::new(Reason::FrameNotFound, message), inner.iter()))
        }
        (Some(last), more) => {
            let message = format!("{} frames have {what}", more + 1);
            let frames = found.into_iter().chain([last]);
            Err(with_frame_names(Error::new(Reason::FrameNotFound, message), frames))
        }
    }
}

/// Adds the names of frames, and the addresses of those that have none.
fn with_frame_names<'a>(error: Error, frames: impl Iterator<Item = &'a Frame>) -> Error {
    frames.fold(error, |error, frame| match frame.name.as_str() {
        "" => error.with_quote("frame", &frame.url),
        name => error.with_quote("frame", name),
    })
}

fn to_response(frame: &Frame) -> v1::FrameResponse {
    let name = match (&frame.parent, frame.name.as_str()) {
        (None, _) => "main",
        (Some(_), "") => "unnamed",
        (Some(_), name) => name,
    };
    v1::FrameResponse { frame: name.to_owned(), url: frame.url.clone() }
}
