//! Where a file lies: an address, or what an element points to.

use browse_proto::Reason;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::time::{Duration, timeout};
use url::Url;

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_engine::Target;

/// Time that the page has to say what an element points to.
const SCRIPT_TIMEOUT: Duration = Duration::from_secs(15);

/// What an element points to. Pictures and films say what they show now; a
/// link or a box that holds one picture stands for it. A button, and a link that
/// goes nowhere by itself, points to nothing.
const ELEMENT_SOURCE_FUNCTION: &str = "function () {
  const own = (e) => e.currentSrc || (typeof e.src === 'string' && e.src) || (e.href && e.href.baseVal !== undefined ? new URL(e.href.baseVal, document.baseURI).href : typeof e.href === 'string' && e.href) || (typeof e.data === 'string' && e.data) || (typeof e.poster === 'string' && e.poster) || '';
  if (this instanceof HTMLCanvasElement) return { url: this.toDataURL(), name: 'canvas' };
  const button = this.closest('button, summary, input[type=submit], input[type=button], input[type=image], [role=button], [role=menuitem]');
  if (button && !(button instanceof HTMLAnchorElement)) return { url: '', name: null };
  const near = own(this) ? this : (this.querySelector('img, video, audio, source, embed, object') || this.closest('a[href]') || this.querySelector('a[href]'));
  const url = near ? own(near) : '';
  const written = near instanceof HTMLAnchorElement ? near.getAttribute('href').trim() : '';
  if (/^(#|javascript:)/i.test(written) || near instanceof HTMLAnchorElement && !written) return { url: '', name: null };
  if (url.length > 50e6) return { url: '', name: null };
  const name = near && near.getAttribute('download');
  return { url: String(url), name: name ? String(name) : null };
}";

/// A file to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileSource {
    /// On the web.
    Web {
        /// Its address.
        url: Url,
        /// The name that the page wants it to have.
        wanted: Option<String>,
    },
    /// Made by the page.
    Blob {
        /// Its address.
        url: String,
        /// The name that the page wants it to have.
        wanted: Option<String>,
    },
    /// In its address.
    Data(String),
}

#[derive(Deserialize)]
struct ElementSource {
    url: String,
    name: Option<String>,
}

impl FileSource {
    /// The source at an absolute address.
    ///
    /// # Errors
    /// `URL_INVALID` for other schemes than http, https, data and blob: local
    /// files above all.
    pub fn parse(text: &str, wanted: Option<String>) -> Result<Self> {
        let invalid = |message: String| {
            Error::new(Reason::UrlInvalid, message).with("url", browse_base::quote(text))
        };
        let mut url = Url::parse(text)
            .map_err(|error| invalid(format!("`{}`: {error}", browse_base::quote(text))))?;
        match url.scheme() {
            "http" | "https" => {
                url.set_fragment(None);
                Ok(Self::Web { url, wanted })
            }
            "data" => Ok(Self::Data(text.to_owned())),
            "blob" => Ok(Self::Blob { url: text.to_owned(), wanted }),
            other => Err(invalid(format!("the scheme `{other}:` is not downloaded"))),
        }
    }

    /// What tells it from other sources: its address. An address that holds
    /// its content is shortened to a hash.
    pub fn key(&self) -> String {
        match self {
            Self::Web { url, .. } => {
                let mut url = url.clone();
                // An address that cannot have them has none to remove.
                let _ = url.set_username("");
                let _ = url.set_password(None);
                url.into()
            }
            Self::Blob { url, .. } => url.clone(),
            Self::Data(url) => {
                let kind = url.get(5..).unwrap_or_default().split([',', ';']).next();
                let kind: String = kind
                    .unwrap_or_default()
                    .chars()
                    .filter(|c| c.is_ascii_alphanumeric() || "/+.-".contains(*c))
                    .take(40)
                    .collect();
                let hash = Sha256::digest(url.as_bytes());
                let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
                format!("data:{kind},{hash}")
            }
        }
    }

    /// The name that the page wants it to have.
    pub fn suggested_name(&self) -> Option<&str> {
        match self {
            Self::Web { wanted, .. } => wanted.as_deref(),
            Self::Blob { wanted, .. } => Some(wanted.as_deref().unwrap_or("blob")),
            Self::Data(_) => Some("data"),
        }
    }
}

/// Where a file is to come from.
pub enum DownloadSource {
    /// From its address.
    File(FileSource),
    /// From the page, when this is clicked.
    ClickTarget(Target),
}

/// What the caller means: an address, or an element.
///
/// # Errors
/// There is no such element, or it points to nothing that can be fetched.
pub async fn find_source(cx: &CallContext, text: &str) -> Result<DownloadSource> {
    let text = text.trim();
    if let Some(url) = absolute_url(cx, text)? {
        return FileSource::parse(&url, None).map(DownloadSource::File);
    }
    let target: Target = text.parse()?;
    cx.page().ensure_answering()?;
    let pointed = async {
        let (world, object) = cx.engine().remote_object(&target).await?;
        Ok::<ElementSource, Error>(world.call_on(&object, ELEMENT_SOURCE_FUNCTION, &[]).await?)
    };
    let late = |_| Error::new(Reason::DeadlineExceeded, "the page does not say what it points to");
    let pointed = timeout(SCRIPT_TIMEOUT, pointed).await.map_err(late)??;
    if pointed.url.is_empty() {
        return Ok(DownloadSource::ClickTarget(target));
    }
    // The address is the page's, so that no word of it is repeated.
    let unfit = |_| {
        let message = "the element points to no address that can be downloaded";
        Error::new(Reason::UrlInvalid, message).with_quote("url", &pointed.url)
    };
    FileSource::parse(&pointed.url, pointed.name.clone()).map(DownloadSource::File).map_err(unfit)
}

/// The absolute address that `text` is, if it is one: with a scheme, or
/// relative to the page when it begins with a slash.
fn absolute_url(cx: &CallContext, text: &str) -> Result<Option<String>> {
    if text.starts_with("//")
        && text.get(2..).is_some_and(|rest| !rest.starts_with(['*', '@']))
        && text.contains('.')
        || text.starts_with('/') && !text.starts_with("//")
    {
        let invalid = |error: url::ParseError| {
            let message = format!("`{text}` cannot be read from here: {error}");
            Error::new(Reason::UrlInvalid, message).with("url", text)
        };
        let base = Url::parse(&cx.page().url()).map_err(invalid)?;
        return Ok(Some(base.join(text).map_err(invalid)?.into()));
    }
    let (scheme, rest) = text.split_once(':').unwrap_or_default();
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let known = ["data", "blob", "javascript", "about", "mailto", "filesystem"];
    let known = known.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    Ok((is_scheme && (rest.starts_with("//") || known)).then(|| text.to_owned()))
}
