//! Installs a classifier.

use browse_proto::v1;

use crate::dispatch::CallContext;
use browse_base::Result;
use browse_models::{DEFAULT_MODEL, InstalledModel, install};

/// Fetches a model, and says how to switch it on.
pub async fn security_install_model(
    cx: &CallContext,
    request: v1::SecurityInstallModelRequest,
) -> Result<v1::SecurityInstallModelResponse> {
    let settings = cx.daemon().settings();
    let name = request.name.unwrap_or_else(|| DEFAULT_MODEL.to_owned());
    let installed = install(&settings.home, settings.model.package_index.as_ref(), &name).await?;
    let InstalledModel { folder, files, fetched } = installed;
    let folder = folder.display().to_string();
    // A folder without a model is one of a runtime alone.
    let is_model = files.iter().any(|file| file.name.ends_with(".onnx"));
    let config = settings.home.join("config.toml");
    let setting = match is_model {
        true => format!("security_model_dir = {}", toml_string(&folder)),
        false => String::new(),
    };
    let mut lines: Vec<_> = fetched
        .iter()
        .map(|wheel| {
            format!("fetched {} ({}), its hash as pinned", wheel.name(), size(wheel.bytes as u64))
        })
        .collect();
    if fetched.is_empty() {
        lines.push("nothing was fetched: all of it is there, byte for byte".to_owned());
    }
    for file in &files {
        lines.push(format!("{folder}/{} ({})", file.name, size(file.bytes)));
    }
    let is_on = settings
        .model
        .onnx
        .as_ref()
        .is_some_and(|plan| plan.folder.display().to_string() == folder);
    lines.push(match (is_model, is_on) {
        (true, false) => format!(
            "to switch it on, put `{setting}` into {} above any [section], then run `browse restart`",
            config.display()
        ),
        (true, true) => "it is switched on; `browse restart` loads what is new".to_owned(),
        (false, _) => "models of your own find it there: set `security_model_dir` to the folder of one"
            .to_owned(),
    });
    Ok(v1::SecurityInstallModelResponse {
        summary: lines.join("\n"),
        name,
        folder,
        setting,
        fetched: fetched.iter().map(|wheel| wheel.name().to_owned()).collect(),
        files: files
            .into_iter()
            .map(|file| v1::SecurityModelFile {
                name: file.name,
                bytes: file.bytes,
                sha256: file.sha256,
            })
            .collect(),
    })
}

/// A string of TOML.
fn toml_string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn size(bytes: u64) -> String {
    match bytes {
        ..100_000 => format!("{bytes} bytes"),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
