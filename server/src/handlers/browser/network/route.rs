//! Routes: what becomes of a tab's requests by the caller's choice.

use std::time::Duration;

use browse_proto::{Reason, v1};
use http::{HeaderName, HeaderValue};

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{Route, RouteAction};

/// Routes that a tab may have.
const MAX_ROUTES: usize = 50;

/// Bytes that all bodies of a tab may have.
const MAX_BODIES_BYTES: usize = 20 << 20;

/// Longest that a request is held up.
const MAX_DELAY_MS: u32 = 60_000;

/// Characters of a glob.
const MAX_GLOB_CHARS: usize = 2_000;

/// Adds a route to the tab.
pub async fn route(cx: &CallContext, request: v1::RouteRequest) -> Result<v1::RouteResponse> {
    let delay = request.delay.unwrap_or_default();
    if delay > MAX_DELAY_MS {
        return Err(invalid_argument(&format!("a delay is at most {MAX_DELAY_MS} ms")));
    }
    if request.glob.is_empty() || request.glob.len() > MAX_GLOB_CHARS {
        return Err(invalid_argument("the glob is empty, or longer than 2,000 letters"));
    }
    let action = parse_action(&request)?;
    let routes = cx.page().routes();
    let others = routes.iter().filter(|route| route.glob != request.glob);
    if others.clone().count() >= MAX_ROUTES {
        let message = format!("the tab has {MAX_ROUTES} routes");
        return Err(Error::new(Reason::TooLarge, message).with("limit", "50 routes"));
    }
    let bytes = body_size(&action) + others.map(|route| body_size(&route.action)).sum::<usize>();
    if bytes > MAX_BODIES_BYTES {
        let message = format!("the bodies of the tab's routes have {bytes} bytes");
        return Err(Error::new(Reason::TooLarge, message).with("limit", "20 MiB"));
    }
    let route = Route::new(&request.glob, Duration::from_millis(delay.into()), action);
    let described = to_entry(&route);
    cx.page().add_route(route).await?;
    Ok(v1::RouteResponse { route: Some(described) })
}

/// Removes the routes of a glob, or all of the tab.
pub async fn unroute(cx: &CallContext, request: v1::UnrouteRequest) -> Result<v1::UnrouteResponse> {
    let removed = cx.page().remove_routes(request.glob.as_deref()).await? as u64;
    if let (0, Some(glob)) = (removed, &request.glob) {
        let message = format!("the tab has no route for `{}`", browse_base::quote(glob));
        return Err(Error::new(Reason::RouteNotFound, message));
    }
    Ok(v1::UnrouteResponse { removed })
}

/// Lists the routes of the tab.
pub async fn list_routes(
    cx: &CallContext,
    _: v1::ListRoutesRequest,
) -> Result<v1::ListRoutesResponse> {
    let routes = cx.page().routes();
    Ok(v1::ListRoutesResponse { routes: routes.iter().map(|route| to_entry(route)).collect() })
}

fn parse_action(request: &v1::RouteRequest) -> Result<RouteAction> {
    if request.abort {
        return Ok(RouteAction::Abort);
    }
    let body = request.fulfil.as_ref().or(request.body.as_ref());
    let answers = body.is_some() || request.status.is_some() || !request.header.is_empty();
    if !answers && request.delay.is_none() {
        let wanted = "say what becomes of the requests: \
            `--abort`, `--fulfil`, `--body`, `--status`, `--header` or `--delay`";
        return Err(invalid_argument(wanted));
    }
    if !answers {
        return Ok(RouteAction::Continue);
    }
    let status = request.status.unwrap_or(200);
    let status = u16::try_from(status).ok().filter(|status| (200..600).contains(status));
    let status = status.ok_or_else(|| invalid_argument("a status is a number from 200 to 599"))?;
    let headers = request.header.iter().map(|line| parse_header(line)).collect::<Result<_>>()?;
    let body = body.cloned().unwrap_or_default().into();
    Ok(RouteAction::Fulfill { status, headers, body })
}

fn parse_header(line: &str) -> Result<(String, String)> {
    let (name, value) = line
        .split_once(':')
        .ok_or_else(|| invalid_argument("a header is `name: value`, and one has no colon"))?;
    let name: HeaderName =
        name.trim().parse().map_err(|_| invalid_argument("the name of a header is not valid"))?;
    let value = value.trim();
    HeaderValue::from_str(value)
        .map_err(|_| invalid_argument(&format!("the value of the header `{name}` is not valid")))?;
    Ok((name.to_string(), value.to_owned()))
}

fn body_size(action: &RouteAction) -> usize {
    match action {
        RouteAction::Fulfill { body, .. } => body.len(),
        _ => 0,
    }
}

fn to_entry(route: &Route) -> v1::RouteEntry {
    let (action, status, size) = match &route.action {
        RouteAction::Continue => ("continue", None, None),
        RouteAction::Abort | RouteAction::AbortUnsafe => ("abort", None, None),
        RouteAction::Fulfill { status, body, .. } => {
            ("fulfil", Some(u32::from(*status)), Some(body.len() as u64))
        }
    };
    v1::RouteEntry {
        glob: route.glob.clone(),
        action: action.to_owned(),
        status,
        size,
        delay_ms: Some(route.delay.as_millis() as u64).filter(|delay| *delay > 0),
        hits: route.hits(),
    }
}

fn invalid_argument(message: &str) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "network route")
}
