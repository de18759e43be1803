//! `dashboard`: prints the link, and opens it in the browser of the person who asks.

use std::{
    env,
    io::{IsTerminal as _, stdout},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    execute, failure::Result, globals::Globals, print, request::PreparedRequest, response,
};

/// Opens a dashboard.
pub fn open(request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let command = request.invocation.command;
    let (body, notes) = execute::unary(request, globals)?;
    let response = response::decode(command, &body)?;
    notes.print();
    let link = response.get("link").and_then(Value::as_str);
    let is_for_printing = request.invocation.fields.contains_key("no_open");
    // A program that runs this reads the link instead.
    if stdout().is_terminal()
        && !is_for_printing
        && !globals.json
        && let Some(link) = link
    {
        open_in_browser(link);
    }
    print::answer(command, &response, notes.untrusted.as_ref(), globals)
}

/// Opens `link` in the browser that the person uses, where there is one. It is not waited
/// for, and what it prints is not shown.
pub fn open_in_browser(link: &str) {
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()));
    let opener = match cfg!(target_os = "macos") {
        true => "open",
        false if has_screen => "xdg-open",
        false => return,
    };
    let _ = Command::new(opener)
        .arg(link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
