//! Pictures of tabs, for people who watch.

use std::{sync::Arc, time::Duration};

use browse_base::{Error, Result};
use browse_proto::{Reason, v1};
use browse_sessions::{Session, Tab, TabId};
use futures::{Stream, stream};

use super::view_stream::{ViewOptions, ViewStream};
use crate::{dashboard::ViewSettings, dispatch::CallContext};

/// Tabs of one view.
const MAX_TABS: usize = 64;

/// Width of a picture when the caller does not say, in pixels.
const DEFAULT_WIDTH: u32 = 320;

/// The largest width of a picture, in pixels.
const MAX_WIDTH: u32 = 2560;

/// Pictures a second when the caller does not say.
const DEFAULT_FPS: u32 = 2;

/// The most pictures a second.
const MAX_FPS: u32 = 30;

/// Characters of the name of a view.
const MAX_NAME_CHARS: usize = 64;

/// Sends pictures until the caller goes.
pub async fn view_tabs(
    cx: Arc<CallContext>,
    request: v1::ViewTabsRequest,
) -> Result<impl Stream<Item = Result<v1::ViewTabsResponse>> + Send + 'static> {
    let width = request.width.unwrap_or(DEFAULT_WIDTH);
    let fps = request.fps.unwrap_or(DEFAULT_FPS);
    if !(16..=MAX_WIDTH).contains(&width) {
        return Err(invalid(format!("`--width` is 16 to {MAX_WIDTH} pixels, not {width}")));
    }
    if !(1..=MAX_FPS).contains(&fps) {
        return Err(invalid(format!("`--fps` is 1 to {MAX_FPS}, not {fps}")));
    }
    let name = request.view.unwrap_or_default();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if name.len() > MAX_NAME_CHARS || !name.chars().all(is_name) {
        return Err(invalid("a name of a view has letters, digits and dashes".to_owned()));
    }
    check_tabs(&cx, &request.tabs)?;
    let acknowledges = !name.is_empty();
    let begin = ViewSettings { tabs: request.tabs, ..ViewSettings::default() };
    let view = cx.daemon().dashboard().views().open(cx.client(), &name, begin);
    let options = ViewOptions { width, interval: Duration::from_secs(1) / fps, acknowledges };
    cx.mark_as_watcher();
    let view = ViewStream::new(cx, view, options);
    Ok(stream::unfold(view, |mut view| async move {
        let message = view.next().await?;
        Some((Ok(message), view))
    }))
}

/// Acknowledges pictures, and changes what a view shows.
pub async fn update_view(
    cx: &CallContext,
    request: v1::UpdateViewRequest,
) -> Result<v1::UpdateViewResponse> {
    check_tabs(cx, &request.tabs)?;
    if let Some(large) = request.large.filter(|id| *id != 0) {
        check_tabs(cx, &[large])?;
    }
    let width = request.large_width.unwrap_or(MAX_WIDTH).clamp(16, MAX_WIDTH);
    let settings = cx.daemon().dashboard().views().update(cx.client(), &request.view, |view| {
        view.received = request.received.unwrap_or_default().max(view.received);
        if !request.tabs.is_empty() {
            view.tabs = request.tabs.clone();
        }
        if let Some(large) = request.large {
            view.large = (large != 0).then_some((large, width));
        }
    });
    let settings = settings.ok_or_else(|| {
        let message = format!("no view `{}` of yours is open", browse_base::quote(&request.view));
        invalid(message)
    })?;
    let tabs = settings.tabs.len() + usize::from(settings.large.is_some());
    Ok(v1::UpdateViewResponse { tabs: u32::try_from(tabs).unwrap_or(u32::MAX) })
}

/// Refuses tabs that the caller may not see. One that is closed is not among them.
fn check_tabs(cx: &CallContext, tabs: &[TabId]) -> Result<()> {
    if tabs.len() > MAX_TABS {
        return Err(invalid(format!("a view shows {MAX_TABS} tabs at most")));
    }
    for id in tabs {
        if let Some(tab) = cx.daemon().sessions().tab(*id) {
            find_session(cx, &tab)?;
        }
    }
    Ok(())
}

/// The session of a tab that the caller may see.
///
/// # Errors
/// `TAB_DENIED`; the session is closed.
pub(super) fn find_session(cx: &CallContext, tab: &Tab) -> Result<Arc<Session>> {
    if !cx.capability().session.covers(tab.session()) {
        let message = format!("tab {} is in another session", tab.id());
        return Err(Error::new(Reason::TabDenied, message));
    }
    cx.check_tab(tab)?;
    cx.daemon().sessions().require(tab.session())
}

fn invalid(message: String) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "view")
}
