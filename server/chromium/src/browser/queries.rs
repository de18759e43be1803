//! Questions to the browser itself: the titles of all tabs, and raw protocol calls.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use super::browser::Browser;
use crate::connection::call::CdpCall;
use crate::connection::params::NoParams;
use crate::error::Result;
use crate::ids::TargetId;
use crate::page::title::TitledTarget;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TitledTargetsResult {
    target_infos: Vec<TitledTarget>,
}

impl Browser {
    /// The titles of all tabs, in one call.
    pub async fn titles(&self) -> Result<HashMap<TargetId, String>> {
        let targets: CdpCall<TitledTargetsResult> =
            self.connection().call_method(None, "Target.getTargets", &NoParams);
        let infos = targets.await?.target_infos.into_iter();
        Ok(infos.map(|info| (info.target_id.clone(), info.title())).collect())
    }

    /// Calls any method of the protocol on the browser itself.
    pub async fn call_raw(&self, method: &str, params: &Value) -> Result<Value> {
        let call: CdpCall<Value> = self.connection().call_method(None, method.to_owned(), params);
        call.await
    }
}
