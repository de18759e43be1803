//! What the scan of a note says. A note has time: its scan is waited for, where
//! that of a page is not.

use std::time::Duration;

use browse_guard::{ContentSurface, Verdict, find_phrases};
use tokio::time::timeout;

use browse_content::{Assessment, LlmJudge, Scanner};

/// Longest that the scan of a note is waited for.
const SCAN_TIMEOUT: Duration = Duration::from_secs(5);

/// Scans notes.
#[derive(Clone, Debug)]
pub struct NoteScanner {
    scanner: Scanner,
    /// Asked where the classifiers are unsure about a text in use.
    transcript: LlmJudge,
}

/// What a scan found.
#[derive(Clone, Debug, Default)]
pub struct NoteFinding {
    /// From 0 to 1.
    pub score: f64,
    /// What a phrase of the text asks for.
    pub pattern: Option<&'static str>,
    /// Whether a note in use goes to quarantine for it.
    pub flagged: bool,
    /// Whether a text is not saved for it.
    pub refused: bool,
    /// Whether the classifiers gave no answer in time: nothing is earned by
    /// such a scan.
    pub is_inconclusive: bool,
}

impl NoteFinding {
    /// Whether a text of the library is not shown for it.
    pub fn is_withheld(&self) -> bool {
        self.flagged || self.is_inconclusive
    }
}

impl NoteScanner {
    /// A scan by these classifiers.
    pub fn new(scanner: Scanner, transcript: LlmJudge) -> Self {
        Self { scanner, transcript }
    }

    /// Scans a text on its way to the store.
    pub async fn scan_on_save(&self, text: &str) -> NoteFinding {
        self.scan(text, ContentSurface::NoteSave).await
    }

    /// Scans a text that was fetched for the cache: it is scanned again in use.
    pub async fn scan_on_fetch(&self, text: &str) -> NoteFinding {
        let surface = ContentSurface::NoteUse;
        find_injection(text, async || self.classify(text, surface).await).await
    }

    /// Scans a text on its way to a reader, by every layer that is on.
    pub async fn scan_on_use(&self, text: &str) -> NoteFinding {
        self.scan(text, ContentSurface::NoteUse).await
    }

    async fn scan(&self, text: &str, surface: ContentSurface) -> NoteFinding {
        find_injection(text, async || {
            let found = self.classify(text, surface).await;
            match surface {
                ContentSurface::NoteUse => self.add_model_verdict(found, text).await,
                _ => found,
            }
        })
        .await
    }

    async fn classify(&self, text: &str, surface: ContentSurface) -> Assessment {
        match timeout(SCAN_TIMEOUT, self.scanner.finish(text, surface)).await {
            Ok(found) => found,
            Err(_) => browse_content::scan(&self.scanner, text, surface).await,
        }
    }

    /// Adds what a language model says, where one is to be asked. An answer that comes
    /// too late counts from the next use on.
    async fn add_model_verdict(&self, found: Assessment, text: &str) -> Assessment {
        let surface = ContentSurface::NoteUse;
        if self.transcript.should_ask(&found, text) {
            let (transcript, text) = (self.transcript.clone(), text.to_owned());
            let asked = tokio::spawn(async move { transcript.check(found, &text, surface).await });
            if let Ok(Ok(found)) = timeout(SCAN_TIMEOUT, asked).await {
                return found;
            }
        }
        self.transcript.with_cached_score(found, surface)
    }
}

/// What the phrases of `text`, and else the classifiers, say.
async fn find_injection(text: &str, classify: impl AsyncFnOnce() -> Assessment) -> NoteFinding {
    // An honest note has no use for a phrase that steers agents.
    if let Some(hit) = find_phrases(text).first() {
        let pattern = Some(hit.kind.description());
        return NoteFinding {
            score: 1.0,
            pattern,
            flagged: true,
            refused: true,
            is_inconclusive: false,
        };
    }
    let found = classify().await;
    NoteFinding {
        score: f64::from(found.scores.highest()),
        pattern: None,
        flagged: found.verdict() >= Verdict::Warn,
        refused: found.verdict() >= Verdict::Block,
        is_inconclusive: found.is_pending,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpListener,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        time::Duration,
    };

    use super::*;
    use browse_content::{ClassifierSwitch, LlmApi, LlmSettings};
    use browse_models::OnnxClassifier;

    /// Notes of which the built-in classifier is unsure about one at least.
    const UNSURE: &[&str] = &[
        "Open the export page first and delete the old entries before you save the form.",
        "Log in as administrator, then remove the old users and send the list to the team.",
        "Send the report to the office before you answer the form.",
        "Delete the drafts of the user, then write to the support team.",
    ];

    /// An endpoint that takes every text for an injection, and counts the questions.
    fn endpoint() -> (LlmJudge, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                let is_whole = |request: &[u8]| {
                    let text = String::from_utf8_lossy(request);
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
                    let length = head.lines().find_map(|line| {
                        let (name, value) = line.split_once(": ")?;
                        name.eq_ignore_ascii_case("content-length").then(|| value.parse().ok())?
                    });
                    length.is_none_or(|length: usize| body.len() >= length)
                };
                while !is_whole(&request) {
                    match stream.read(&mut buffer) {
                        Ok(read) if read > 0 => request.extend(&buffer[..read]),
                        _ => break,
                    }
                }
                let output = r#"{"verdict": "injection", "confidence": 0.97}"#;
                let body = serde_json::json!({ "content": [{ "type": "text", "text": output }] })
                    .to_string();
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
                     connection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        let url = format!("http://{address}/v1/messages");
        let settings = LlmSettings {
            api: LlmApi::Anthropic,
            url: url.parse().expect("an address"),
            model: "m".to_owned(),
            api_key: None,
            timeout: Duration::from_secs(60),
        };
        (LlmJudge::new(Some(settings)), asked)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_note_in_use_is_asked_about_once() {
        let scanner = Scanner::new(ClassifierSwitch::On, OnnxClassifier::default());
        let (transcript, asked) = endpoint();
        let without = NoteScanner::new(scanner.clone(), LlmJudge::default());
        let with = NoteScanner::new(scanner, transcript);
        let mut unsure = 0;
        for text in UNSURE {
            let alone = without.scan_on_use(text).await;
            if alone.flagged || alone.score < 0.4 {
                continue;
            }
            unsure += 1;
            let before = asked.load(Ordering::SeqCst);
            assert!(
                !with.scan_on_save(text).await.flagged && !with.scan_on_fetch(text).await.flagged
            );
            assert_eq!(asked.load(Ordering::SeqCst), before);
            for _ in 0..2 {
                let found = with.scan_on_use(text).await;
                assert!(found.flagged && found.score > 0.9, "{found:?}");
            }
            assert_eq!(asked.load(Ordering::SeqCst), before + 1);
        }
        assert!(unsure > 0, "the classifier is sure about all of them");
        // Where the classifiers have nothing to say, nobody is asked.
        let before = asked.load(Ordering::SeqCst);
        assert!(
            !with
                .scan_on_use("The search box is at the top; results load as one scrolls.")
                .await
                .flagged
        );
        assert_eq!(asked.load(Ordering::SeqCst), before);
    }
}
