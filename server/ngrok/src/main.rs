//! `browse-ngrok`: a tunnel of ngrok to the listener of `browsed`, which starts
//! it for `browse tunnel start --provider ngrok`.
//!
//! It is a process of its own, so that the daemon stays small, and so that what
//! others send through ngrok is handled where no file of the user is. It says
//! what happens on standard output, a line each, and ends with the tunnel.

mod dial;
mod hold;
mod order;
mod say;
mod serve;
mod trouble;
mod upstream;

use std::process::ExitCode;

use order::Order;
use say::Say;
use trouble::Trouble;

/// Exit code for a call that makes no sense.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (Some(listener), Some(pin), None) = (args.next(), args.next(), args.next()) else {
        eprintln!("browse-ngrok {}: `browsed` starts it", env!("CARGO_PKG_VERSION"));
        eprintln!("usage: NGROK_AUTHTOKEN=… browse-ngrok <host:port> <pin of its certificate>");
        return ExitCode::from(USAGE);
    };
    let order = Order::read(&listener, &pin, |name| std::env::var(name).ok());
    let (say, ended) = match order {
        Ok(order) => {
            let say = Say::without(&order.token);
            end_with_panics(say.clone());
            (say.clone(), run(&order, &say))
        }
        Err(trouble) => (Say::default(), trouble),
    };
    say.failed(&ended);
    ExitCode::FAILURE
}

/// Confines itself, and forwards until that is over.
fn run(order: &Order, say: &Say) -> Trouble {
    if let Err(trouble) = serve::prepare(order) {
        return trouble;
    }
    // While there is one thread: what holds it holds those that it starts.
    if let Err(error) = hold::hold(&order.ports()) {
        return Trouble::other(format!("the process cannot be confined: {error}"));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime {
        Ok(runtime) => runtime.block_on(serve::serve(order, say)),
        Err(error) => Trouble::other(format!("there is no runtime: {error}")),
    }
}

/// Has a panic end the process. In one of the tasks of the crate it would leave a
/// tunnel that nothing comes through.
fn end_with_panics(say: Say) {
    std::panic::set_hook(Box::new(move |panic| {
        say.failed(&Trouble::other(format!("it has a bug: {panic}")));
        std::process::exit(1);
    }));
}
