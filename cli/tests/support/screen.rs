//! A screen in memory: an X server without a display.

use std::{
    fs,
    io::Read as _,
    process::{Child, Command, Stdio},
};

/// An X server; it ends with this.
pub struct Screen {
    server: Child,
    name: String,
}

impl Screen {
    /// Starts a server on a display that is free. None on a system whose
    /// windows are not X's.
    pub fn start() -> Option<Self> {
        if cfg!(target_os = "macos") {
            return None;
        }
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("Xvfb is installed: `make setup` does it");
        let mut output = server.stdout.take().expect("its output is a pipe");
        let mut number = String::new();
        let mut byte = [0; 1];
        while output.read(&mut byte).expect("it says its display") == 1 && byte[0] != b'\n' {
            number.push(char::from(byte[0]));
        }
        assert!(!number.is_empty(), "the X server did not start");
        Some(Self { server, name: format!(":{number}") })
    }

    /// The value of `DISPLAY`.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Its lock file is left behind when it is killed; a signal that it can
        // hear lets it tidy up.
        let pid = self.server.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.server.wait();
        let _ = fs::remove_file(format!("/tmp/.X{}-lock", self.name.trim_start_matches(':')));
    }
}
