//! Captions: what the session is doing, in a line below the page.

use std::time::Duration;

use browse_proto::{Command, v1};
use tokio::{sync::broadcast, time::Instant};

/// Time that a caption is shown, unless another one comes.
const CAPTION_DURATION: Duration = Duration::from_secs(3);

/// The calls of a session, one after the other.
pub struct Captions {
    feed: broadcast::Receiver<v1::ActivityEntry>,
    session: String,
    current: Option<(String, Instant)>,
}

impl Captions {
    /// The captions of `session`, out of the feed of all calls.
    pub fn new(feed: broadcast::Receiver<v1::ActivityEntry>, session: &str) -> Self {
        Self { feed, session: session.to_owned(), current: None }
    }

    /// The caption of this moment; empty for none.
    pub fn current_text(&mut self) -> String {
        loop {
            match self.feed.try_recv() {
                Ok(entry) if entry.session == self.session => {
                    if let Some(text) = caption_text(&entry) {
                        self.current = Some((text, Instant::now()));
                    }
                }
                // Calls of other sessions; or more came than are kept, and the next are read.
                Ok(_) | Err(broadcast::error::TryRecvError::Lagged(_)) => {}
                Err(_) => break,
            }
        }
        self.current.take_if(|(_, since)| since.elapsed() > CAPTION_DURATION);
        self.current.as_ref().map(|(text, _)| text.clone()).unwrap_or_default()
    }
}

/// `click button "Save"`; none for what only looks.
fn caption_text(entry: &v1::ActivityEntry) -> Option<String> {
    let command = Command::by_name(&entry.command)?;
    let shown = command.has_side_effects || command.group == "navigation";
    let about = if entry.element.is_empty() { &entry.target } else { &entry.element };
    let failed = if entry.outcome == "ok" { String::new() } else { format!(": {}", entry.outcome) };
    let line = format!("{} {about}", entry.command);
    shown.then(|| format!("{}{failed}", line.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(session: &str, command: &str, element: &str) -> v1::ActivityEntry {
        v1::ActivityEntry {
            session: session.to_owned(),
            command: command.to_owned(),
            target: "@e3".to_owned(),
            element: element.to_owned(),
            outcome: "ok".to_owned(),
            ..Default::default()
        }
    }

    #[tokio::test]
    async fn the_last_action_of_the_session_is_shown() {
        let (sender, feed) = broadcast::channel(8);
        let mut captions = Captions::new(feed, "default");
        assert_eq!(captions.current_text(), "");
        for call in [
            entry("default", "click", "button \"Save\""),
            entry("default", "text", ""),
            entry("other", "fill", ""),
        ] {
            sender.send(call).expect("it is heard");
        }
        assert_eq!(captions.current_text(), "click button \"Save\"");
        sender.send(entry("default", "fill", "")).expect("it is heard");
        assert_eq!(captions.current_text(), "fill @e3");
    }
}
