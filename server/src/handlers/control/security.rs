//! What watches over the text of anonymous callers, and a look at one text.

use std::time::Duration;

use browse_guard::{
    InjectionKind, PhraseMatch, clean, extract_text, find_collectors, find_phrases, is_markup,
    normalise,
};
use browse_proto::{Reason, v1};

use super::security_layers;
use crate::{dispatch::CallContext, egress::EgressMode, handlers::browser::network};
use browse_base::{Error, Result};
use browse_content::{ContentMonitor, ContentSurface, ScannerStatus, Verdict, scan};
use browse_policy::ClientKind;

/// Longest that `security scan` waits for the classifiers.
const SCAN_TIMEOUT: Duration = Duration::from_secs(12);

/// Characters of an excerpt.
const MAX_EXCERPT_CHARS: usize = 80;

/// Answers which layers are on, and what they counted.
pub async fn security_status(
    cx: &CallContext,
    _: v1::SecurityStatusRequest,
) -> Result<v1::SecurityStatusResponse> {
    let watch = cx.daemon().watch();
    let mut layers = content_layers(watch);
    layers.extend(egress_layers(cx));
    layers.push(classifier_layer(&cx.daemon().scanner().status()));
    let is_off = cx.daemon().scanner().is_off();
    layers.push(security_layers::onnx_layer(
        cx.daemon().scanner().onnx_classifier().status(),
        is_off,
    ));
    layers.push(security_layers::transcript_layer(cx.daemon().transcript().status(), is_off));
    let counts: Vec<_> =
        watch.counts().into_iter().map(|(name, count)| v1::SecurityCount { name, count }).collect();
    let lines = layers.iter().map(|layer| {
        let line = format!("{:<10} {:<9} {}", layer.name, layer.state, layer.detail);
        line.trim_end().to_owned()
    });
    let counted = counts.iter().map(|count| format!("{} {}", count.count, count.name));
    let counted = counted.collect::<Vec<_>>().join(", ");
    let summary = lines.chain([format!("counted    {counted}")]).collect::<Vec<_>>().join("\n");
    Ok(v1::SecurityStatusResponse { summary, layers, counts })
}

/// The layers that look at what leaves, and the record of what they refused.
fn egress_layers(cx: &CallContext) -> Vec<v1::SecurityLayer> {
    let egress = cx.daemon().egress();
    let modes: Vec<_> =
        [ClientKind::Root, ClientKind::Paired].map(|kind| egress.mode(kind)).to_vec();
    let (stopped, warned) = egress.counts();
    let counted = format!("{stopped} refused, {warned} warned of");
    let (state, detail) = match modes.as_slice() {
        [EgressMode::Off, ..] => ("off", "`security_egress = \"off\"` turns it off".to_owned()),
        [own, paired] => {
            let modes =
                format!("{} for your own agents, {} for paired ones", own.name(), paired.name());
            ("on", format!("text that leaves its site: {modes}; {counted}"))
        }
        _ => ("on", counted),
    };
    let layer = |name: &str, state: &str, detail: String| v1::SecurityLayer {
        name: name.to_owned(),
        state: state.to_owned(),
        detail,
    };
    let records = match cx.daemon().attempts().write_error() {
        None => layer("records", "on", "`browse security log` prints what was refused".to_owned()),
        Some(problem) => layer("records", "degraded", problem),
    };
    vec![
        layer("canary", "on", "a token of `context` that is sent anywhere is refused".to_owned()),
        layer("egress", state, detail),
        records,
    ]
}

fn content_layers(watch: &ContentMonitor) -> Vec<v1::SecurityLayer> {
    let layers = watch.layers();
    let layer = |name: &str, on: bool, detail: &str, setting: &str| {
        let detail = match on {
            true => detail.to_owned(),
            false => format!("`{setting} = false` turns it off"),
        };
        let state = if on { "on" } else { "off" };
        v1::SecurityLayer { name: name.to_owned(), state: state.to_owned(), detail }
    };
    vec![
        layer("clean", true, "control, zero-width and tag characters are taken out", ""),
        layer(
            "datamark",
            layers.datamark,
            "what paired agents read carries a watermark",
            "security_datamark",
        ),
        layer(
            "hidden",
            layers.hidden,
            "what no person sees on a page is left out",
            "security_hidden",
        ),
        layer(
            "patterns",
            layers.patterns,
            "phrases that speak to an agent, and collectors of data, are warned of",
            "security_patterns",
        ),
        layer("envelope", true, "what a page says stands between two lines with a nonce", ""),
    ]
}

fn classifier_layer(status: &ScannerStatus) -> v1::SecurityLayer {
    let detail = match status.classifier {
        "off" => "`security_off` or BROWSE_SECURITY_OFF turns it off".to_owned(),
        _ => {
            let ScannerStatus { model, scanned, late, refused, pending, .. } = status;
            format!(
                "{model}; {scanned} texts, {late} reported later, {refused} not looked at, {pending} at work"
            )
        }
    };
    let state = status.classifier.to_owned();
    v1::SecurityLayer { name: "classifier".to_owned(), state, detail }
}

/// Looks at a text.
pub async fn security_scan(
    cx: &CallContext,
    request: v1::SecurityScanRequest,
) -> Result<v1::SecurityScanResponse> {
    let (text, truncated) = match &request.url {
        Some(_) if !request.text.is_empty() => {
            let message = "a text and an address were given, and one of them is looked at";
            return Err(
                Error::new(Reason::ArgumentInvalid, message).with("command", "security scan")
            );
        }
        Some(url) => network::fetch_document(cx, url).await?,
        None => {
            cx.set_source("the text");
            (request.text, false)
        }
    };
    let text = if is_markup(&text) { extract_text(&text) } else { text };
    let text = clean(&text);
    let mut findings: Vec<_> =
        find_phrases(&text).iter().map(|hit| pattern_finding(&text, hit)).collect();
    findings.extend(find_collectors(&text).into_iter().map(|host| v1::SecurityFinding {
        layer: "patterns".to_owned(),
        name: format!("collector {host}"),
        count: 1,
        ..Default::default()
    }));
    // Nobody reads on in the meantime: the answer is worth the wait.
    let assessed = cx.daemon().scanner().finish(&text, ContentSurface::Page);
    let assessed = match tokio::time::timeout(SCAN_TIMEOUT, assessed).await {
        Ok(assessed) => assessed,
        Err(_) => scan(cx.daemon().scanner(), &text, ContentSurface::Page).await,
    };
    // The classifier names a place in the text as it normalises it.
    let worst = assessed.worst_range.map(|(at, _)| excerpt(&normalise(&text), at));
    let scores = assessed.scores;
    let output = [scores.builtin, scores.onnx, scores.llm].into_iter().flatten();
    let highest = output.max_by(f32::total_cmp).map(round_score);
    let scores = [
        ("classifier", scores.builtin),
        ("second classifier", scores.onnx),
        ("transcript", scores.llm),
    ];
    findings.extend(scores.into_iter().filter_map(|(name, score)| {
        Some(v1::SecurityFinding {
            layer: "classifier".to_owned(),
            name: name.to_owned(),
            count: 1,
            score: Some(round_score(score?)),
            excerpt: worst.clone().filter(|_| name == "classifier").unwrap_or_default(),
        })
    }));
    if let Some(gap) = assessed.degraded_notice() {
        cx.add_notice(&gap);
    }
    if assessed.unread_bytes > 0 {
        cx.add_notice(&format!(
            "{} bytes of the text were too many for the classifiers",
            assessed.unread_bytes
        ));
    }
    if assessed.is_pending {
        cx.add_notice("the classifiers are still at work: ask again for what they say");
    }
    let by_pattern = findings.iter().any(|finding| finding.layer == "patterns");
    let verdict = match assessed.verdict() {
        Verdict::Block => "block",
        Verdict::Warn => "warn",
        _ if by_pattern => "warn",
        Verdict::Log => "log",
        Verdict::Clear => "clear",
    };
    Ok(v1::SecurityScanResponse {
        verdict: verdict.to_owned(),
        characters: text.chars().count() as u64,
        truncated,
        findings,
        score: highest,
    })
}

/// A score with three decimals.
fn round_score(score: f32) -> f64 {
    (f64::from(score) * 1000.0).round() / 1000.0
}

fn pattern_finding(text: &str, hit: &PhraseMatch) -> v1::SecurityFinding {
    let PhraseMatch { kind: asks, count, offset: at } = *hit;
    v1::SecurityFinding {
        layer: "patterns".to_owned(),
        name: InjectionKind::name(asks).to_owned(),
        count,
        score: None,
        excerpt: excerpt(text, at),
    }
}

/// The line of `text` around the byte `at`, cut.
fn excerpt(text: &str, at: usize) -> String {
    let at = text.floor_char_boundary(at.min(text.len()));
    let from = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let near = text.floor_char_boundary(at.saturating_sub(MAX_EXCERPT_CHARS / 4)).max(from);
    let line = text[near..].lines().next().unwrap_or_default();
    line.chars().take(MAX_EXCERPT_CHARS).collect()
}
