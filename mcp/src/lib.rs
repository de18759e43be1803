//! The MCP server of browse. A tool call becomes calls of the daemon, with the token of a
//! session that is the agent's own.
//!
//! Nothing but the protocol goes to standard output.

mod approvals;
mod hosted;
mod http;
mod message_check;
mod options;
mod prompts;
mod reply;
mod resources;
mod schema;
mod server;
mod sessions;
mod stdio;
mod steps;
mod streamable;
mod tool_call;
mod tools;

use std::io::Write as _;

use browse_cli::Failure;
pub use browse_cli::embed::{CallFuture, CallService};
pub use hosted::{HostedCaller, HostedServer, is_initialize};
use rmcp::ServiceExt as _;
use serde_json::Value;
pub use sessions::AGENT_SCOPES;

use options::{Action, ServerOptions};
use server::BrowseServer;

/// What `--help` prints.
const USAGE: &str = include_str!("usage.txt");

/// Runs the program with `words` (argv without the program), and returns its exit code.
pub fn run(words: Vec<String>) -> u8 {
    let outcome = options::parse(&words).and_then(|action| match action {
        Action::Help => {
            let _ = write!(std::io::stdout(), "{USAGE}");
            Ok(0)
        }
        Action::Serve(options) => block_on(serve(options)),
        Action::ServeHttp { options, port } => block_on(async move {
            // Two clients are two agents: none gets the other's session.
            http::serve(BrowseServer::new(ServerOptions { shares_process: true, ..options })?, port)
                .await
        }),
        Action::Call { options, tool, arguments } => block_on(call(options, tool, arguments)),
    });
    outcome.unwrap_or_else(|failure| {
        let _ = std::io::stderr().write_all(failure.text().as_bytes());
        failure.exit
    })
}

fn block_on(work: impl Future<Output = Result<u8, Failure>>) -> Result<u8, Failure> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build().map_err(|error| {
        Failure::new(browse_proto::Reason::Bug, format!("no event loop can be made: {error}"))
    })?;
    let code = runtime.block_on(work);
    // A read of standard input cannot be cancelled.
    runtime.shutdown_background();
    code
}

/// Serves the client at standard input and output until it goes.
async fn serve(options: ServerOptions) -> Result<u8, Failure> {
    let server = BrowseServer::new(options)?;
    let sessions = server.clone();
    let broken = |error: String| {
        Failure::new(browse_proto::Reason::ArgumentInvalid, error)
            .with_hint("Start `browse mcp` from an MCP client, or run `browse mcp call`")
    };
    let (input, output) = rmcp::transport::io::stdio_pipes();
    let (pipes, written) = stdio::checked(input, output);
    let running = server.serve(pipes).await;
    let running = match running {
        Ok(running) => running,
        // A client that goes before it says anything is none.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(0),
        Err(error) => return Err(broken(format!("the client broke the protocol: {error}"))),
    };
    running.waiting().await.map_err(|error| broken(error.to_string()))?;
    sessions.close_own_session().await;
    let _ = written.await;
    Ok(0)
}

/// Makes one tool call and prints its result as JSON.
async fn call(options: ServerOptions, tool: String, arguments: Value) -> Result<u8, Failure> {
    let server = BrowseServer::new(options)?;
    let reply = server.call(&tool, arguments).await;
    let failed = reply.is_error;
    let result = serde_json::to_string(&reply.into_result()).map_err(|error| {
        Failure::new(browse_proto::Reason::Bug, format!("the result is not JSON: {error}"))
    })?;
    // A reader that has gone needs no result.
    let _ = writeln!(std::io::stdout(), "{result}");
    Ok(u8::from(failed))
}
