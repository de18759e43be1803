//! Terminals of people at dashboards. Nothing of what is typed or printed is recorded.

use std::{env, sync::Arc};

use browse_base::{Error, HINT_KEY, Result};
use browse_policy::{ClientKind, Listener, SessionRule};
use browse_proto::{Reason, Scope, v1};
use futures::{Stream, stream};

use crate::{
    dispatch::CallContext,
    settings::{KEYS, SettingKey},
    terminal::{
        RunningTerminal, ShellPlan, TerminalOutput, TerminalSize, TerminalStream,
        WithheldVariables, shell_environment, shell_program,
    },
};

/// Bytes that are typed by one call.
const MAX_INPUT_BYTES: usize = 64 << 10;

/// What the names of the settings of the language model begin with.
const TRANSCRIPT_SETTINGS: &str = "security_transcript_";

/// The variable that names the program of the daemon to `browse`; it is not a setting.
const PROGRAM_VARIABLE: &str = "BROWSE_DAEMON";

/// Offers a terminal.
pub async fn offer_terminal(
    cx: &CallContext,
    _: v1::OfferTerminalRequest,
) -> Result<v1::OfferTerminalResponse> {
    check_allowed(cx)?;
    let plan = shell_plan(cx);
    let (offer, expires) = cx.daemon().terminals().offers().issue(cx.client())?;
    Ok(v1::OfferTerminalResponse {
        offer,
        shell: plan.program.display().to_string(),
        folder: plan.folder.display().to_string(),
        expires_at: humantime::format_rfc3339_seconds(expires).to_string(),
    })
}

/// Starts a terminal, and sends what it prints until it ends or its reader goes.
pub async fn open_terminal(
    cx: Arc<CallContext>,
    request: v1::OpenTerminalRequest,
) -> Result<impl Stream<Item = Result<v1::OpenTerminalResponse>> + Send + 'static> {
    check_allowed(&cx)?;
    let size = TerminalSize::from_request(request.columns, request.rows)?.unwrap_or_default();
    let terminals = cx.daemon().terminals();
    let stream = terminals.start(cx.client(), &request.offer, shell_plan(&cx), size).await?;
    tokio::spawn(end_with_dashboard(Arc::clone(&cx), Arc::clone(stream.terminal())));
    let state = OutputState { stream, is_named: false, is_over: false };
    Ok(stream::unfold(state, |mut state| async move {
        let message = state.next().await?;
        Some((Ok(message), state))
    }))
}

/// Types into a terminal, and changes its size.
pub async fn write_terminal(
    cx: &CallContext,
    request: v1::WriteTerminalRequest,
) -> Result<v1::WriteTerminalResponse> {
    check_allowed(cx)?;
    if request.data.len() > MAX_INPUT_BYTES {
        let message = format!("at most {MAX_INPUT_BYTES} bytes are typed by one call");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "terminal write"));
    }
    let size = TerminalSize::from_request(request.columns, request.rows)?;
    let terminal = cx.daemon().terminals().find(cx.client(), &request.terminal)?;
    if let Some(size) = size {
        terminal.resize(size)?;
    }
    if !request.data.is_empty() {
        terminal.write(&request.data).await?;
    }
    let written = u32::try_from(request.data.len()).unwrap_or(u32::MAX);
    Ok(v1::WriteTerminalResponse { written })
}

/// Whether the caller may start a terminal.
pub(super) fn may_start_terminal(cx: &CallContext) -> bool {
    cx.capability().scopes.allows(Scope::Control) && check_allowed(cx).is_ok()
}

/// Refuses all but people at a dashboard on this machine, and them where the user did not switch
/// terminals on.
fn check_allowed(cx: &CallContext) -> Result<()> {
    let caller = cx.capability();
    // The panel of a window is good for its session alone.
    let is_dashboard = caller.kind == ClientKind::Dashboard
        && caller.session == SessionRule::Any
        && cx.listener() == Listener::Dashboard;
    if !is_dashboard {
        let message = format!("`{}` is not a person at a dashboard", cx.client());
        return Err(Error::new(Reason::ScopeDenied, message).with(
            HINT_KEY,
            "Run `browse dashboard --scope read,write,meta,control`, and start it there",
        ));
    }
    if !cx.settings().dashboard_terminal {
        let message = "the setting `dashboard_terminal` is off";
        return Err(Error::new(Reason::TerminalOff, message));
    }
    Ok(())
}

/// What a terminal starts: without the token and the keys of the daemon.
fn shell_plan(cx: &CallContext) -> ShellPlan {
    let settings = cx.settings();
    let program = shell_program(env::var_os("SHELL").as_deref());
    // Without its address and key, a daemon that is started there would not start with the rest.
    let is_harmless =
        |key: &&SettingKey| !key.may_hold_secret && !key.name.starts_with(TRANSCRIPT_SETTINGS);
    let harmless = KEYS.iter().filter(is_harmless).map(|key| key.variable);
    let api_key = settings.transcript.as_ref().and_then(|model| model.api_key.as_ref());
    let secrets = [Some(cx.daemon().authority().root_token()), api_key.map(|key| key.expose())];
    let withheld = WithheldVariables {
        harmless: harmless.chain([PROGRAM_VARIABLE]).collect(),
        secrets: secrets.into_iter().flatten().collect(),
    };
    let environment = shell_environment(env::vars_os(), &withheld, &program);
    ShellPlan { program, folder: settings.project.clone(), environment }
}

/// Ends a terminal with the token of its dashboard and with the daemon, also while its reader
/// reads nothing.
async fn end_with_dashboard(cx: Arc<CallContext>, terminal: Arc<RunningTerminal>) {
    tokio::select! {
        _ = cx.grant().wait_until_ended() => terminal.end("the dashboard has ended"),
        _ = cx.daemon().shutdown_requested() => terminal.end("the daemon ends"),
        () = terminal.wait_until_ended() => {}
    }
}

/// What is left of the output of a terminal.
struct OutputState {
    stream: TerminalStream,
    /// Whether the reader knows the capability.
    is_named: bool,
    is_over: bool,
}

impl OutputState {
    async fn next(&mut self) -> Option<v1::OpenTerminalResponse> {
        if !self.is_named {
            self.is_named = true;
            let terminal = self.stream.capability().to_owned();
            return Some(v1::OpenTerminalResponse { terminal, ..Default::default() });
        }
        if self.is_over {
            return None;
        }
        Some(match self.stream.next().await {
            TerminalOutput::Data(data) => v1::OpenTerminalResponse { data, ..Default::default() },
            TerminalOutput::Ended(ended) => {
                self.is_over = true;
                v1::OpenTerminalResponse { ended, ..Default::default() }
            }
        })
    }
}
