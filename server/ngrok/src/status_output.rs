//! What is asked to the daemon: a line each on standard output, and the token in
//! none of them.

use std::{
    fmt::Display,
    io::{Write as _, stdout},
};

use crate::error::{NgrokError, single_line};

/// Stands for the token where the service repeats it.
const REDACTED: &str = "[redacted]";

/// Says what happens.
#[derive(Clone, Debug, Default)]
pub struct StatusOutput {
    token: String,
}

impl StatusOutput {
    /// Says all but `token`.
    pub fn redacting(token: &str) -> Self {
        Self { token: token.to_owned() }
    }

    /// Where agents reach the listener.
    pub fn print_url(&self, url: &str) {
        self.print_line(format_args!("url={url}"));
    }

    /// The service is out of reach, for now.
    pub fn print_unreachable(&self, why: impl Display) {
        self.print_line(format_args!("away: {why}"));
    }

    /// It is back.
    pub fn print_reachable(&self) {
        self.print_line("back");
    }

    /// The tunnel is over.
    pub fn print_failure(&self, why: &NgrokError) {
        self.print_line(format_args!("failed {why}"));
    }

    /// When nobody listens any more, there is nobody to tell that.
    fn print_line(&self, what: impl Display) {
        let _ = writeln!(stdout().lock(), "{}", self.redact(&what.to_string()));
    }

    fn redact(&self, text: &str) -> String {
        let text = single_line(text);
        match self.token.as_str() {
            "" => text,
            token => text.replace(token, REDACTED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StatusOutput;

    #[test]
    fn a_line_is_one_line_and_has_no_token() {
        let say = StatusOutput::redacting("s3cret");
        assert_eq!(say.redact("your token:\n s3cret\u{1b}[31m"), "your token: [redacted] [31m");
        assert_eq!(StatusOutput::default().redact("a\nurl=b"), "a url=b");
    }
}
