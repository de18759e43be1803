//! The handlers of steps: one line of the contract is one branch here, as in
//! `service_impls`.

use std::sync::Arc;

use browse_proto::{Reason, v1};
use futures::{FutureExt as _, StreamExt as _, future::BoxFuture};
use prost_types::Any;
use serde_json::Value;

use super::{
    boxed,
    browser::{capture, input},
};
use crate::dispatch::{CallContext, StepHandlers, collect_saved_file, run_handler};
use browse_base::{Error, Result};

/// What runs steps.
pub static STEP_HANDLERS: StepHandlers =
    StepHandlers { run: dispatch, save: |cx, bytes| save_file(cx, bytes).boxed() };

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

/// What a step is to answer with.
type StepFuture<'a> = BoxFuture<'a, Result<(Any, bool)>>;

macro_rules! steps {
    ($handlers:ident $service:ident
        unary { $($group:ident $function:ident $request:ident $response:ident;)* }
        streams { $($stream:tt)* }) => {
        /// A step of this service.
        fn $handlers<'a>(cx: &'a CallContext, name: &str, bytes: &'a [u8]) -> Option<StepFuture<'a>> {
            Some(match name {
                $(stringify!($request) => {
                    run_handler(cx, bytes, stringify!($response), boxed::$handlers::$function)
                })*
                _ => return None,
            })
        }
    };
}

macro_rules! browser_steps { ($($all:tt)*) => { steps! { browser $($all)* } }; }
macro_rules! control_steps { ($($all:tt)*) => { steps! { control $($all)* } }; }
macro_rules! skill_steps { ($($all:tt)*) => { steps! { skills $($all)* } }; }
macro_rules! notes_steps { ($($all:tt)*) => { steps! { notes $($all)* } }; }
macro_rules! pair_steps { ($($all:tt)*) => { steps! { pairing $($all)* } }; }
macro_rules! dashboard_steps { ($($all:tt)*) => { steps! { dashboard $($all)* } }; }

browse_proto::with_browser_service!(browser_steps);
browse_proto::with_daemon_service!(control_steps);
browse_proto::with_skill_service!(skill_steps);
browse_proto::with_domain_skill_service!(notes_steps);
browse_proto::with_pair_service!(pair_steps);
browse_proto::with_dashboard_service!(dashboard_steps);

/// Runs the step that the command of `cx` names.
fn dispatch<'a>(cx: &'a CallContext, request: &'a Any) -> StepFuture<'a> {
    let name = cx.command().request.name;
    let bytes = request.value.as_slice();
    let services = [browser, control, skills, notes, pairing, dashboard];
    let found = services.into_iter().find_map(|service| service(cx, name, bytes));
    found.unwrap_or_else(|| {
        let error = Error::new(Reason::Bug, format!("no handler for `{name}`"));
        futures::future::ready(Err(error)).boxed()
    })
}
