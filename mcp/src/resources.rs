//! The resources: the guides, and what a session shows without acting.

use std::borrow::Cow;

use browse_cli::guide::{GuideTopic, TOPICS};
use percent_encoding::percent_decode_str;
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents},
};
use serde_json::{Map, Value, json};

use crate::reply::ToolReply;

/// What the address of a guide begins with.
const GUIDE: &str = "browse://guide/";

/// What the address of something of a session begins with, and how it names the session.
const SESSION: &str = "browse://session/";
const SESSION_QUERY: &str = "session=";

/// Something of a session, and the tool call that reads it.
struct SessionResource {
    name: &'static str,
    description: &'static str,
    mime: &'static str,
    tool: &'static str,
    arguments: fn() -> Value,
}

const SESSION_RESOURCES: [SessionResource; 4] = [
    SessionResource {
        name: "notes",
        description: "Notes and skills for the site of the active tab.",
        mime: "text/plain",
        tool: "run",
        arguments: || json!({"command": "context"}),
    },
    SessionResource {
        name: "console",
        description: "Console messages of the active tab.",
        mime: "text/plain",
        tool: "read",
        arguments: || json!({"what": "console"}),
    },
    SessionResource {
        name: "network",
        description: "Network requests of the active tab.",
        mime: "text/plain",
        tool: "read",
        arguments: || json!({"what": "network"}),
    },
    SessionResource {
        name: "screenshot",
        description: "A picture of the active tab as it is now.",
        mime: "image/jpeg",
        tool: "screenshot",
        arguments: || json!({}),
    },
];

/// The tool call that reads a resource of a session.
pub struct ResourceCall {
    /// Name of the tool.
    pub tool: &'static str,
    /// Its arguments, with the session when the address names one.
    pub arguments: Map<String, Value>,
}

/// Every resource.
pub fn all() -> Vec<Resource> {
    let guide = |topic: &GuideTopic| {
        let name = guide_name(topic);
        Resource::new(format!("{GUIDE}{name}"), name)
            .with_description(topic.description())
            .with_mime_type("text/markdown")
    };
    let of_session = SESSION_RESOURCES.iter().map(|resource| {
        Resource::new(format!("{SESSION}{}", resource.name), resource.name)
            .with_description(resource.description)
            .with_mime_type(resource.mime)
    });
    TOPICS.iter().map(guide).chain(of_session).collect()
}

/// The call that reads `uri`, where it is of a session: `browse://session/console`, with
/// `?session=<handle>` for another session than that of the server.
pub fn session_call(uri: &str) -> Option<ResourceCall> {
    let rest = uri.strip_prefix(SESSION)?;
    let (name, query) = rest.split_once('?').unwrap_or((rest, ""));
    let resource = SESSION_RESOURCES.iter().find(|resource| resource.name == name)?;
    let mut arguments = (resource.arguments)().as_object().cloned().unwrap_or_default();
    if let Some(handle) = query.strip_prefix(SESSION_QUERY) {
        let handle: Cow<'_, str> = percent_decode_str(handle).decode_utf8_lossy();
        arguments.insert("session".to_owned(), handle.into());
    }
    Some(ResourceCall { tool: resource.tool, arguments })
}

/// What `reply`, the reply to the call for `uri`, is as a resource.
///
/// # Errors
/// The call failed.
pub fn of_reply(uri: &str, reply: ToolReply) -> Result<ReadResourceResult, ErrorData> {
    let is_error = reply.is_error;
    let (text, images) = reply.into_parts();
    if is_error {
        return Err(ErrorData::invalid_request(text, None));
    }
    let mut contents = Vec::new();
    if !text.is_empty() || images.is_empty() {
        contents.push(ResourceContents::text(text, uri).with_mime_type("text/plain"));
    }
    let blob = |(data, mime)| ResourceContents::blob(data, uri).with_mime_type(mime);
    contents.extend(images.into_iter().map(blob));
    Ok(ReadResourceResult::new(contents))
}

/// The content of a guide.
///
/// # Errors
/// There is none at this address.
pub fn read(uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let name = uri.strip_prefix(GUIDE);
    let topic = name.and_then(|name| TOPICS.iter().find(|topic| guide_name(topic) == name));
    let topic = topic.ok_or_else(|| {
        ErrorData::resource_not_found(format!("there is no resource `{uri}`"), None)
    })?;
    let contents = ResourceContents::text(topic.text(), uri).with_mime_type("text/markdown");
    Ok(ReadResourceResult::new(vec![contents]))
}

fn guide_name(topic: &GuideTopic) -> &'static str {
    if topic.name.is_empty() { "overview" } else { topic.name }
}

#[cfg(test)]
mod tests {
    use super::session_call;

    #[test]
    fn an_address_names_what_is_read_and_in_which_session() {
        let call = session_call("browse://session/console").expect("a resource");
        assert_eq!((call.tool, call.arguments["what"].as_str()), ("read", Some("console")));
        assert!(!call.arguments.contains_key("session"));
        let call = session_call("browse://session/screenshot?session=ses_a%31").expect("one");
        assert_eq!(call.arguments["session"], "ses_a1");
        for uri in ["browse://session/", "browse://session/cookies", "browse://guide/", "x"] {
            assert!(session_call(uri).is_none(), "{uri}");
        }
    }
}
