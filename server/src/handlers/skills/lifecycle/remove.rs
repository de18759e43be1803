//! Takes a skill away.

use std::ffi::OsStr;
use std::io;
use std::time::SystemTime;

use browse_proto::v1;

use super::{errors, staging};
use crate::dispatch::CallContext;
use crate::skills::{
    Catalog,
    drafts::unwritable_error,
    store::{OpenFolder, TOMBSTONES},
    tier::Tier,
};
use browse_base::Result;

/// Moves a skill to `.tombstones`, and forgets that it was trusted.
pub async fn remove_skill(
    cx: &CallContext,
    request: v1::RemoveSkillRequest,
) -> Result<v1::RemoveSkillResponse> {
    let skills = cx.daemon().skills();
    let skill = skills.catalog().find(&request.name, Tier::from_request(request.source))?;
    if skill.tier == Tier::Bundled {
        return Err(errors::read_only(&skill));
    }
    let tier = staging::open_tier(skill.tier, skills.tier_folder(skill.tier))?;
    let tier = staging::lock_tier(tier.path())?;
    // Somebody else may have removed it while this call waited.
    if !tier.has(OsStr::new(&skill.name)) {
        return Err(Catalog::missing(&skill.name, Some(skill.tier)));
    }
    let is_new = !tier.has(OsStr::new(TOMBSTONES));
    let tombstones = staging::open_child(&tier, OsStr::new(TOMBSTONES), 0o700)?;
    skills.trust().remove(&skill)?;
    let tombstone = move_to_trash(&tier, &skill.name, &tombstones, is_new)
        .map_err(|error| unwritable_error(tier.path(), &error))?;
    let path = tier.path().join(TOMBSTONES).join(tombstone);
    Ok(v1::RemoveSkillResponse {
        name: skill.name.clone(),
        tier: skill.tier.to_proto().into(),
        path: path.display().to_string(),
    })
}

/// Moves `name`, and answers what it is called now.
fn move_to_trash(
    tier: &OpenFolder,
    name: &str,
    tombstones: &OpenFolder,
    is_new: bool,
) -> io::Result<String> {
    if is_new {
        // A team that commits its skills does not want these.
        tombstones.write(OsStr::new(".gitignore"), b"*\n", false)?;
    }
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let stem = format!("{name}-{}", now.replace([':', '-'], ""));
    let free = |tombstone: &String| !tombstones.has(OsStr::new(tombstone));
    let numbered = (1..).map(|number| match number {
        1 => stem.clone(),
        number => format!("{stem}-{number}"),
    });
    let tombstone = numbered.into_iter().find(free).unwrap_or(stem);
    tier.move_to(OsStr::new(name), tombstones, OsStr::new(&tombstone))?;
    tombstones.sync()?;
    tier.sync()?;
    Ok(tombstone)
}
