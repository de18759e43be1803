//! Notes the calls of a session whose skill is recorded, or whose steps are traced: the one
//! hook in the dispatcher. What an element is called is found out before the call acts on
//! it, for afterwards it may be gone.

mod outcome;
mod targets;
mod traced_step;

use browse_proto::{Command, Sends, StepRole, wire};
use serde_json::Map;

use super::{CallContext, RequestMessage, step_trace::StepTrace};
use crate::skills::record::{LateFile, PageLocation, RecordedStep};
use browse_chromium::OpenPageDialog;

/// Largest request that is kept, in bytes.
const MAX_REQUEST_BYTES: usize = 256 << 10;

/// Why a secret that was typed by keys cannot be repeated: each key is a call of its own.
const TYPED_BY_KEYS: &str = "a secret was typed by single keys: use `fill`";

/// A call that is being noted.
pub struct CallRecorder {
    session: String,
    /// Its place in the recording of a skill.
    number: Option<usize>,
    trace: Option<StepTrace>,
    step: RecordedStep,
    /// The field `text` as it was given.
    typed_text: Option<String>,
    /// The question that was open when it began.
    question: Option<OpenPageDialog>,
    /// The last dialog of the tab when it began.
    dialogs: u64,
    /// The file that had come late of the call before it.
    late_file: Option<LateFile>,
    started: std::time::Instant,
}

impl CallRecorder {
    /// Begins to note a call, when its session is traced, or recorded for its caller.
    pub fn begin(cx: &CallContext, request: &dyn RequestMessage) -> Option<Self> {
        let (session, number) = Self::place_in_recording(cx).unzip();
        let trace = StepTrace::begin(cx);
        if number.is_none() && trace.is_none() {
            return None;
        }
        let session = session.unwrap_or_default();
        let command = cx.command();
        // What is not a field of a page is not kept: code, cookies, files.
        let large = request.byte_len() > MAX_REQUEST_BYTES;
        let sends_document = command
            .request
            .fields
            .iter()
            .any(|field| matches!(field.sends, Some(Sends::Files | Sends::Document)));
        let fields = match command.step_role {
            StepRole::Denied => Map::new(),
            _ if large || sends_document => Map::new(),
            _ => wire::decode(command.request, &request.encoded()).unwrap_or_default(),
        };
        let step = RecordedStep {
            unrepeatable_reason: unrepeatable_reason(command, large),
            ..RecordedStep::new(command, fields)
        };
        let (text, question, dialogs, begun) = (None, None, 0, std::time::Instant::now());
        Some(Self {
            session,
            number,
            trace,
            step,
            typed_text: text,
            question,
            dialogs,
            late_file: None,
            started: begun,
        })
    }

    /// Where the call will stand in the recording of a skill, with its session.
    fn place_in_recording(cx: &CallContext) -> Option<(String, usize)> {
        let recordings = cx.daemon().skills().recordings();
        if recordings.is_idle() || cx.command().step_role == StepRole::Inspect {
            return None;
        }
        let of = cx.session().ok()?;
        let session = of.name().to_owned();
        let number = recordings.update(&session, cx.client(), |recording| {
            recording.attribute_sends(of.state_changing_requests());
            recording.add_place()
        })??;
        Some((session, number))
    }

    /// Puts the step into the recording of a skill.
    fn store(self, cx: &CallContext, page: Option<String>) {
        let Self { session, number: Some(number), mut step, typed_text: text, question, .. } = self
        else {
            return;
        };
        cx.daemon().skills().recordings().update(&session, cx.client(), |recording| {
            if let (Some(secret), Some(text)) = (&mut step.secret, &text) {
                secret.index = recording.secret_number(text);
            }
            recording.page = page.or(recording.page.take());
            recording.end_step(number, step, question.map(|question| question.id));
            recording.drop_old_answers();
        });
    }
}

/// What a script cannot do whatever its arguments are.
fn unrepeatable_reason(command: &Command, large: bool) -> Option<String> {
    match command.unrepeatable {
        _ if large => Some("its input has more than 256 KiB".to_owned()),
        "" => None,
        why => Some(why.to_owned()),
    }
}

fn page_location(cx: &CallContext) -> PageLocation {
    let Some(tab) = cx.tab_if_any() else { return PageLocation::default() };
    let frame = tab.page().main_frame();
    PageLocation { url: frame.url, document: frame.loader.to_string() }
}
