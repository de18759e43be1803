//! The resources: the guides.

use browse_cli::guide::{GuideTopic, TOPICS};
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceContents},
};

/// What the address of a guide begins with.
const GUIDE: &str = "browse://guide/";

/// Every resource.
pub fn all() -> Vec<Resource> {
    let resource = |topic: &GuideTopic| {
        let name = guide_name(topic);
        Resource::new(format!("{GUIDE}{name}"), name)
            .with_description(topic.description())
            .with_mime_type("text/markdown")
    };
    TOPICS.iter().map(resource).collect()
}

/// The content of a resource.
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
