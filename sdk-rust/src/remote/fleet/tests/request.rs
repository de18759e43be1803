//! A request of HTTP/1.1, as the servers of tests read it.

use std::collections::BTreeMap;
use std::io::BufRead;

/// A request.
pub struct Request {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    /// Reads the next one; none at the end of the connection.
    pub fn read(reader: &mut impl BufRead) -> Option<Self> {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a head");
            let Some((name, value)) = line.trim().split_once(':') else { break };
            headers.insert(name.to_owned(), value.trim().to_owned());
        }
        let mut body = vec![0; headers["content-length"].parse().expect("a length")];
        reader.read_exact(&mut body).expect("a body");
        Some(Self { path, headers, body })
    }
}
