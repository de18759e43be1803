//! The handlers that answer once, with boxed futures. A call and a step both use these, so that
//! the compiler proves once for each handler that its future is `Send`.

macro_rules! box_browser {
    (BrowserService unary { $($group:ident $function:ident $request:ident $response:ident;)* }
        streams { $($stream:tt)* }) => {
        box_handlers! { browser $($group::$function $request $response;)* }
    };
}

macro_rules! box_service {
    ($handlers:ident $service:ident
        unary { $($group:ident $function:ident $request:ident $response:ident;)* }
        streams { $($stream:tt)* }) => {
        box_handlers! { $handlers $(self::$function $request $response;)* }
    };
}

macro_rules! box_handlers {
    ($handlers:ident $($group:tt::$function:ident $request:ident $response:ident;)*) => {
        pub mod $handlers {
            use browse_base::Result;
            use browse_proto::v1;
            use futures::{FutureExt as _, future::BoxFuture};

            use crate::{dispatch::CallContext, handlers::$handlers};

            $(pub fn $function(
                cx: &CallContext,
                request: v1::$request,
            ) -> BoxFuture<'_, Result<v1::$response>> {
                handler_of!($handlers $group $function)(cx, request).boxed()
            })*
        }
    };
}

macro_rules! handler_of {
    ($handlers:ident self $function:ident) => {
        $handlers::$function
    };
    ($handlers:ident $group:ident $function:ident) => {
        $handlers::$group::$function
    };
}

macro_rules! box_control { ($($all:tt)*) => { box_service! { control $($all)* } }; }
macro_rules! box_skills { ($($all:tt)*) => { box_service! { skills $($all)* } }; }
macro_rules! box_notes { ($($all:tt)*) => { box_service! { notes $($all)* } }; }
macro_rules! box_pairing { ($($all:tt)*) => { box_service! { pairing $($all)* } }; }
macro_rules! box_dashboard { ($($all:tt)*) => { box_service! { dashboard $($all)* } }; }

browse_proto::with_browser_service!(box_browser);
browse_proto::with_daemon_service!(box_control);
browse_proto::with_skill_service!(box_skills);
browse_proto::with_domain_skill_service!(box_notes);
browse_proto::with_pair_service!(box_pairing);
browse_proto::with_dashboard_service!(box_dashboard);
