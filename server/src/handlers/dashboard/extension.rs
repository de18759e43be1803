//! The dashboard as an extension of the browser that the person uses.

use browse_base::Result;
use browse_proto::v1;

use crate::{
    dashboard::{ExtensionAsset, ExtensionKind, extension_files, extension_id},
    dispatch::CallContext,
};

/// What the person does with the files.
const INSTRUCTIONS: &str = "Open chrome://extensions, switch \"Developer mode\" on, choose \"Load \
     unpacked\" and this folder. Open the side panel of \"browse\", and paste the link that \
     `browse dashboard --no-open` prints. Keep the folder: the browser reads it at each start.";

/// Returns the files of the extension.
pub async fn save_extension(
    _: &CallContext,
    _: v1::SaveExtensionRequest,
) -> Result<v1::SaveExtensionResponse> {
    let file =
        |ExtensionAsset { name, content }| v1::ExtensionFile { name: name.to_owned(), content };
    let files = extension_files(ExtensionKind::Link)?.into_iter().map(file).collect();
    Ok(v1::SaveExtensionResponse {
        files,
        id: extension_id().to_owned(),
        instructions: INSTRUCTIONS.to_owned(),
    })
}
