//! Structured data, as text and as data.

use browse_proto::v1;

use crate::dispatch::CallContext;
use browse_base::Result;
use browse_engine::{MetadataEntry, StructuredData};

/// Answers what the page says about itself to machines.
pub async fn data(cx: &CallContext, request: v1::DataRequest) -> Result<v1::DataResponse> {
    let mut found = cx.engine().structured_data().await?;
    let v1::DataRequest { jsonld, og, meta, twitter, structured } = request;
    if jsonld || og || meta || twitter {
        retain_requested(&mut found, jsonld, og, meta, twitter);
    }
    if found == StructuredData::default() {
        cx.add_notice("the page has no such data");
    }
    if !structured {
        return Ok(v1::DataResponse { text: Some(text(&found)), ..Default::default() });
    }
    let tags = |tags: Vec<MetadataEntry>| {
        tags.into_iter().map(|(name, content)| v1::MetaTag { name, content }).collect()
    };
    Ok(v1::DataResponse {
        text: None,
        jsonld: found.jsonld,
        og: tags(found.og),
        twitter: tags(found.twitter),
        meta: tags(found.meta),
        problems: found.problems,
    })
}

/// Keeps what was asked for.
fn retain_requested(data: &mut StructuredData, jsonld: bool, og: bool, meta: bool, twitter: bool) {
    if !jsonld {
        data.jsonld.clear();
        data.problems.clear();
    }
    for (asked, tags) in [(og, &mut data.og), (meta, &mut data.meta), (twitter, &mut data.twitter)]
    {
        if !asked {
            tags.clear();
        }
    }
}

fn text(data: &StructuredData) -> String {
    let tags = [&data.meta, &data.og, &data.twitter].into_iter().flatten();
    let tags = tags.map(|(name, content)| format!("{name}: {content}"));
    let documents = data.jsonld.iter().map(|document| format!("jsonld: {document}"));
    let problems = data.problems.iter().map(|problem| format!("problem: {problem}"));
    tags.chain(documents).chain(problems).collect::<Vec<_>>().join("\n")
}
