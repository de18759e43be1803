//! Terminals of people at dashboards: a shell of the user in the folder of the project. Each has
//! a capability of its own, and ends with the stream that opened it, with all that it started.

mod terminals;

mod terminal_offers;
mod terminal_stream;

mod running_terminal;

mod pty;
mod shell;

pub use pty::TerminalSize;
pub use running_terminal::RunningTerminal;
pub use shell::{ShellPlan, WithheldVariables, shell_environment, shell_program};
pub use terminal_offers::TerminalOffers;
pub use terminal_stream::{TerminalOutput, TerminalStream};
pub use terminals::Terminals;
