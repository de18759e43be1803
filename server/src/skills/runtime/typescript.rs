//! `script.ts`, translated by the daemon, on bun, deno or node.

use super::{
    RuntimeCommand, Setup,
    js_engine::{JsEngine, ScriptPermissions},
};
use crate::error::Result;
use crate::skills::typescript::translate;

pub async fn prepare(setup: &Setup<'_>) -> Result<RuntimeCommand> {
    let engine = JsEngine::find(setup.programs).await?;
    let script = translate(setup.skill, setup.hash, setup.cache)?;
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
