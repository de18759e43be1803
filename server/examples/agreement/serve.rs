//! Serves the files of a folder on loopback; everything else is 404.

use std::path::{Path, PathBuf};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Answers the port.
pub async fn start(folder: PathBuf) -> std::io::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let folder = folder.clone();
            tokio::spawn(async move {
                let _ = answer(stream, &folder).await;
            });
        }
    });
    Ok(port)
}

async fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut request = vec![0; 16 * 1024];
    let read = stream.read(&mut request).await?;
    let request = String::from_utf8_lossy(&request[..read]);
    let path = request.split_whitespace().nth(1).unwrap_or_default().trim_start_matches('/');
    let name = path.split('?').next().unwrap_or_default();
    let known = name.ends_with(".html") && !name.contains('/');
    let body = if known {
        tokio::fs::read(folder.join(name)).await.unwrap_or_default()
    } else {
        Vec::new()
    };
    let status = if body.is_empty() { "404 Not Found" } else { "200 OK" };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&body).await
}
