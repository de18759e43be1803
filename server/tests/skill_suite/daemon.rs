//! A daemon of a test: its own project and home, and a client with the root
//! token.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use browse_proto::v1::{
    self, browser_service_client::BrowserServiceClient, daemon_service_client::DaemonServiceClient,
    run_skill_response::Event, skill_service_client::SkillServiceClient,
};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::{Interceptor, interceptor::InterceptedService};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tonic_types::StatusExt as _;

/// Longest time that anything may take.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

pub struct Daemon {
    child: Child,
    /// Whether skills run without a sandbox.
    free: bool,
    place: tempfile::TempDir,
    pub address: String,
    pub token: String,
}

/// What came of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    pub stderr: String,
    pub output: Option<serde_json::Value>,
    pub error: Option<Failure>,
}

#[derive(Debug)]
pub struct Failure {
    pub reason: String,
    pub message: String,
    pub metadata: HashMap<String, String>,
    /// What a page or a program chose: pairs of what it is and what it says.
    pub page: Vec<(String, String)>,
}

/// Adds a token to each call.
#[derive(Clone)]
pub struct Bearer(MetadataValue<Ascii>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert("authorization", self.0.clone());
        request.metadata_mut().insert("browse-content", MetadataValue::from_static("raw"));
        Ok(request)
    }
}

pub type Service = InterceptedService<Channel, Bearer>;

/// The PATH, with the node that setup fetched before the system's.
fn path_with_node() -> std::ffi::OsString {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/node/bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = fetched.is_dir().then_some(fetched).into_iter();
    std::env::join_paths(folders.chain(std::env::split_paths(&path))).unwrap()
}

impl Daemon {
    /// A daemon without a browser, which most tests do without.
    pub async fn start() -> Self {
        Self::start_with(&[("BROWSE_NO_BROWSER", "1")]).await
    }

    /// One that confines nothing, for skills that tests watch from outside.
    pub async fn start_free() -> Self {
        let none = [("BROWSE_NO_BROWSER", "1"), ("BROWSE_SKILL_SANDBOX", "none")];
        let mut daemon = Self::start_with(&none).await;
        daemon.free = true;
        daemon
    }

    pub async fn start_with(environment: &[(&str, &str)]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), environment).await
    }

    /// Starts another one in the place of this one, which is killed.
    pub async fn again(mut self, environment: &[(&str, &str)]) -> Self {
        self.kill();
        let place = std::mem::replace(&mut self.place, tempfile::tempdir().unwrap());
        let _ = std::fs::remove_file(place.path().join("project/.browse/daemon.json"));
        let environment = [&[("BROWSE_NO_BROWSER", "1")], environment].concat();
        Self::start_in(place, &environment).await
    }

    async fn start_in(place: tempfile::TempDir, environment: &[(&str, &str)]) -> Self {
        let (project, home) = (place.path().join("project"), place.path().join("home"));
        std::fs::create_dir_all(&project).unwrap();
        std::fs::create_dir_all(&home).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_browsed"))
            .arg("--project")
            .arg(&project)
            .env("BROWSE_HOME", &home)
            .env("SECRET_OF_THE_USER", "s3cret")
            .env_remove("BROWSE_STATE_FILE")
            .env("PATH", path_with_node())
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let state = read_state(&project.join(".browse/daemon.json")).await;
        let text = |key: &str| state[key].as_str().unwrap().to_owned();
        Self { child, free: false, place, address: text("address"), token: text("token") }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn project(&self) -> PathBuf {
        self.place.path().join("project")
    }

    pub fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    pub async fn skills(&self) -> SkillServiceClient<Service> {
        SkillServiceClient::new(self.service(&self.token).await)
    }

    /// The browser, as the holder of this token sees it.
    pub async fn browser(&self, token: &str) -> BrowserServiceClient<Service> {
        BrowserServiceClient::new(self.service(token).await)
    }

    pub async fn control(&self) -> DaemonServiceClient<Service> {
        DaemonServiceClient::new(self.service(&self.token).await)
    }

    async fn service(&self, token: &str) -> Service {
        let endpoint = Endpoint::from_shared(format!("http://{}", self.address)).unwrap();
        let channel = endpoint.connect().await.unwrap();
        InterceptedService::new(channel, Bearer(format!("Bearer {token}").parse().unwrap()))
    }

    pub async fn run(&self, name: &str) -> Outcome {
        self.run_with(self.request(name), None).await
    }

    /// A run of this skill, as this daemon can do it.
    pub fn request(&self, name: &str) -> v1::RunSkillRequest {
        v1::RunSkillRequest {
            name: name.to_owned(),
            allow_unsandboxed: self.free,
            ..Default::default()
        }
    }

    pub async fn run_with(
        &self,
        request: v1::RunSkillRequest,
        timeout: Option<Duration>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let mut request = Request::new(request);
        if let Some(timeout) = timeout {
            request.set_timeout(timeout);
        }
        let listened =
            tokio::time::timeout(WAIT_TIMEOUT, listen(self, request, &mut outcome)).await;
        if let Err(status) = listened.expect("the run ends") {
            outcome.error = Some(Failure::from(status));
        }
        outcome
    }

    /// Makes an empty draft, and answers its name and folder.
    pub async fn stage(&self) -> (String, PathBuf) {
        let request = v1::StageSkillRequest::default();
        let response = self.skills().await.stage_skill(request).await.unwrap().into_inner();
        (response.draft, response.path.into())
    }

    /// Commits a draft, and answers what it became or why not.
    pub async fn commit(
        &self,
        request: v1::CommitSkillRequest,
    ) -> Result<v1::CommittedSkill, Failure> {
        let mut events = self.skills().await.commit_skill(request).await?.into_inner();
        while let Some(response) = events.message().await? {
            if let Some(v1::commit_skill_response::Event::Skill(skill)) = response.event {
                return Ok(skill);
            }
        }
        panic!("it ends without an answer")
    }

    /// Upgrades a skill, and answers what came of it.
    pub async fn upgrade(&self, name: &str) -> Result<v1::UpgradedSkill, Failure> {
        let request = v1::UpgradeSkillRequest { name: name.to_owned(), ..Default::default() };
        let mut events = self.skills().await.upgrade_skill(request).await?.into_inner();
        while let Some(response) = events.message().await? {
            if let Some(v1::upgrade_skill_response::Event::Skill(skill)) = response.event {
                return Ok(skill);
            }
        }
        panic!("it ends without an answer")
    }

    /// Tests a skill, and answers what its tests reported and why they failed.
    pub async fn test(&self, name: &str) -> (String, Result<v1::TestReport, Failure>) {
        let request = v1::TestSkillRequest { name: name.to_owned(), ..Default::default() };
        let mut reported = String::new();
        let outcome = async {
            let mut events = self.skills().await.test_skill(request).await?.into_inner();
            while let Some(response) = events.message().await? {
                match response.event.unwrap() {
                    v1::test_skill_response::Event::Report(report) => return Ok(report),
                    v1::test_skill_response::Event::Stderr(bytes) => {
                        reported.push_str(&String::from_utf8_lossy(&bytes));
                    }
                }
            }
            panic!("it ends without an answer")
        };
        let outcome = outcome.await;
        (reported, outcome)
    }

    /// Kills the daemon as nothing else does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

async fn listen(
    daemon: &Daemon,
    request: Request<v1::RunSkillRequest>,
    outcome: &mut Outcome,
) -> Result<(), Status> {
    let mut events = daemon.skills().await.run_skill(request).await?.into_inner();
    while let Some(response) = events.message().await? {
        match response.event.unwrap() {
            Event::Stderr(bytes) => outcome.stderr.push_str(&String::from_utf8_lossy(&bytes)),
            Event::Output(text) => outcome.output = Some(serde_json::from_str(&text).unwrap()),
        }
    }
    Ok(())
}

impl From<Status> for Failure {
    /// A daemon that died has no reason.
    fn from(status: Status) -> Self {
        let message = status.message().to_owned();
        let page = browse_proto::wire::error_page(status.details());
        match status.get_error_details().error_info().cloned() {
            Some(info) => Self { reason: info.reason, message, metadata: info.metadata, page },
            None => Self { reason: String::new(), message, metadata: HashMap::new(), page },
        }
    }
}

/// Killed, not asked to stop: that is quicker, and its guardian tidies up.
impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn read_state(file: &Path) -> serde_json::Value {
    let found =
        until(|| std::fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()));
    found.await.expect("the daemon writes its state file")
}

/// Asks again until there is an answer.
pub async fn until<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let end = Instant::now() + WAIT_TIMEOUT;
    while Instant::now() < end {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    None
}
