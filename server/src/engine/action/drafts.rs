//! Drafts: what was typed into a page and not sent, taken along to another
//! document of the same address.

use std::time::Duration;

use futures::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::chromium::FrameId;
use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::target::target::Target;

/// Time that a document gets to say what its fields hold.
const TAKING: Duration = Duration::from_millis(500);

/// Time that fields may take to appear in the other document.
const APPEARING: Duration = Duration::from_secs(3);

/// Time between two looks for them.
const PAUSE: Duration = Duration::from_millis(150);

/// Time that one editor gets to take its text.
const EDITOR: Duration = Duration::from_secs(2);

/// What the fields of the documents of a tab hold. It is not for callers: it may
/// hold passwords.
#[derive(Clone, Default)]
pub struct Drafts(Vec<OfFrame>);

#[derive(Clone)]
struct OfFrame {
    /// Address of the document, and which one of that address it is.
    url: String,
    nth: usize,
    main: bool,
    drafts: Vec<Draft>,
}

#[derive(Clone, Deserialize, Serialize)]
struct Draft {
    path: Vec<String>,
    kind: String,
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
struct Taken {
    drafts: Vec<Draft>,
}

#[derive(Deserialize)]
struct Restored {
    outcomes: Vec<Outcome>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    /// The field holds it.
    Done,
    /// There is no such field yet.
    Absent,
    /// The field does not take it.
    Refused,
    /// It is an editor, whose text has to be typed.
    Editor,
}

impl Drafts {
    /// Whether there is nothing to take along.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|frame| frame.drafts.is_empty())
    }
}

impl Engine {
    /// What the fields hold now; documents that do not answer are left out.
    pub async fn take_drafts(&self) -> Drafts {
        let frames = self.addressed_frames();
        let asked = frames.into_iter().map(|(frame, url, nth, main)| async move {
            let ask = async {
                let world = self.world(&frame).await?;
                self.ask(&world, "drafts", &json!({})).read::<Taken>().await
            };
            let taken = timeout(TAKING, ask).await.ok()?.ok()?;
            Some(OfFrame { url, nth, main, drafts: taken.drafts })
        });
        Drafts(join_all(asked).await.into_iter().flatten().collect())
    }

    /// Puts drafts into the documents of the same addresses. Returns how many fields
    /// could not be filled as they were.
    pub async fn restore_drafts(&self, drafts: &Drafts) -> usize {
        let mut missing = 0;
        for frame in drafts.0.iter().filter(|frame| !frame.drafts.is_empty()) {
            missing += self.restore_frame(frame).await;
        }
        missing
    }

    async fn restore_frame(&self, of: &OfFrame) -> usize {
        let until = Instant::now() + APPEARING;
        let mut left = of.drafts.clone();
        let (mut editors, mut refused) = (Vec::new(), 0);
        loop {
            let mut absent = Vec::new();
            match self.put_drafts(of, &left).await {
                Ok(outcomes) => {
                    for (draft, outcome) in left.into_iter().zip(outcomes) {
                        match outcome {
                            Outcome::Done => {}
                            Outcome::Absent => absent.push(draft),
                            Outcome::Refused => refused += 1,
                            Outcome::Editor => editors.push(draft),
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
            sleep(PAUSE).await;
        }
        let mut untyped = 0;
        for editor in editors {
            untyped += usize::from(!of.main || !self.type_draft(&editor).await);
        }
        left.len() + refused + untyped
    }

    async fn put_drafts(&self, of: &OfFrame, drafts: &[Draft]) -> Result<Vec<Outcome>> {
        let known = self.addressed_frames().into_iter();
        let found = known.into_iter().find(|(_, url, nth, main)| {
            *main == of.main && (*main || (url, nth) == (&of.url, &of.nth))
        });
        let Some((frame, ..)) = found else { return Ok(vec![Outcome::Absent; drafts.len()]) };
        let world = self.world(&frame).await?;
        let answer = self.ask(&world, "restoreDrafts", &json!({ "drafts": drafts }));
        Ok(answer.read::<Restored>().await?.outcomes)
    }

    /// Types the text of an editor.
    async fn type_draft(&self, draft: &Draft) -> bool {
        let text = draft.rest.get("text").and_then(Value::as_str).unwrap_or_default();
        let Ok(target) = draft.path.join(" >>> ").parse::<Target>() else { return false };
        self.fill(&target, text, Instant::now() + EDITOR).await.is_ok()
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
