//! What is told to the daemon: a line each on standard output, and the token in
//! none of them.

use std::{
    fmt::Display,
    io::{Write as _, stdout},
};

use crate::trouble::{Trouble, line};

/// Stands for the token where the service repeats it.
const REDACTED: &str = "[redacted]";

/// Says what happens.
#[derive(Clone, Debug, Default)]
pub struct Say {
    token: String,
}

impl Say {
    /// Says all but `token`.
    pub fn without(token: &str) -> Self {
        Self { token: token.to_owned() }
    }

    /// Where agents reach the listener.
    pub fn url(&self, url: &str) {
        self.tell(format_args!("url={url}"));
    }

    /// The service is out of reach, for now.
    pub fn away(&self, why: impl Display) {
        self.tell(format_args!("away: {why}"));
    }

    /// It is back.
    pub fn back(&self) {
        self.tell("back");
    }

    /// The tunnel is over.
    pub fn failed(&self, why: &Trouble) {
        self.tell(format_args!("failed {why}"));
    }

    /// When nobody listens any more, there is nobody to tell that.
    fn tell(&self, what: impl Display) {
        let _ = writeln!(stdout().lock(), "{}", self.bare(&what.to_string()));
    }

    fn bare(&self, text: &str) -> String {
        let text = line(text);
        match self.token.as_str() {
            "" => text,
            token => text.replace(token, REDACTED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Say;

    #[test]
    fn a_line_is_one_line_and_has_no_token() {
        let say = Say::without("s3cret");
        assert_eq!(say.bare("your token:\n s3cret\u{1b}[31m"), "your token: [redacted] [31m");
        assert_eq!(Say::default().bare("a\nurl=b"), "a url=b");
    }
}
