//! What a request sends, and where to.

use std::any::Any;

use browse_guard::egress::{Channel, OutboundData, Site, decodings, mentioned_sites};
use browse_proto::v1;
use url::Url;

use crate::{
    browser::{address, navigation},
    chromium::KeyCombination,
    dispatch::CallContext,
};

/// Addresses in a text that are looked at.
const MAX_URLS: usize = 200;

/// What one request sends to one site.
#[derive(Debug)]
pub struct OutboundFlow {
    /// How.
    pub channel: Channel,
    /// To which site, when it is known. Nobody is asked about others.
    pub destination: Option<Site>,
    /// What.
    pub parts: Vec<FlowPart>,
    /// Whether it goes to a field of the page, bit by bit perhaps.
    pub is_typing: bool,
}

/// A part of it.
#[derive(Debug)]
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

    /// The host of an address: whoever has it may hear of every name in it.
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

/// What `request` sends; nothing for most requests.
pub fn outbound_flows(cx: &CallContext, request: &dyn Any) -> Vec<OutboundFlow> {
    let field = |text: &str| vec![typing_flow(cx, text)];
    if let Some(request) = request.downcast_ref::<v1::FillRequest>() {
        return field(&request.text);
    }
    if let Some(request) = request.downcast_ref::<v1::TypeRequest>() {
        return field(&request.text);
    }
    if let Some(request) = request.downcast_ref::<v1::PressRequest>() {
        return typed_character(&request.key).map(|text| field(&text)).unwrap_or_default();
    }
    if let Some(request) = request.downcast_ref::<v1::SelectRequest>() {
        return field(&request.value.join("\n"));
    }
    if let Some(request) = request.downcast_ref::<v1::DialogAcceptRequest>() {
        // The frame that asks, which may be of another site than the page.
        let asking = cx.tab_if_any().and_then(|tab| tab.page().open_dialog());
        let asking = asking.and_then(|question| site_of(&Url::parse(&question.url).ok()?));
        let send = |text: &str| {
            let act = typing_flow(cx, text);
            vec![OutboundFlow { destination: asking.or(act.destination), ..act }]
        };
        return request.text.as_deref().map(send).unwrap_or_default();
    }
    if let Some(request) = request.downcast_ref::<v1::GotoRequest>() {
        return navigation_flow(cx, &request.url, Channel::Address).into_iter().collect();
    }
    if let Some(request) = request.downcast_ref::<v1::NewTabRequest>() {
        let url = request.url.as_deref();
        return url
            .and_then(|url| navigation_flow(cx, url, Channel::Address))
            .into_iter()
            .collect();
    }
    rare_outbound_flows(cx, request)
}

/// The same for commands that are called now and then.
fn rare_outbound_flows(cx: &CallContext, request: &dyn Any) -> Vec<OutboundFlow> {
    if let Some(request) = request.downcast_ref::<v1::DiffRequest>() {
        let urls = [&request.url1, &request.url2];
        return urls
            .into_iter()
            .filter_map(|url| navigation_flow(cx, url, Channel::Address))
            .collect();
    }
    if let Some(request) = request.downcast_ref::<v1::FetchRequest>() {
        return navigation_flow(cx, &request.url, Channel::Request).into_iter().collect();
    }
    if let Some(request) = request.downcast_ref::<v1::FetchSendRequest>() {
        let mut act = navigation_flow(cx, &request.url, Channel::Request);
        if let Some(act) = &mut act {
            act.parts.extend(request.header.iter().cloned().map(FlowPart::Text));
            act.parts
                .extend(request.body.iter().map(|body| FlowPart::Text(lossy_text(body.as_ref()))));
        }
        return act.into_iter().collect();
    }
    if let Some(request) = request.downcast_ref::<v1::DownloadRequest>() {
        // Else it is an element of the page, or an address within its site.
        if request.source.contains("://") {
            return navigation_flow(cx, &request.source, Channel::Address).into_iter().collect();
        }
        let parts = vec![FlowPart::Text(request.source.clone())];
        return vec![OutboundFlow {
            channel: Channel::Address,
            destination: page_site(cx),
            parts,
            is_typing: false,
        }];
    }
    if let Some(request) = request.downcast_ref::<v1::UploadRequest>() {
        let names = request.file.iter().map(|file| file.name.as_str()).collect::<Vec<_>>();
        let mut parts = vec![FlowPart::Text(names.join("\n"))];
        parts.extend(request.file.iter().map(|file| FlowPart::Text(lossy_text(&file.content))));
        return vec![OutboundFlow {
            channel: Channel::File,
            destination: frame_site(cx),
            parts,
            is_typing: false,
        }];
    }
    let text = |channel: Channel, text: String| {
        vec![OutboundFlow {
            channel,
            destination: page_site(cx),
            parts: vec![FlowPart::Text(text)],
            is_typing: false,
        }]
    };
    if let Some(request) = request.downcast_ref::<v1::HeaderRequest>() {
        return sent_everywhere(request.header.iter().cloned().collect());
    }
    if let Some(request) = request.downcast_ref::<v1::UserAgentRequest>() {
        return sent_everywhere(request.agent.clone().unwrap_or_default());
    }
    if let Some(request) = request.downcast_ref::<v1::SetCookieRequest>() {
        return text(Channel::Field, request.cookie.clone());
    }
    if let Some(request) = request.downcast_ref::<v1::SetStorageRequest>() {
        return text(Channel::Field, format!("{}\n{}", request.key, request.value));
    }
    if let Some(request) = request.downcast_ref::<v1::WriteClipboardRequest>() {
        let destination = None;
        let parts = vec![FlowPart::Text(request.text.clone())];
        return vec![OutboundFlow {
            channel: Channel::Field,
            destination,
            parts,
            is_typing: false,
        }];
    }
    if let Some(request) = request.downcast_ref::<v1::JsRequest>() {
        return code_flows(cx, &request.expression);
    }
    if let Some(request) = request.downcast_ref::<v1::EvalRequest>() {
        return code_flows(cx, &request.code);
    }
    if let Some(request) = request.downcast_ref::<v1::StyleRequest>() {
        return code_flows(cx, &request.value);
    }
    if let Some(request) = request.downcast_ref::<v1::ImportCookiesRequest>() {
        return text(Channel::Field, request.cookies.clone());
    }
    if let Some(request) = request.downcast_ref::<v1::SecurityScanRequest>() {
        let url = request.url.as_deref();
        return url
            .and_then(|url| navigation_flow(cx, url, Channel::Request))
            .into_iter()
            .collect();
    }
    if let Some(request) = request.downcast_ref::<v1::RouteRequest>() {
        let given = request.fulfil.iter().chain(&request.body).chain(&request.header);
        return code_flows(cx, &given.cloned().collect::<Vec<_>>().join("\n"));
    }
    if let Some(request) = request.downcast_ref::<v1::LoadHtmlRequest>() {
        return document_flows(&request.html);
    }
    if let Some(request) = request.downcast_ref::<v1::PrintHtmlRequest>() {
        return document_flows(&request.html);
    }
    if let Some(request) = request.downcast_ref::<v1::CdpRequest>() {
        return code_flows(cx, request.params.as_deref().unwrap_or_default());
    }
    Vec::new()
}

/// What goes to every site from now on, with each request.
fn sent_everywhere(text: String) -> Vec<OutboundFlow> {
    let (channel, parts) = (Channel::Request, vec![FlowPart::Text(text)]);
    let destination = Some(Site::mixed());
    vec![OutboundFlow { channel, destination, parts, is_typing: false }]
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
    OutboundFlow { channel: Channel::Field, destination: frame_site(cx), parts, is_typing: true }
}

fn navigation_flow(cx: &CallContext, text: &str, channel: Channel) -> Option<OutboundFlow> {
    // What cannot be opened, its handler says better.
    let asker = address::UrlRequester { cwd: None, ..navigation::url_requester(cx) };
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
    acts.push(OutboundFlow { channel: Channel::Field, destination: own, parts, is_typing: false });
    acts
}

/// A document asks for the addresses in it.
fn document_flows(text: &str) -> Vec<OutboundFlow> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`' | ')');
    let whole = OutboundFlow {
        channel: Channel::Address,
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
            channel: Channel::Address,
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
