//! The handlers of steps: one line of the contract is one branch here, as in
//! `service_impls`.

use std::sync::Arc;

use browse_proto::{Reason, v1};
use futures::{FutureExt as _, StreamExt as _};
use prost_types::Any;
use serde_json::Value;

use super::browser::{capture, input};
use crate::dispatch::{CallContext, StepHandlers, collect_saved_file, run_handler};
use browse_base::{Error, Result};

/// What runs steps.
pub static STEP_HANDLERS: StepHandlers = StepHandlers {
    run: |cx, request| dispatch(cx, request).boxed(),
    save: |cx, bytes| save_file(cx, bytes).boxed(),
};

/// Runs a command that saves a file.
async fn save_file(cx: &Arc<CallContext>, bytes: &[u8]) -> Result<Value> {
    match cx.command().name {
        "download" => {
            collect_saved_file::<v1::DownloadRequest, _>(cx, bytes, |cx, request| async {
                Ok(capture::download(cx, request).await?.boxed())
            })
            .await
        }
        _ => {
            collect_saved_file::<v1::ClickDownloadRequest, _>(cx, bytes, |cx, request| async {
                Ok(input::click_download(cx, request).await?.boxed())
            })
            .await
        }
    }
}

macro_rules! browser_steps {
    (BrowserService unary { $($group:ident $function:ident $request:ident $response:ident;)* }
        streams { $($stream:tt)* }) => {
        /// Runs a step of BrowserService.
        async fn browser(cx: &CallContext, name: &str, bytes: &[u8]) -> Option<Result<(Any, bool)>> {
            $(if name == stringify!($request) {
                let name = stringify!($response);
                return Some(run_handler(cx, bytes, name, |cx, request: v1::$request| {
                    super::browser::$group::$function(cx, request).boxed()
                }).await);
            })*
            None
        }
    };
}

macro_rules! steps {
    ($perform:ident $handlers:ident $service:ident
        unary { $($group:ident $function:ident $request:ident $response:ident;)* }
        streams { $($stream:tt)* }) => {
        /// Runs a step of this service.
        async fn $perform(cx: &CallContext, name: &str, bytes: &[u8]) -> Option<Result<(Any, bool)>> {
            $(if name == stringify!($request) {
                let name = stringify!($response);
                return Some(run_handler(cx, bytes, name, |cx, request: v1::$request| {
                    super::$handlers::$function(cx, request).boxed()
                }).await);
            })*
            None
        }
    };
}

macro_rules! daemon_steps { ($($all:tt)*) => { steps! { daemon control $($all)* } }; }
macro_rules! skill_steps { ($($all:tt)*) => { steps! { skill skills $($all)* } }; }
macro_rules! notes_steps { ($($all:tt)*) => { steps! { notes notes $($all)* } }; }
macro_rules! pair_steps { ($($all:tt)*) => { steps! { pair pairing $($all)* } }; }
macro_rules! dashboard_steps { ($($all:tt)*) => { steps! { dashboard dashboard $($all)* } }; }

browse_proto::with_browser_service!(browser_steps);
browse_proto::with_daemon_service!(daemon_steps);
browse_proto::with_skill_service!(skill_steps);
browse_proto::with_domain_skill_service!(notes_steps);
browse_proto::with_pair_service!(pair_steps);
browse_proto::with_dashboard_service!(dashboard_steps);

async fn dispatch(cx: &CallContext, request: &Any) -> Result<(Any, bool)> {
    let name = cx.command().request.name;
    let bytes = request.value.as_slice();
    if let Some(done) = browser(cx, name, bytes).await {
        return done;
    }
    if let Some(done) = daemon(cx, name, bytes).await {
        return done;
    }
    if let Some(done) = skill(cx, name, bytes).await {
        return done;
    }
    if let Some(done) = notes(cx, name, bytes).await {
        return done;
    }
    if let Some(done) = pair(cx, name, bytes).await {
        return done;
    }
    let done = dashboard(cx, name, bytes).await;
    done.unwrap_or_else(|| Err(Error::new(Reason::Bug, format!("no handler for `{name}`"))))
}
