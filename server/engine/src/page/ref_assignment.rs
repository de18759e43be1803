//! Giving out refs: the script names new elements by index, the daemon by number.

use std::sync::Arc;

use super::engine::Engine;
use super::ref_table::ElementLabel;
use super::refusal::{self, ScriptRefusal};
use super::script_call;
use crate::error::{Error, RefusalKind};
use crate::target::target::Target;
use browse_chromium::World;

/// Candidates that an error tells apart.
const MAX_LISTED_CANDIDATES: usize = 5;

impl Engine {
    /// Gives the new elements of a call their numbers and tells the script,
    /// without waiting for it: later calls to the frame come after this one.
    pub(crate) fn assign_refs(&self, world: &World, serial: u64, labels: Vec<ElementLabel>) -> u32 {
        let count = labels.len();
        let base = self.allocate_refs(count);
        if count == 0 {
            return base;
        }
        self.state().ref_table.lock().insert(base, Engine::document_of(world), labels);
        script_call::notify(world, &format!("browseEngine.commit({serial},{base})"));
        base
    }

    /// The error for a target with several matches, the first of them with refs.
    pub(crate) fn ambiguous_target_error(
        &self,
        target: &Target,
        world: &World,
        text: &str,
    ) -> Error {
        let refusal: ScriptRefusal = match serde_json::from_str(text) {
            Ok(refusal) => refusal,
            Err(error) => return Error::internal(error),
        };
        let mut labels: Vec<ElementLabel> =
            vec![(Arc::from(""), Box::default()); refusal.fresh as usize];
        for (local, role, name, _) in &refusal.matches {
            let index = usize::try_from(-local - 1).ok().filter(|index| *index < labels.len());
            if let Some(index) = index {
                labels[index] = (role.as_str().into(), name.as_str().into());
            }
        }
        let base = self.assign_refs(world, refusal.serial, labels);
        let shown = refusal.visible.filter(|visible| *visible != refusal.count);
        let visible =
            shown.map_or_else(String::new, |visible| format!(", {visible} of them visible"));
        let quoted: Vec<_> = refusal::match_candidates(&refusal, |local| ref_number(local, base))
            .take(MAX_LISTED_CANDIDATES)
            .collect();
        let candidates =
            refusal.visible.filter(|visible| *visible > 0).unwrap_or(refusal.count) as usize;
        let more = match candidates.saturating_sub(quoted.len()) {
            0 => String::new(),
            more => format!("; {more} more than these"),
        };
        let refs: Vec<_> = quoted.iter().map(|(reference, _)| reference.as_str()).collect();
        let refs = if refs.is_empty() { String::new() } else { format!(": {}", refs.join(", ")) };
        let message = format!("`{target}` matches {} elements{visible}{refs}{more}", refusal.count);
        let error = Error::refused(RefusalKind::Ambiguous, message);
        let error =
            quoted.into_iter().fold(error, |error, (at, text)| error.with_page_text(at, text));
        error.with("count", refusal.count).with("selector", target)
    }
}

/// From the script's way of counting to a number of the tab.
pub(crate) fn ref_number(local: i64, base: u32) -> u32 {
    let known = if local > 0 { local } else { i64::from(base) - local - 1 };
    u32::try_from(known).unwrap_or_default()
}
