//! What the relays of this machine to other daemons and to fleets share: a connection of HTTP/2,
//! answers in JSON, and which headers pass.

mod http2_connection;
mod json_answer;
mod selected_headers;

pub use http2_connection::{ConnectFailure, Http2Connection};
pub use json_answer::{AnswerFailure, read_json_answer};
pub use selected_headers::selected;
