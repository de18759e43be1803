//! The frame that selectors look in.

use browse_proto::{Reason, v1};

use crate::{
    chromium::Frame,
    dispatch::Context,
    engine::Target,
    error::{Error, HINT, Result},
};

/// Frames that a message names.
const NAMED: usize = 8;

/// Characters of a name or an address in a message.
const MOST: usize = 80;

/// Chooses the frame that selectors look in, or answers which it is.
pub async fn frame(cx: &Context, request: v1::FrameRequest) -> Result<v1::FrameResponse> {
    let engine = cx.engine();
    let wanted = match (request.target.as_deref(), request.name, request.url) {
        (Some("main"), ..) => None,
        (Some(target), ..) => {
            let target: Target = target.parse()?;
            Some(engine.frame_in(&target).await?)
        }
        (_, Some(name), _) => {
            let matches = |frame: &Frame| frame.name == name;
            Some(only(cx, &format!("the name `{name}`"), matches)?)
        }
        (.., Some(url)) => {
            let glob = glob::Pattern::new(&url).map_err(|error| {
                let message = format!("the address is no glob: {error}");
                Error::new(Reason::ArgumentInvalid, message).with("command", "frame")
            })?;
            let matches = |frame: &Frame| glob.matches(&frame.url);
            Some(only(cx, &format!("the address `{url}`"), matches)?)
        }
        _ => {
            let in_force = cx.page().frame(&engine.frame()?)?;
            return Ok(report(&in_force));
        }
    };
    let wanted = wanted.filter(|frame| frame.parent.is_some());
    engine.choose_frame(wanted.as_ref());
    Ok(report(&wanted.unwrap_or_else(|| cx.page().main_frame())))
}

/// The only frame that `matches`.
fn only(cx: &Context, what: &str, matches: impl Fn(&Frame) -> bool) -> Result<Frame> {
    let frames = cx.page().frames();
    let inner: Vec<_> = frames.into_iter().filter(|frame| frame.parent.is_some()).collect();
    let mut found: Vec<_> = inner.iter().filter(|frame| matches(frame)).collect();
    match (found.pop(), found.len()) {
        (Some(frame), 0) => Ok(frame.clone()),
        (None, _) if inner.is_empty() => {
            let error = Error::new(Reason::FrameNotFound, "the page has no frames");
            Err(error.with(HINT, "Leave the frame out: selectors look in the page itself"))
        }
        (None, _) => {
            let listed = list(inner.iter());
            let message = format!("no frame has {what}; there are {listed}");
            Err(Error::new(Reason::FrameNotFound, message).with("frames", listed))
        }
        (Some(last), more) => {
            let listed = list(found.into_iter().chain([last]));
            let message = format!("{} frames have {what}: {listed}", more + 1);
            Err(Error::new(Reason::FrameNotFound, message).with("frames", listed))
        }
    }
}

fn list<'a>(frames: impl Iterator<Item = &'a Frame>) -> String {
    let clip = |text: &str| text.chars().take(MOST).collect::<String>();
    let mut texts: Vec<_> = frames
        .map(|frame| match frame.name.as_str() {
            "" => format!("`{}`", clip(&frame.url)),
            name => format!("`{}` ({})", clip(name), clip(&frame.url)),
        })
        .collect();
    let more = texts.len().saturating_sub(NAMED);
    texts.truncate(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    texts.join(", ") + &rest
}

fn report(frame: &Frame) -> v1::FrameResponse {
    let name = match (&frame.parent, frame.name.as_str()) {
        (None, _) => "main",
        (Some(_), "") => "unnamed",
        (Some(_), name) => name,
    };
    v1::FrameResponse { frame: name.to_owned(), url: frame.url.clone() }
}
