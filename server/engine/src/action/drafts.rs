//! Drafts: what was typed into a page and not sent, taken along to another
//! document of the same address.

use std::time::Duration;

use futures::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::error::Result;
use crate::page::engine::Engine;
use crate::target::target::Target;
use browse_chromium::FrameId;

/// Time that a document gets to say what its fields hold.
const CAPTURE_TIMEOUT: Duration = Duration::from_millis(500);

/// Time that fields may take to appear in the other document.
const FIELD_APPEAR_TIMEOUT: Duration = Duration::from_secs(3);

/// Time between two looks for them.
const RESTORE_POLL_INTERVAL: Duration = Duration::from_millis(150);

/// Time that one editor gets to take its text.
const EDITOR_TYPE_TIMEOUT: Duration = Duration::from_secs(2);

/// What the fields of the documents of a tab hold. It is not for callers: it may
/// hold passwords.
#[derive(Clone, Default)]
pub struct FieldDrafts(Vec<FrameDrafts>);

#[derive(Clone)]
struct FrameDrafts {
    /// Address of the document, and which one of that address it is.
    url: String,
    url_index: usize,
    is_main: bool,
    drafts: Vec<FieldDraft>,
}

#[derive(Clone, Deserialize, Serialize)]
struct FieldDraft {
    path: Vec<String>,
    kind: String,
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
struct CapturedDrafts {
    drafts: Vec<FieldDraft>,
}

#[derive(Deserialize)]
struct RestoreReport {
    outcomes: Vec<RestoreOutcome>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum RestoreOutcome {
    /// The field holds it.
    Done,
    /// There is no such field yet.
    Absent,
    /// The field does not take it.
    Refused,
    /// It is an editor, whose text has to be typed.
    Editor,
}

impl FieldDrafts {
    /// Whether there is nothing to take along.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|frame| frame.drafts.is_empty())
    }
}

impl Engine {
    /// What the fields hold now; documents that do not answer are left out.
    pub async fn capture_drafts(&self) -> FieldDrafts {
        let frames = self.addressed_frames();
        let asked = frames.into_iter().map(|(frame, url, nth, main)| async move {
            let ask = async {
                let world = self.world(&frame).await?;
                self.send_command(&world, "drafts", &json!({})).read::<CapturedDrafts>().await
            };
            let taken = timeout(CAPTURE_TIMEOUT, ask).await.ok()?.ok()?;
            Some(FrameDrafts { url, url_index: nth, is_main: main, drafts: taken.drafts })
        });
        FieldDrafts(join_all(asked).await.into_iter().flatten().collect())
    }

    /// Puts drafts into the documents of the same addresses. Returns how many fields
    /// could not be filled as they were.
    pub async fn restore_drafts(&self, drafts: &FieldDrafts) -> usize {
        let mut missing = 0;
        for frame in drafts.0.iter().filter(|frame| !frame.drafts.is_empty()) {
            missing += self.restore_frame(frame).await;
        }
        missing
    }

    async fn restore_frame(&self, of: &FrameDrafts) -> usize {
        let until = Instant::now() + FIELD_APPEAR_TIMEOUT;
        let mut left = of.drafts.clone();
        let (mut editors, mut refused) = (Vec::new(), 0);
        loop {
            let mut absent = Vec::new();
            match self.write_drafts(of, &left).await {
                Ok(outcomes) => {
                    for (draft, outcome) in left.into_iter().zip(outcomes) {
                        match outcome {
                            RestoreOutcome::Done => {}
                            RestoreOutcome::Absent => absent.push(draft),
                            RestoreOutcome::Refused => refused += 1,
                            RestoreOutcome::Editor => editors.push(draft),
                        }
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "drafts are not put back yet");
                    absent = left;
                }
            }
            left = absent;
            if left.is_empty() || Instant::now() >= until {
                break;
            }
            sleep(RESTORE_POLL_INTERVAL).await;
        }
        let mut untyped = 0;
        for editor in editors {
            untyped += usize::from(!of.is_main || !self.type_draft(&editor).await);
        }
        left.len() + refused + untyped
    }

    async fn write_drafts(
        &self,
        of: &FrameDrafts,
        drafts: &[FieldDraft],
    ) -> Result<Vec<RestoreOutcome>> {
        let known = self.addressed_frames().into_iter();
        let found = known.into_iter().find(|(_, url, nth, main)| {
            *main == of.is_main && (*main || (url, nth) == (&of.url, &of.url_index))
        });
        let Some((frame, ..)) = found else {
            return Ok(vec![RestoreOutcome::Absent; drafts.len()]);
        };
        let world = self.world(&frame).await?;
        let answer = self.send_command(&world, "restoreDrafts", &json!({ "drafts": drafts }));
        Ok(answer.read::<RestoreReport>().await?.outcomes)
    }

    /// Types the text of an editor.
    async fn type_draft(&self, draft: &FieldDraft) -> bool {
        let text = draft.rest.get("text").and_then(Value::as_str).unwrap_or_default();
        let Ok(target) = draft.path.join(" >>> ").parse::<Target>() else { return false };
        self.fill(&target, text, Instant::now() + EDITOR_TYPE_TIMEOUT).await.is_ok()
    }

    /// The frames with their addresses, each with its number among those of the same
    /// address, and whether it is the main one.
    fn addressed_frames(&self) -> Vec<(FrameId, String, usize, bool)> {
        let main = self.page().main_frame().id;
        let mut found: Vec<(FrameId, String, usize, bool)> = Vec::new();
        for frame in self.page().frames() {
            let nth = found.iter().filter(|(_, url, ..)| *url == frame.url).count();
            let is_main = frame.id == main;
            found.push((frame.id, frame.url, nth, is_main));
        }
        found
    }
}
