//! A daemon that is played by the test: it listens, has a state file and holds
//! the lock of its project, and answers each RPC with what the test says.

use std::{
    collections::HashMap,
    fs::{self, File},
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{Arc, Mutex},
};

use browse_proto::Command as Contract;
use bytes::{Buf as _, BufMut as _, Bytes};
use hyper::{body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_stream::Iter;
use tonic::{
    Request, Response, Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    metadata::MetadataMap,
    server::Grpc,
};

/// What the fake answers to one RPC.
#[derive(Clone)]
pub struct Answer {
    headers: Vec<(&'static str, String)>,
    trailers: Vec<(&'static str, String)>,
    outcome: Result<Vec<Value>, Status>,
}

impl Answer {
    /// A response, or the messages of a stream.
    pub fn of(messages: impl IntoIterator<Item = Value>) -> Self {
        Self {
            headers: Vec::new(),
            trailers: Vec::new(),
            outcome: Ok(messages.into_iter().collect()),
        }
    }

    /// A failure.
    pub fn failing(status: Status) -> Self {
        Self { headers: Vec::new(), trailers: Vec::new(), outcome: Err(status) }
    }

    /// Adds response metadata.
    pub fn with(mut self, key: &'static str, value: &str) -> Self {
        self.headers.push((key, value.to_owned()));
        self
    }

    /// Adds metadata to the end of a stream.
    pub fn ending(mut self, key: &'static str, value: &str) -> Self {
        self.trailers.push((key, value.to_owned()));
        self
    }
}

/// What the fake saw of one call.
#[derive(Clone, Debug)]
pub struct Seen {
    pub metadata: MetadataMap,
    pub request: Value,
}

/// The fake, with a project folder around it.
pub struct Fake {
    dir: TempDir,
    seen: Arc<Mutex<Vec<Seen>>>,
    lock: Option<File>,
    _runtime: tokio::runtime::Runtime,
    pub port: u16,
}

/// What a command printed.
#[derive(Debug)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    pub code: i32,
}

impl Fake {
    /// A living daemon that answers so.
    pub fn new(answers: &[(&'static str, Answer)]) -> Self {
        let mut fake = Self::absent(answers);
        let project = fake.project();
        fs::create_dir_all(project.join(".browse")).expect("a folder");
        fake.write_state(&project.join(".browse/daemon.json"), "fake");
        let folder = File::open(&project).expect("the project");
        folder.lock().expect("the lock");
        fake.lock = Some(folder);
        fake
    }

    /// A daemon that listens, but has neither state file nor lock.
    pub fn absent(answers: &[(&'static str, Answer)]) -> Self {
        let answers: HashMap<_, _> = answers
            .iter()
            .map(|(name, answer)| {
                let command = Contract::by_name(name).expect("a command");
                (command.path, (command, answer.clone()))
            })
            .collect();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let listener = listener.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        runtime.spawn(serve(listener, Arc::new(answers), Arc::clone(&seen)));
        let dir = tempfile::Builder::new().prefix("browse-cli-").tempdir().expect("a folder");
        fs::create_dir(dir.path().join("work")).expect("a folder");
        Self { dir, seen, lock: None, _runtime: runtime, port }
    }

    pub fn project(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    /// Writes a state file that names this fake.
    pub fn write_state(&self, path: &std::path::Path, build_id: &str) {
        let state = json!({
            "pid": std::process::id(),
            "address": format!("127.0.0.1:{}", self.port),
            "token": "root-token",
            "started_at": "2026-01-01T00:00:00Z",
            "build_id": build_id,
            "browser": null,
        });
        fs::write(path, state.to_string()).expect("a state file");
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("its mode");
    }

    /// Ends as a daemon does: the state file goes first, then the lock.
    pub fn end(&mut self) {
        fs::remove_file(self.project().join(".browse/daemon.json")).expect("the state file");
        self.lock = None;
    }

    /// The calls so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    /// The last call.
    pub fn last(&self) -> Seen {
        self.seen().last().expect("a call").clone()
    }

    /// Prepares `browse`; there is no `browsed` to start unless a test names
    /// one.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_browse"));
        command.args(args).current_dir(self.project()).stdin(Stdio::null()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TMPDIR", self.dir.path()).env("BROWSE_PROJECT", self.project());
        command.env("BROWSE_DAEMON", "/nowhere/browsed");
        command
    }

    /// Runs `browse`.
    pub fn run(&self, args: &[&str]) -> Output {
        output(self.command(args))
    }

    /// Runs `browse` with `input` on its standard input.
    pub fn feed(&self, args: &[&str], input: &str) -> Output {
        let path = self.dir.path().join("input");
        fs::write(&path, input).expect("a file");
        let mut command = self.command(args);
        command.stdin(File::open(path).expect("the file"));
        output(command)
    }
}

/// Runs `command` to its end.
pub fn output(mut command: Command) -> Output {
    let output = command.output().expect("browse is built");
    Output {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().unwrap_or(-1),
    }
}

type Answers = HashMap<&'static str, (&'static Contract, Answer)>;

async fn serve(
    listener: tokio::net::TcpListener,
    answers: Arc<Answers>,
    seen: Arc<Mutex<Vec<Seen>>>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        let (answers, seen) = (Arc::clone(&answers), Arc::clone(&seen));
        let service = service_fn(move |request: http::Request<Incoming>| {
            let (answers, seen) = (Arc::clone(&answers), Arc::clone(&seen));
            async move {
                let known = answers.get(request.uri().path()).cloned();
                let mut grpc = Grpc::new(BytesCodec);
                let response = match known {
                    Some((command, answer)) if command.streaming => {
                        grpc.server_streaming(Play { command, answer, seen }, request).await
                    }
                    Some((command, answer)) => {
                        grpc.unary(Play { command, answer, seen }, request).await
                    }
                    None => Status::unimplemented("the fake has no answer").into_http(),
                };
                Ok::<_, std::convert::Infallible>(response)
            }
        });
        tokio::spawn(
            http2::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), service),
        );
    }
}

struct Play {
    command: &'static Contract,
    answer: Answer,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Play {
    fn play(&self, request: Request<Bytes>) -> Result<Response<Vec<Bytes>>, Status> {
        let (metadata, _, body) = request.into_parts();
        let request = browse_proto::wire::decode(self.command.request, &body);
        let request = Value::Object(request.map_err(|e| Status::internal(e.to_string()))?);
        self.seen.lock().expect("no panic").push(Seen { metadata, request });
        let messages = self.answer.outcome.clone()?;
        let encode = |message: &Value| {
            let fields = message.as_object().expect("an object");
            browse_proto::wire::encode(self.command.response, fields).expect("a response").into()
        };
        let mut response = Response::new(messages.iter().map(encode).collect());
        for (key, value) in &self.answer.headers {
            response.metadata_mut().insert(*key, value.parse().expect("ASCII"));
        }
        Ok(response)
    }
}

impl tonic::server::UnaryService<Bytes> for Play {
    type Response = Bytes;
    type Future = std::future::Ready<Result<Response<Bytes>, Status>>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let response = self.play(request);
        std::future::ready(response.map(|r| r.map(|messages| messages.concat().into())))
    }
}

impl tonic::server::ServerStreamingService<Bytes> for Play {
    type Response = Bytes;
    type ResponseStream = Iter<std::vec::IntoIter<Result<Bytes, Status>>>;
    type Future = std::future::Ready<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let mut end = MetadataMap::new();
        for (key, value) in &self.answer.trailers {
            end.insert(*key, value.parse().expect("ASCII"));
        }
        let end = Err(Status::with_metadata(tonic::Code::Ok, "", end));
        let stream = |messages: Vec<Bytes>| {
            tokio_stream::iter(messages.into_iter().map(Ok).chain([end]).collect::<Vec<_>>())
        };
        std::future::ready(self.play(request).map(|response| response.map(stream)))
    }
}

#[derive(Clone, Copy)]
struct BytesCodec;

impl Codec for BytesCodec {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put(item);
        Ok(())
    }
}

impl Decoder for BytesCodec {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}
