//! `browse-ngrok`: a tunnel of ngrok to the listener of `browsed`, which starts
//! it for `browse tunnel start --provider ngrok`.
//!
//! It is a process of its own, so that the daemon stays small, and so that what
//! others send through ngrok is handled where no file of the user is. It says
//! what happens on standard output, a line each, and ends with the tunnel.

mod config;
mod error;
mod sandbox;
mod serve;
mod service_connection;
mod status_output;
mod upstream;

use std::process::ExitCode;

use config::NgrokConfig;
use error::NgrokError;
use status_output::StatusOutput;

/// Exit code for a call that makes no sense.
const USAGE_EXIT_CODE: u8 = 2;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (Some(listener), Some(pin), None) = (args.next(), args.next(), args.next()) else {
        eprintln!("browse-ngrok {}: `browsed` starts it", env!("CARGO_PKG_VERSION"));
        eprintln!("usage: NGROK_AUTHTOKEN=… browse-ngrok <host:port> <pin of its certificate>");
        return ExitCode::from(USAGE_EXIT_CODE);
    };
    let order = NgrokConfig::parse(&listener, &pin, |name| std::env::var(name).ok());
    let (say, ended) = match order {
        Ok(order) => {
            let say = StatusOutput::redacting(&order.token);
            exit_on_panic(say.clone());
            (say.clone(), run(&order, &say))
        }
        Err(trouble) => (StatusOutput::default(), trouble),
    };
    say.print_failure(&ended);
    ExitCode::FAILURE
}

/// Confines itself, and forwards until that is over.
fn run(order: &NgrokConfig, say: &StatusOutput) -> NgrokError {
    if let Err(trouble) = serve::prepare(order) {
        return trouble;
    }
    // While there is one thread: what holds it holds those that it starts.
    if let Err(error) = sandbox::enter_sandbox(&order.ports()) {
        return NgrokError::other(format!("the process cannot be confined: {error}"));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime {
        Ok(runtime) => runtime.block_on(serve::serve(order, say)),
        Err(error) => NgrokError::other(format!("there is no runtime: {error}")),
    }
}

/// Has a panic end the process. In one of the tasks of the crate it would leave a
/// tunnel that nothing comes through.
fn exit_on_panic(say: StatusOutput) {
    std::panic::set_hook(Box::new(move |panic| {
        say.print_failure(&NgrokError::other(format!("it has a bug: {panic}")));
        std::process::exit(1);
    }));
}
