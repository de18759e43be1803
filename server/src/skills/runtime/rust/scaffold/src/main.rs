//! Opens the front page, and prints its headings.

#[path = "../_lib/browse_sdk.rs"]
mod browse_sdk;
mod parser;

use std::process::ExitCode;

fn main() -> ExitCode {
    browse_sdk::skill(|_arguments, browse| {
        browse.goto("{page}")?;
        let headings = parser::parse(&browse.html(None)?);
        if headings.is_empty() {
            return Err("no heading on the page: the site has changed".into());
        }
        Ok(headings)
    })
}
