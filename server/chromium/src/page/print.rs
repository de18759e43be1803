//! The page as a document: PDF and MHTML.

use base64::Engine as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::page::Page;
use super::swap_retry::retry_on_swap;
use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::error::{Error, Result};

/// Bytes that are read at once: a piece of a stream is a message.
const READ_CHUNK_BYTES: usize = 1 << 20;

#[derive(Deserialize)]
struct PrintToPdfResult {
    stream: String,
}

#[derive(Deserialize)]
struct CaptureSnapshotResult {
    data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StreamReadResult {
    #[serde(default)]
    base64_encoded: bool,
    data: String,
    eof: bool,
}

/// Bytes that Chromium holds for us; closed when it is dropped.
pub struct ByteStream {
    session: CdpSession,
    handle: String,
    is_finished: bool,
}

impl ByteStream {
    /// The stream that Chromium calls `handle` on a session.
    pub fn new(session: CdpSession, handle: String) -> Self {
        Self { session, handle, is_finished: false }
    }

    /// The next piece; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        while !self.is_finished {
            let params = json!({ "handle": self.handle, "size": READ_CHUNK_BYTES });
            let read: CdpCall<StreamReadResult> = self.session.call_method("IO.read", &params);
            let read = read.await?;
            self.is_finished = read.eof;
            let bytes = match read.base64_encoded {
                true => {
                    base64::engine::general_purpose::STANDARD.decode(read.data).map_err(|_| {
                        let message = "the piece is not base64".to_owned();
                        Error::Protocol { method: "IO.read".to_owned(), message }
                    })?
                }
                false => read.data.into_bytes(),
            };
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// All of it.
    ///
    /// # Errors
    /// `TooLarge` when there are more than `limit` bytes.
    pub async fn read_all(mut self, limit: usize) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        while let Some(piece) = self.next().await? {
            all.extend(piece);
            if all.len() > limit {
                return Err(Error::TooLarge { bytes: all.len(), limit });
            }
        }
        Ok(all)
    }
}

impl Drop for ByteStream {
    fn drop(&mut self) {
        let params = json!({ "handle": self.handle });
        self.session.call_method::<serde::de::IgnoredAny>("IO.close", &params).ignore();
    }
}

impl Page {
    /// Prints the page to a PDF with the parameters of `Page.printToPDF`.
    ///
    /// # Errors
    /// `TooLarge` above `limit` bytes; `StaleContext` where another document came
    /// in between.
    pub async fn print(&self, mut params: Value, limit: usize) -> Result<Vec<u8>> {
        self.ensure_answering()?;
        params["transferMode"] = json!("ReturnAsStream");
        let before = self.state.lock().commits;
        let printed: Result<PrintToPdfResult> =
            retry_on_swap(|| self.session().call_method("Page.printToPDF", &params)).await;
        let printed = match printed {
            // Chromium says no more than that it failed.
            Err(Error::Protocol { .. }) if self.state.lock().commits != before => {
                return Err(Error::StaleContext);
            }
            printed => printed?,
        };
        ByteStream::new(self.session().clone(), printed.stream).read_all(limit).await
    }

    /// The page with everything it embeds, as MHTML.
    pub async fn archive(&self) -> Result<Vec<u8>> {
        self.ensure_answering()?;
        let params = json!({ "format": "mhtml" });
        let archived: CaptureSnapshotResult =
            retry_on_swap(|| self.session().call_method("Page.captureSnapshot", &params)).await?;
        Ok(archived.data.into_bytes())
    }
}
