//! The command line without a real daemon: its parser, its help, and the
//! program against a daemon that is played by the test.

mod completions;
mod crates;
mod docs;
mod fake;
mod guide;
mod guide_install;
mod help;
mod messages;
mod modules;
mod output;
mod parser;
mod remote_dashboard;
mod saving;
mod security;
mod starting;
mod stepping;
mod untrusted;
mod words;
