//! A store as S3-compatible ones are, in memory: objects of one bucket with conditional writes.

use std::{
    collections::HashMap,
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    body::{Bytes, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use tokio::net::TcpListener;

const DATE: &str = "Sat, 28 Nov 2026 12:00:00 GMT";

/// The number of the next object: it is not used again, also after the object was deleted.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

/// The objects, by path, each with its number.
type Objects = Mutex<HashMap<String, (u64, Bytes)>>;

/// The store.
pub struct S3 {
    pub address: SocketAddr,
    objects: Arc<Objects>,
}

impl S3 {
    /// An empty store.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let objects = Arc::<Objects>::default();
        let shared = Arc::clone(&objects);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let objects = Arc::clone(&shared);
                tokio::spawn(async move {
                    let service = service_fn(move |request: Request<Incoming>| {
                        answer(Arc::clone(&objects), request)
                    });
                    let builder = Builder::new(TokioExecutor::new());
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { address, objects }
    }

    /// The object at a path, with the name of the bucket.
    pub fn object(&self, path: &str) -> Option<Bytes> {
        let objects = self.objects.lock().expect("no panic");
        objects.get(path).map(|(_, bytes)| bytes.clone())
    }

    /// Puts an object at a path, as somebody with write access to the bucket can.
    pub fn put(&self, path: &str, bytes: Bytes) {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        self.objects.lock().expect("no panic").insert(path.to_owned(), (number, bytes));
    }
}

async fn answer(
    objects: Arc<Objects>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let path = parts.uri.path().to_owned();
    let mut objects = objects.lock().expect("no panic");
    let found = objects.get(&path).cloned();
    let response = match parts.method {
        Method::PUT => {
            let number = found.as_ref().map(|(number, _)| *number);
            if !holds(&parts.headers, number) {
                return Ok(reply(StatusCode::PRECONDITION_FAILED, Bytes::new(), None));
            }
            let next = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
            objects.insert(path, (next, body));
            reply(StatusCode::OK, Bytes::new(), Some(next))
        }
        Method::GET | Method::HEAD => match found {
            Some((number, bytes)) => reply(StatusCode::OK, bytes, Some(number)),
            None => reply(StatusCode::NOT_FOUND, Bytes::new(), None),
        },
        // Many at once: `POST /bucket?delete`.
        _ => {
            let text = String::from_utf8_lossy(&body).into_owned();
            let keys = text.split("<Key>").skip(1).filter_map(|rest| rest.split("</Key>").next());
            let mut done = String::new();
            for key in keys {
                objects.remove(&format!("{}/{key}", path.trim_end_matches('/')));
                done.push_str(&format!("<Deleted><Key>{key}</Key></Deleted>"));
            }
            let document = format!("<DeleteResult>{done}</DeleteResult>");
            reply(StatusCode::OK, document.into(), None)
        }
    };
    Ok(response)
}

/// Whether the conditions of a write hold for an object of this number.
fn holds(headers: &HeaderMap, number: Option<u64>) -> bool {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_new = text(header::IF_NONE_MATCH).is_none_or(|_| number.is_none());
    let expected = text(header::IF_MATCH);
    is_new && expected.is_none_or(|tag| number.map(e_tag).as_deref() == Some(tag))
}

fn reply(status: StatusCode, body: Bytes, number: Option<u64>) -> Response<Full<Bytes>> {
    let mut response = Response::builder()
        .status(status)
        .header(header::LAST_MODIFIED, DATE)
        .header(header::CONTENT_LENGTH, body.len());
    if let Some(number) = number {
        response = response.header(header::ETAG, e_tag(number));
    }
    response.body(Full::from(body)).expect("a response")
}

fn e_tag(number: u64) -> String {
    format!("\"{number}\"")
}
