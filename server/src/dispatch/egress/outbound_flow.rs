//! What a request sends, and where to.

use browse_guard::egress::{EgressChannel, OutboundData, Site, decodings, mentioned_sites};
use browse_proto::{Sends, SentData, SentValue, v1};
use serde_json::Value;
use url::Url;

use crate::{address, dispatch::CallContext};
use browse_chromium::KeyCombination;

/// Addresses in a text that are looked at.
const MAX_URLS: usize = 200;

/// What one request sends to one site.
#[derive(Debug)]
pub struct OutboundFlow {
    /// How.
    pub channel: EgressChannel,
    /// To which site, when it is known. Nobody is asked about others.
    pub destination: Option<Site>,
    /// What.
    pub parts: Vec<FlowPart>,
    /// Whether it goes to a field of the page, bit by bit perhaps.
    pub is_typing: bool,
}

/// A part of it.
#[derive(Clone, Debug)]
pub enum FlowPart {
    /// An address that is asked for.
    Address(String),
    /// Text.
    Text(String),
}

impl FlowPart {
    pub fn as_str(&self) -> &str {
        match self {
            Self::Address(text) | Self::Text(text) => text,
        }
    }

    /// The host of an address: its name server sees every label of the name.
    pub fn host(&self) -> Option<String> {
        match self {
            Self::Address(url) => Url::parse(url).ok()?.host_str().map(str::to_owned),
            Self::Text(_) => None,
        }
    }

    pub fn as_outbound_data(&self) -> OutboundData<'_> {
        match self {
            Self::Address(url) => OutboundData::Address(url),
            Self::Text(text) => OutboundData::Text(text),
        }
    }
}

/// What `request` sends, by what the contract says of its fields; nothing for most
/// requests.
pub fn outbound_flows(cx: &CallContext, request: &dyn SentData) -> Vec<OutboundFlow> {
    let mut sent = SentFields::default();
    request.visit_sent(&mut |how, value| sent.add(how, value));
    let mut flows = Vec::new();
    for (how, texts) in &sent.texts {
        flows.extend(flows_of_field(cx, *how, texts, &sent));
    }
    if !sent.files.is_empty() {
        let names = FlowPart::Text(sent.file_names.join("\n"));
        flows.push(OutboundFlow {
            channel: EgressChannel::File,
            destination: frame_site(cx),
            parts: [names].into_iter().chain(sent.files).collect(),
            is_typing: false,
        });
    }
    flows
}

/// Whether `request` makes the page paste: a chord that does, or the middle button, by
/// which Linux pastes what is selected or was copied.
pub fn is_paste(request: &dyn SentData) -> bool {
    let mut pastes = false;
    request.visit_sent(&mut |how, value| match (how, value) {
        (Sends::Button, SentValue::Number(button)) => {
            pastes |= button == i32::from(v1::MouseButton::Middle);
        }
        (Sends::Key, SentValue::Text(key)) => pastes |= is_paste_key(key),
        _ => {}
    });
    pastes
}

fn is_paste_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let has = |name: &str| key.split('+').any(|part| part == name);
    has("v") && (has("control") || has("ctrl") || has("meta") || has("controlormeta"))
        || has("insert") && has("shift")
        || has("paste")
}

/// The values of a request that leave, by how they leave.
#[derive(Default)]
struct SentFields {
    texts: Vec<(Sends, Vec<String>)>,
    file_names: Vec<String>,
    files: Vec<FlowPart>,
}

impl SentFields {
    fn add(&mut self, how: Sends, value: SentValue<'_>) {
        let text = match value {
            SentValue::Text(text) => text.to_owned(),
            SentValue::Bytes(bytes) => lossy_text(bytes),
            SentValue::Number(_) => return,
            SentValue::File { name, content } => {
                self.file_names.push(name.to_owned());
                self.files.push(FlowPart::Text(lossy_text(content)));
                return;
            }
        };
        match self.texts.iter_mut().find(|(known, _)| *known == how) {
            Some((_, texts)) => texts.push(text),
            None => self.texts.push((how, vec![text])),
        }
    }

    fn texts(&self, how: Sends) -> &[String] {
        let found = self.texts.iter().find(|(known, _)| *known == how);
        found.map(|(_, texts)| texts.as_slice()).unwrap_or_default()
    }
}

/// What `texts` send that leave in one way.
fn flows_of_field(
    cx: &CallContext,
    how: Sends,
    texts: &[String],
    sent: &SentFields,
) -> Vec<OutboundFlow> {
    let joined = || texts.join("\n");
    let flow = |channel: EgressChannel, destination: Option<Site>| {
        let parts = vec![FlowPart::Text(joined())];
        vec![OutboundFlow { channel, destination, parts, is_typing: false }]
    };
    let opened = |text: &String| navigation_flow(cx, text, EgressChannel::Address);
    match how {
        Sends::Typed => vec![typing_flow(cx, &joined())],
        Sends::Key => {
            let typed = texts.iter().filter_map(|key| typed_character(key));
            typed.map(|text| typing_flow(cx, &text)).collect()
        }
        Sends::Dialog => {
            // The frame that asks, which may be of another site than the page.
            let asking = cx.tab_if_any().and_then(|tab| tab.page().open_dialog());
            let asking = asking.and_then(|question| site_of(&Url::parse(&question.url).ok()?));
            let typed = typing_flow(cx, &joined());
            vec![OutboundFlow { destination: asking.or(typed.destination), ..typed }]
        }
        Sends::Address => texts.iter().filter_map(opened).collect(),
        Sends::Request => {
            let requested = |text: &String| navigation_flow(cx, text, EgressChannel::Request);
            let mut flows: Vec<_> = texts.iter().filter_map(requested).collect();
            for flow in &mut flows {
                flow.parts
                    .extend(sent.texts(Sends::RequestPart).iter().cloned().map(FlowPart::Text));
            }
            flows
        }
        // Else it is an element of the page, or an address within its site.
        Sends::AddressOrTarget if texts.iter().any(|text| text.contains("://")) => {
            texts.iter().filter_map(opened).collect()
        }
        Sends::AddressOrTarget => flow(EgressChannel::Address, page_site(cx)),
        Sends::Everywhere => flow(EgressChannel::Request, Some(Site::mixed())),
        Sends::Stored => flow(EgressChannel::Field, page_site(cx)),
        Sends::Clipboard => flow(EgressChannel::Field, None),
        Sends::Code => code_flows(cx, &joined()),
        Sends::PageTool => page_tool_flows(cx, &joined()),
        Sends::Document => document_flows(&joined()),
        // Parts go with their request, files by themselves, and a button holds no text.
        Sends::RequestPart | Sends::Files | Sends::Button => Vec::new(),
    }
}

/// The character that a key types, by whatever name it is called (`a`, `KeyA`,
/// `Shift+A`, `Digit7`).
fn typed_character(key: &str) -> Option<String> {
    if key.chars().count() == 1 {
        return Some(key.to_owned());
    }
    let combination = KeyCombination::parse(key).ok()?;
    combination.typed_text().map(str::to_owned)
}

/// The site of an address.
pub fn site_of(url: &Url) -> Option<Site> {
    Some(Site::of_host(url.host_str()?, url.port_or_known_default().unwrap_or_default()))
}

/// The site of the page of the call.
pub fn page_site(cx: &CallContext) -> Option<Site> {
    site_of(&Url::parse(&cx.tab_if_any()?.page().url()).ok()?)
}

/// The site of the frame that the call is about: of the element that it names, or
/// that has the focus.
pub fn frame_site(cx: &CallContext) -> Option<Site> {
    site_of(&Url::parse(&cx.document_url()?).ok()?)
}

/// The addresses in what the caller chose of an address, which it may be led on to:
/// the site of each, and it.
pub fn nested_urls(parts: &[String], to: &Site) -> Vec<(Site, String)> {
    let mut found: Vec<(Site, String)> = Vec::new();
    for view in parts.iter().flat_map(|part| decodings(part)) {
        for (at, _) in view.match_indices("://").take(MAX_URLS) {
            let scheme = view[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
            let whole = view[scheme..].split(char::is_whitespace).next().unwrap_or_default();
            let Some(site) = mentioned_sites(whole).next().filter(|site| site != to) else {
                continue;
            };
            if found.len() < MAX_URLS && found.iter().all(|(_, known)| known != whole) {
                found.push((site, whole.to_owned()));
            }
        }
    }
    found
}

fn typing_flow(cx: &CallContext, text: &str) -> OutboundFlow {
    let parts = vec![FlowPart::Text(text.to_owned())];
    OutboundFlow {
        channel: EgressChannel::Field,
        destination: frame_site(cx),
        parts,
        is_typing: true,
    }
}

fn navigation_flow(cx: &CallContext, text: &str, channel: EgressChannel) -> Option<OutboundFlow> {
    // What cannot be opened, its handler says better.
    let asker = address::UrlRequester { cwd: None, ..cx.url_requester() };
    let url = address::parse(text, &asker).ok()?;
    let to = site_of(&url)?;
    let parts = vec![FlowPart::Address(url.into())];
    Some(OutboundFlow { channel, destination: Some(to), parts, is_typing: false })
}

/// Code sends what it holds to the sites that it names, and hands it to the
/// page that it runs in, as what is typed there.
fn code_flows(cx: &CallContext, code: &str) -> Vec<OutboundFlow> {
    let own = page_site(cx);
    let mut acts = document_flows(code);
    for act in &mut acts {
        act.parts.push(FlowPart::Text(code.to_owned()));
    }
    acts.retain(|act| act.destination != own);
    let parts = vec![FlowPart::Text(code.to_owned())];
    acts.push(OutboundFlow {
        channel: EgressChannel::Field,
        destination: own,
        parts,
        is_typing: false,
    });
    acts
}

/// The input of a tool goes to the script of its frame, which may send it to the sites
/// that it names. The texts in it are looked at as the script gets them, too.
fn page_tool_flows(cx: &CallContext, input: &str) -> Vec<OutboundFlow> {
    let mut texts = String::new();
    if let Ok(input) = serde_json::from_str(input) {
        collect_texts(&input, &mut texts);
    }
    let parts = || [input, &texts].map(|text| FlowPart::Text(text.to_owned())).to_vec();
    let own = frame_site(cx);
    let mut acts: Vec<_> = [input, &texts].into_iter().flat_map(document_flows).collect();
    acts.retain(|act| act.destination.is_some() && act.destination != own);
    for act in &mut acts {
        act.parts.extend(parts());
    }
    let channel = EgressChannel::Field;
    acts.push(OutboundFlow { channel, destination: own, parts: parts(), is_typing: false });
    acts
}

/// Names and texts of a JSON value, one a line.
fn collect_texts(value: &Value, texts: &mut String) {
    match value {
        Value::String(text) => texts.extend([text, "\n"]),
        Value::Number(number) => texts.extend([&number.to_string(), "\n"]),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => {
            for (name, value) in fields {
                texts.extend([name, "\n"]);
                collect_texts(value, texts);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// A document asks for the addresses in it.
fn document_flows(text: &str) -> Vec<OutboundFlow> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`' | ')');
    let whole = OutboundFlow {
        channel: EgressChannel::Address,
        destination: None,
        parts: vec![FlowPart::Text(text.to_owned())],
        is_typing: false,
    };
    // With a scheme, or with that of the page (`'//host/'`, `url(//host/)`).
    let begins = |before: &str| before.ends_with([':', '"', '\'', '`', '(', '=']);
    let starts = text.match_indices("//").filter(|(at, _)| begins(&text[..*at])).take(MAX_URLS);
    let addresses = starts.filter_map(|(at, _)| {
        let scheme = if text[..at].ends_with("https:") { "https" } else { "http" };
        let rest = text[at..].split(ends).next().unwrap_or_default();
        let url = Url::parse(&format!("{scheme}:{rest}")).ok()?;
        let parts = vec![FlowPart::Address(url.to_string())];
        Some(OutboundFlow {
            channel: EgressChannel::Address,
            destination: site_of(&url),
            parts,
            is_typing: false,
        })
    });
    addresses.chain([whole]).collect()
}

/// Bytes as text, as far as they are.
fn lossy_text(bytes: &[u8]) -> String {
    const MAX_DECODED_TEXT_BYTES: usize = 4 << 20;
    String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_DECODED_TEXT_BYTES)]).into_owned()
}
