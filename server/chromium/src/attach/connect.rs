//! From an address to a browser that answers, through the process that holds the connection.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::json;

use super::address::CdpAddress;
use super::bridge::{BRIDGE_FLAG, BridgeGreeting, BridgeStart, GIVE_TAB};
use crate::browser::browser::Browser;
use crate::browser::options::BrowserOptions;
use crate::browser::registry::Registry;
use crate::connection::call::CdpCall;
use crate::connection::pipe::CdpConnection;
use crate::error::{Error, Result};
use crate::ids::TargetId;
use crate::launch::info::{BrowserInfo, Flavour, Sandbox};
use crate::launch::process::BrowserProcess;
use crate::launch::profile::ProfileDirs;
use crate::launch::spawn::{ChildEnd, spawn};
use crate::page::page::Page;

/// How a browser that runs already is reached.
#[derive(Clone, Debug)]
pub struct AttachOptions {
    /// The program that holds the connection when it is started with [`BRIDGE_FLAG`].
    pub program: PathBuf,
    /// The browser.
    pub address: CdpAddress,
    /// The folder in which profiles of channels are looked for.
    pub home: PathBuf,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenTab {
    target_id: TargetId,
}

impl Browser {
    /// Connects to a browser that runs already. It may ask the person at its screen first.
    /// Dropping the last handle closes the tabs that were opened, and nothing else.
    ///
    /// # Errors
    /// `AttachFailed`; a system call does not work.
    pub async fn attach(options: BrowserOptions, attach: &AttachOptions) -> Result<Arc<Self>> {
        let launch = &options.launch;
        let profile = ProfileDirs::open(None, launch.downloads.as_deref(), |path| {
            if let Some(guardian) = &launch.guardian {
                guardian.remove_at_exit(path);
            }
        })?;
        let (downloads, uploads) = (profile.downloads().to_owned(), profile.uploads());
        let mut command = Command::new(&attach.program);
        command.arg(BRIDGE_FLAG);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()
            .map_err(|error| Error::system("the pipe to the browser", error))?;
        let connection = CdpConnection::new(ours)?;
        // It outlives the daemon, to close the tabs of one that was killed.
        let mut child: std::process::Child = spawn(command, theirs, ChildEnd::Own)
            .await
            .map_err(|error| Error::system("the process that holds the connection", error))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        // Ends the process when this future is dropped: it waits for a person, perhaps.
        let mut unfinished = ShutDownOnDrop(Some(connection.clone()));
        let pid = child.id();
        let mut process = BrowserProcess::adopt_bridge(child, profile, launch.guardian.clone())?;
        let greeting = greet(attach, input.zip(output)).await;
        let (product, user_agent) = match greeting {
            Ok(BridgeGreeting::Connected { product, user_agent }) => (product, user_agent),
            Ok(BridgeGreeting::Failed(failure)) => return Err(Error::AttachFailed(failure)),
            Err(problem) => {
                unfinished.0.take();
                connection.shut_down();
                process.reap().await;
                return Err(Error::system("the process that holds the connection", problem));
            }
        };
        let is_headless = product.starts_with("Headless");
        let flavour = if is_headless { Flavour::Headless } else { Flavour::Headed };
        let info = BrowserInfo {
            executable: PathBuf::from(attach.address.to_string()),
            flavour,
            product,
            user_agent,
            pid,
            sandbox: Sandbox::On,
            shared_memory_note: None,
            profile: process.profile_folder(),
            downloads: downloads.clone(),
            uploads,
        };
        let registry = Registry::new(connection.clone(), &options, downloads, flavour);
        connection.run(Arc::clone(&registry) as Arc<_>);
        unfinished.0.take();
        Ok(Self::from_attached(registry, info, process))
    }

    /// Makes the tab with this address ours, until it is closed, which gives it back.
    ///
    /// # Errors
    /// `TabsOfAddress` when none or several tabs have it.
    pub async fn take_tab(&self, address: &str) -> Result<TakenTab> {
        let given: CdpCall<GivenTab> =
            self.connection().call_method(None, GIVE_TAB, &json!({ "address": address }));
        let target = given.await?.target_id;
        let giving_back = GiveBackOnDrop { connection: Some(self.connection().clone()), target };
        let page = self.registry().wait_page_ready(&giving_back.target).await?;
        Ok(TakenTab { page, giving_back })
    }
}

/// A tab that was given. It goes back to its person unless it is kept.
pub struct TakenTab {
    page: Arc<Page>,
    giving_back: GiveBackOnDrop,
}

impl TakenTab {
    /// Its page.
    pub fn page(&self) -> &Arc<Page> {
        &self.page
    }

    /// Keeps it until it is closed.
    pub fn keep(mut self) {
        self.giving_back.connection.take();
    }
}

/// Gives a tab back to its person: nothing that was set in it stays.
struct GiveBackOnDrop {
    /// None when it is kept.
    connection: Option<CdpConnection>,
    target: TargetId,
}

impl Drop for GiveBackOnDrop {
    fn drop(&mut self) {
        let params = json!({ "targetId": self.target });
        if let Some(connection) = &self.connection {
            connection.call_method::<IgnoredAny>(None, "Target.closeTarget", &params).ignore();
        }
    }
}

/// Ends the process at the other end of a pipe that nobody will use.
struct ShutDownOnDrop(Option<CdpConnection>);

impl Drop for ShutDownOnDrop {
    fn drop(&mut self) {
        if let Some(connection) = &self.0 {
            connection.shut_down();
        }
    }
}

/// Says where the browser is, and waits for what came of it, on a thread: standard input and
/// output of a child block.
async fn greet(
    attach: &AttachOptions,
    pipes: Option<(ChildStdin, ChildStdout)>,
) -> Result<BridgeGreeting, String> {
    let (mut input, output) = pipes.ok_or("it has no input or output")?;
    let start = BridgeStart { address: attach.address.full_text(), home: attach.home.clone() };
    let mut text = serde_json::to_string(&start).map_err(|error| error.to_string())?;
    text.push('\n');
    let asked = tokio::task::spawn_blocking(move || {
        input.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
        drop(input);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        serde_json::from_str(&line).map_err(|_| "it ended before it was connected".to_owned())
    });
    asked.await.map_err(|error| error.to_string())?
}
