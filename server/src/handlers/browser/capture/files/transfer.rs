//! One file, from where it lies to the caller.

use std::{path::Path, time::Duration};

use browse_proto::{Reason, v1};
use sha2::{Digest as _, Sha256};
use tokio::{io::AsyncReadExt as _, time::timeout};

use super::{blob, data_url, file_names, part_stream::FilePartSender, source::FileSource, web};
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::{ByteStream, HiddenPage};
use browse_sessions::DownloadRecord;

/// Time without a byte after which a file is given up.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes that are read from a file at once.
const CHUNK_BYTES: usize = 256 << 10;

/// Sends the file `number`: its head, its bytes, its tail.
///
/// # Errors
/// It is refused, is not there, or broke off.
pub async fn transfer(
    cx: &CallContext,
    helper: &HiddenPage,
    number: u32,
    source: &FileSource,
    pipe: &FilePartSender,
) -> Result<()> {
    let key = source.key();
    let mut sending = FileTransfer { number, pipe, hash: Sha256::new(), bytes: 0 };
    match source {
        FileSource::Data(url) => {
            let (mime, bytes) = data_url::parse(url)?;
            let name = file_names::file_name(None, source.suggested_name(), &mime);
            sending.head(key, name, mime, Some(bytes.len() as u64)).await?;
            sending.data(bytes).await?;
        }
        FileSource::Blob { url, .. } => {
            let blob = blob::open_blob(cx, url).await?;
            let name = file_names::file_name(None, source.suggested_name(), &blob.mime);
            sending.head(key, name, blob.mime, Some(blob.size)).await?;
            sending.stream(url, blob.bytes, Some(blob.size)).await?;
        }
        FileSource::Web { url, .. } => {
            let mut visit = helper.start_fetch(url.as_str(), web::referrer(cx, url).as_deref())?;
            let late = |_| download_failed(&key, "the server does not answer");
            let answer =
                timeout(STALL_TIMEOUT, web::follow_visit(cx, &mut visit)).await.map_err(late)??;
            let mime = answer.header("content-type").unwrap_or_default().to_owned();
            let size = web::content_length(&answer);
            let name = file_names::file_name(
                answer.header("content-disposition"),
                source.suggested_name(),
                &mime,
            );
            let name =
                if name.is_empty() { file_names::from_url(&answer.url, &mime) } else { name };
            sending.head(key.clone(), name, mime, size).await?;
            match size {
                Some(_) => sending.stream(&key, visit.body().await?, size).await?,
                None => {
                    let mut kept = visit.download_body();
                    let file = kept.wait_file(STALL_TIMEOUT).await;
                    let file = file.ok_or_else(|| {
                        download_failed(&key, "it broke off, or no more of it comes")
                    })?;
                    sending.file(&file).await?;
                }
            }
        }
    }
    sending.tail().await
}

/// Sends the file `number`, which is kept.
///
/// # Errors
/// It is gone, or the caller is.
pub async fn transfer_kept(
    number: u32,
    record: &DownloadRecord,
    note: String,
    pipe: &FilePartSender,
) -> Result<()> {
    let mut sending = FileTransfer { number, pipe, hash: Sha256::new(), bytes: 0 };
    let (url, name, mime) = (record.url.clone(), record.name.clone(), record.mime.clone());
    sending.head(url, name, mime, Some(record.received)).await?;
    sending.file(record.path.as_deref().unwrap_or(Path::new(""))).await?;
    sending.noted_tail(note).await
}

/// The failure of the file at `url`.
pub fn download_failed(url: &str, why: &str) -> Error {
    let message = format!("the file was not downloaded: {why}");
    Error::new(Reason::DownloadFailed, message).with("url", url)
}

/// A file that is being sent.
struct FileTransfer<'a> {
    number: u32,
    pipe: &'a FilePartSender,
    hash: Sha256,
    bytes: u64,
}

impl FileTransfer<'_> {
    async fn head(&self, url: String, name: String, mime: String, size: Option<u64>) -> Result<()> {
        let head = v1::FileHead { url, name, mime, size };
        self.pipe.send(self.part(|part| part.head = Some(head))).await
    }

    async fn data(&mut self, data: Vec<u8>) -> Result<()> {
        self.hash.update(&data);
        self.bytes += data.len() as u64;
        self.pipe.send(self.part(|part| part.data = data)).await
    }

    /// Passes a stream on, and checks that all of it came.
    async fn stream(&mut self, url: &str, mut body: ByteStream, size: Option<u64>) -> Result<()> {
        loop {
            let piece = timeout(STALL_TIMEOUT, body.next()).await;
            let piece = piece.map_err(|_| download_failed(url, "no more of it comes"))?;
            match piece.map_err(|_| download_failed(url, "the connection broke"))? {
                Some(piece) => self.data(piece).await?,
                None => break,
            }
        }
        match size {
            Some(size) if size != self.bytes => {
                let why = format!("it broke off after {} of {size} bytes", self.bytes);
                Err(download_failed(url, &why))
            }
            _ => Ok(()),
        }
    }

    /// Passes a file on.
    async fn file(&mut self, path: &Path) -> Result<()> {
        let lost = |error: std::io::Error| {
            Error::new(Reason::DownloadFailed, format!("the download was lost: {error}"))
        };
        // Its name may have been given to something else since.
        let mut options = tokio::fs::OpenOptions::new();
        options.read(true).custom_flags(nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK);
        let mut file = options.open(path).await.map_err(lost)?;
        if !file.metadata().await.map_err(lost)?.is_file() {
            return Err(lost(std::io::Error::other("it is not a file any more")));
        }
        loop {
            let mut piece = vec![0; CHUNK_BYTES];
            let length = file.read(&mut piece).await.map_err(lost)?;
            if length == 0 {
                return Ok(());
            }
            piece.truncate(length);
            self.data(piece).await?;
        }
    }

    async fn tail(self) -> Result<()> {
        self.noted_tail(String::new()).await
    }

    async fn noted_tail(self, note: String) -> Result<()> {
        let hash: String =
            self.hash.clone().finalize().iter().map(|b| format!("{b:02x}")).collect();
        let tail = v1::FileTail { bytes: self.bytes, sha256: hash, note, ..Default::default() };
        self.pipe.send(self.part(|part| part.tail = Some(tail))).await
    }

    fn part(&self, fill: impl FnOnce(&mut v1::FilePart)) -> v1::FilePart {
        let mut part = v1::FilePart { file: self.number, ..Default::default() };
        fill(&mut part);
        part
    }
}
