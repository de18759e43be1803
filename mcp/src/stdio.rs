//! Standard input and output, line by line. What is not a message of the protocol gets an
//! answer here.

use std::sync::Arc;

use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream,
    },
    sync::Mutex,
    task::JoinHandle,
};

use crate::message_check::problem;

/// Bytes between the tasks.
const BUFFER_BYTES: usize = 64 << 10;

/// Both directions, for the server. The task ends when all that the server wrote is out.
pub fn checked(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> ((DuplexStream, DuplexStream), JoinHandle<()>) {
    let (server_input, mut messages) = tokio::io::duplex(BUFFER_BYTES);
    let (server_output, answers) = tokio::io::duplex(BUFFER_BYTES);
    let output = Arc::new(Mutex::new(output));
    let refusals = Arc::clone(&output);
    tokio::spawn(async move {
        let mut lines = BufReader::new(input);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
            let passed = match problem(&line) {
                None => messages.write_all(&line).await,
                Some(answer) => write_line(&refusals, answer.to_string().as_bytes()).await,
            };
            if passed.is_err() {
                break;
            }
            line.clear();
        }
    });
    let writing = tokio::spawn(async move {
        let mut lines = BufReader::new(answers);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
            if write_line(&output, line.trim_ascii_end()).await.is_err() {
                break;
            }
            line.clear();
        }
    });
    ((server_input, server_output), writing)
}

async fn write_line<W: AsyncWrite + Unpin>(output: &Mutex<W>, line: &[u8]) -> std::io::Result<()> {
    let mut output = output.lock().await;
    output.write_all(line).await?;
    output.write_all(b"\n").await?;
    output.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;

    #[tokio::test]
    async fn messages_pass_and_the_rest_is_answered() {
        let (client, input) = tokio::io::duplex(1024);
        let (output, mut answers) = tokio::io::duplex(1024);
        let ((mut server_input, mut server_output), writing) = checked(input, output);
        let mut client = client;
        client.write_all(b"nonsense\n{\"id\":1,\"method\":\"ping\"}\n").await.expect("written");
        drop(client);
        let mut passed = String::new();
        server_input.read_to_string(&mut passed).await.expect("read");
        assert_eq!(passed, "{\"id\":1,\"method\":\"ping\"}\n");
        server_output.write_all(b"{\"id\":1,\"result\":{}}\n").await.expect("written");
        drop(server_output);
        writing.await.expect("it ends");
        let mut written = String::new();
        answers.read_to_string(&mut written).await.expect("read");
        let lines: Vec<&str> = written.lines().collect();
        assert!(lines[0].contains("-32700") && lines[1] == "{\"id\":1,\"result\":{}}", "{written}");
    }
}
