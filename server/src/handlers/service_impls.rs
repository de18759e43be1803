//! The generated services. One line of the contract is one method here, which
//! names its handler: a missing handler fails the build.

use browse_proto::v1;
use futures::{FutureExt as _, StreamExt as _};
use tonic::{Request, Response, Status};

use super::{boxed, services::Services};
use crate::dispatch::{GuardedStream, streaming, unary};

macro_rules! serve_browser {
    (BrowserService unary { $($group:ident $function:ident $request:ident $response:ident;)* }
        streams { $($sgroup:ident $sfunction:ident $srequest:ident $sresponse:ident $stream:ident;)* }) => {
        #[tonic::async_trait]
        impl v1::browser_service_server::BrowserService for Services {
            $(async fn $function(
                &self,
                request: Request<v1::$request>,
            ) -> Result<Response<v1::$response>, Status> {
                unary(self.entry(), request, boxed::browser::$function).await
            })*
            $(type $stream = GuardedStream<v1::$sresponse>;
            async fn $sfunction(
                &self,
                request: Request<v1::$srequest>,
            ) -> Result<Response<Self::$stream>, Status> {
                streaming(self.entry(), request, |cx, request| {
                    async move {
                        Ok(super::browser::$sgroup::$sfunction(cx, request).await?.boxed())
                    }
                    .boxed()
                })
                .await
            })*
        }
    };
}

macro_rules! serve {
    ($service:ident $module:ident $handlers:ident
        unary { $($group:ident $function:ident $request:ident $response:ident;)* }
        streams { $($sgroup:ident $sfunction:ident $srequest:ident $sresponse:ident $stream:ident;)* }) => {
        #[tonic::async_trait]
        impl v1::$module::$service for Services {
            $(async fn $function(
                &self,
                request: Request<v1::$request>,
            ) -> Result<Response<v1::$response>, Status> {
                unary(self.entry(), request, boxed::$handlers::$function).await
            })*
            $(type $stream = GuardedStream<v1::$sresponse>;
            async fn $sfunction(
                &self,
                request: Request<v1::$srequest>,
            ) -> Result<Response<Self::$stream>, Status> {
                streaming(self.entry(), request, |cx, request| {
                    async move { Ok(super::$handlers::$sfunction(cx, request).await?.boxed()) }.boxed()
                })
                .await
            })*
        }
    };
}

macro_rules! serve_daemon {
    ($service:ident $($rest:tt)*) => { serve! { $service daemon_service_server control $($rest)* } };
}

macro_rules! serve_skill {
    ($service:ident $($rest:tt)*) => { serve! { $service skill_service_server skills $($rest)* } };
}

macro_rules! serve_notes {
    ($service:ident $($rest:tt)*) => { serve! { $service domain_skill_service_server notes $($rest)* } };
}

macro_rules! serve_dashboard {
    ($service:ident $($rest:tt)*) => {
        serve! { $service dashboard_service_server dashboard $($rest)* }
    };
}

macro_rules! serve_pair {
    ($service:ident $($rest:tt)*) => { serve! { $service pair_service_server pairing $($rest)* } };
}

browse_proto::with_browser_service!(serve_browser);
browse_proto::with_daemon_service!(serve_daemon);
browse_proto::with_skill_service!(serve_skill);
browse_proto::with_domain_skill_service!(serve_notes);
browse_proto::with_pair_service!(serve_pair);
browse_proto::with_dashboard_service!(serve_dashboard);
