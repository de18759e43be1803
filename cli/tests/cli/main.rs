//! The command line without a real daemon: its parser, its help, and the
//! program against a daemon that is played by the test.

mod completions;
mod docs;
mod fake;
mod guide;
mod help;
mod messages;
mod output;
mod parser;
mod saving;
mod starting;
mod stepping;
mod untrusted;
