//! The layers that the user added, in words.

use browse_proto::v1;

use browse_content::LlmStatus;
use browse_models::{OnnxState, OnnxStatus};

/// Digits of a hash that are shown.
const HASH_PREFIX_CHARS: usize = 16;

/// The classifier from a folder.
pub fn onnx_layer(status: Option<OnnxStatus>, is_off: bool) -> v1::SecurityLayer {
    let Some(status) = status else {
        return layer("onnx", "off", off_detail(is_off, "`security_model_dir` names no folder"));
    };
    let OnnxStatus { name, scored, partially_scored: cut, unanswered, restarts, .. } = &status;
    let counted = format!(
        "{scored} texts, {cut} of them in part, {unanswered} without a score, \
         {restarts} restarts"
    );
    let (state, detail) = match &status.state {
        OnnxState::Loading => ("loading", format!("`{name}` is loaded; {counted}")),
        OnnxState::Failed(why) => ("degraded", format!("`{name}` does not work: {why}; {counted}")),
        OnnxState::Ready(ready) => {
            let hash: String = ready.sha256.chars().take(HASH_PREFIX_CHARS).collect();
            let size = ready.bytes as f64 / 1e6;
            let held = match ready.held.as_str() {
                "" => "not confined".to_owned(),
                held => format!("held by {held}"),
            };
            let pid = status.pid.map_or_else(String::new, |pid| format!(", process {pid}"));
            let detail = format!(
                "`{name}` ({}, {size:.1} MB, sha256 {hash}, {} tokens a window), loaded in {} ms, \
                 {held}{pid}; {counted}",
                ready.kind, ready.window, ready.load_ms
            );
            ("on", detail)
        }
    };
    layer("onnx", state, detail)
}

/// The language model.
pub fn transcript_layer(status: Option<LlmStatus>, is_off: bool) -> v1::SecurityLayer {
    let Some(status) = status else {
        let usual = "`security_transcript_check` asks for none";
        return layer("transcript", "off", off_detail(is_off, usual));
    };
    let LlmStatus {
        api: shape,
        address,
        model,
        requests: asked,
        injections,
        failed,
        skipped,
        last_error: problem,
    } = status;
    let state = if asked > 0 && asked == failed { "degraded" } else { "on" };
    let mut detail = format!(
        "`{model}` at {address} ({}) is asked where the classifiers are unsure; {asked} asked, \
         {injections} taken for an injection, {failed} without a verdict, {skipped} too many",
        shape.name()
    );
    if let Some(problem) = problem {
        detail.push_str(&format!("; last trouble: {problem}"));
    }
    layer("transcript", state, detail)
}

fn off_detail(is_off: bool, usual: &str) -> String {
    match is_off {
        true => "`security_off` or BROWSE_SECURITY_OFF turns it off".to_owned(),
        false => usual.to_owned(),
    }
}

fn layer(name: &str, state: &str, detail: String) -> v1::SecurityLayer {
    v1::SecurityLayer { name: name.to_owned(), state: state.to_owned(), detail }
}
