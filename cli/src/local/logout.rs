//! `logout`: removes a remote from this machine, with its tokens.

use std::time::Duration;

use browse_proto::Reason;
use serde_json::json;

use crate::{
    failure::{Failure, Result},
    globals::Globals,
    limits, print,
    remote::Remote,
};

const USAGE: &str = "browse logout <name>";

/// Removes the remote that the word after `logout`, or `--remote`, names.
pub fn run(words: &[String], globals: &Globals) -> Result<u8> {
    let name = match (words, &globals.remote) {
        ([name], None) => name,
        ([], Some(name)) => name,
        _ => {
            let message = "`logout` wants the name of one remote";
            return Err(Failure::new(Reason::ArgumentInvalid, message)
                .with_usage(USAGE)
                .with_hint("Run `browse help logout`"));
        }
    };
    let time = globals.timeout.unwrap_or(Duration::from_millis(limits::DEFAULT_TIMEOUT_MS));
    let is_paired = matches!(Remote::read(name), Ok(Remote::Paired(_)));
    Remote::remove(name, time)?;
    let code = match globals.json {
        true => print::json_result(&json!({"removed": name}).to_string(), None)?,
        false => print::text(&format!("removed {name}"))?,
    };
    if is_paired {
        print::note("the pairing is in force until its owner revokes it");
    }
    Ok(code)
}
