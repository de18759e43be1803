//! `script.ts`, translated by the daemon, on bun, deno or node.

use super::{
    RuntimeCommand, Setup,
    js_engine::{JsEngine, ScriptPermissions},
};
use crate::error::Result;
use crate::skills::typescript::{run_blocking, translate};

pub async fn prepare(setup: &Setup<'_>) -> Result<RuntimeCommand> {
    let engine = JsEngine::find(setup.programs).await?;
    let (skill, hash, cache) = (setup.skill.clone(), setup.hash.to_owned(), setup.cache.to_owned());
    let script = run_blocking(move || translate(&skill, &hash, &cache)).await?;
    let folder = script.parent().unwrap_or(&script).to_owned();
    let rights = ScriptPermissions {
        trusted: setup.trusted,
        address: Some(setup.address),
        readable: &[&setup.skill.folder, &folder],
        cache: setup.cache,
    };
    let mut program = engine.run(script, &rights);
    program.readable.push(folder);
    Ok(program)
}
