//! Requests that are written by hand: two readers could take them for different ones.

use browse_proto::Command;

use super::{
    Attempt, ExpectedAnswer,
    played::{MEMORY, TwoTenants},
    request::AttemptRequest,
};

/// Ends the connection after the answer.
const CLOSE: &str = "connection: close\r\n";

/// The attempts. Their owner sends a plain request with the same headers.
pub fn attempts(tenants: &TwoTenants) -> Vec<Attempt> {
    let address = tenants.world.replicas[0].address;
    let path = Command::by_name(MEMORY).expect("a command").path;
    let pod = tenants.victim.address;
    // What another reader may see as a request of its own: it brings no token along.
    let hidden = request(path, "", "browse-session: vault\r\nbrowse-fleet-tenant: acme\r\n", "{}");
    let chunk = format!("{:x}\r\n{hidden}\r\n0\r\n\r\n", hidden.len());
    let ended = format!("0\r\n\r\n{hidden}");
    let lengths = |lengths: &str| format!("browse-session: work\r\n{lengths}");
    let rows = [
        (
            "a length and chunks",
            "a proxy takes the length, and sends a hidden request along",
            head(
                path,
                &lengths(&format!(
                    "content-length: {}\r\ntransfer-encoding: chunked\r\n",
                    ended.len()
                )),
            ) + &ended,
            tenants.own(),
        ),
        (
            "chunks and a length",
            "a proxy takes the chunks, and the gateway ends the body earlier",
            head(path, &lengths("transfer-encoding: chunked\r\ncontent-length: 4\r\n")) + &chunk,
            tenants.own(),
        ),
        (
            "chunks under another name",
            "one reader knows the encoding, and another one does not",
            head(path, &lengths("transfer-encoding: xchunked\r\ncontent-length: 4\r\n")) + &chunk,
            ExpectedAnswer::Status(400),
        ),
        (
            "two lengths",
            "each reader takes another one",
            head(path, &lengths("content-length: 2\r\ncontent-length: 400\r\n")) + "{}" + &hidden,
            ExpectedAnswer::Status(400),
        ),
        (
            "a line feed in a name",
            "a header of the fleet begins there",
            request(path, "beta-key", "browse-session: work\nbrowse-fleet-tenant: acme\r\n", "{}"),
            tenants.own(),
        ),
        (
            "a zero byte in a name",
            "the name ends there for one of them",
            request(path, "beta-key", "browse-session: vault\0work\r\n", "{}"),
            ExpectedAnswer::Status(400),
        ),
        (
            "a header that goes on in the next line",
            "each reader takes another value",
            request(path, "beta-key", "browse-session: work\r\n vault\r\n", "{}"),
            ExpectedAnswer::Status(400),
        ),
        (
            "a blank before the colon",
            "one of them drops the header",
            request(path, "beta-key", "browse-session : vault\r\n", "{}"),
            ExpectedAnswer::Status(400),
        ),
        (
            "another protocol",
            "a proxy lets through what comes after the upgrade to HTTP/2",
            request(
                path,
                "beta-key",
                "browse-session: work\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\
                 connection: upgrade, http2-settings\r\n",
                "{}",
            ),
            tenants.own(),
        ),
        (
            "a tunnel",
            "the gateway connects to a pod",
            format!(
                "CONNECT {pod} HTTP/1.1\r\nhost: {pod}\r\nauthorization: Bearer beta-key\r\n\
                 {CLOSE}\r\n"
            ),
            ExpectedAnswer::Refused(501, "METHOD_UNKNOWN"),
        ),
    ];
    let owner = request(path, "acme-key", "browse-session: work\r\n", "{}");
    let attempts = rows.into_iter().map(|(name, how, bytes, expected)| Attempt {
        name,
        how,
        attack: AttemptRequest::bytes(address, bytes),
        control: AttemptRequest::bytes(address, owner.clone()),
        proof: tenants.proof(),
        expected,
    });
    attempts.collect()
}

/// A request that ends its connection; without a token if that is empty.
fn request(path: &str, token: &str, headers: &str, body: &str) -> String {
    let token = match token {
        "" => String::new(),
        token => format!("authorization: Bearer {token}\r\n"),
    };
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: browse.example.com\r\ncontent-type: application/json\r\n\
         {token}{headers}content-length: {length}\r\n{CLOSE}\r\n{body}"
    )
}

/// A request of `beta` up to its body, on a connection that stays.
fn head(path: &str, headers: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: browse.example.com\r\ncontent-type: application/json\r\n\
         authorization: Bearer beta-key\r\n{headers}\r\n"
    )
}
