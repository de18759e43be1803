//! Filters of targets, as `Target.setAutoAttach` and `setDiscoverTargets` take them.

use serde_json::Value;

use crate::devtools::message::{DevToolsError, INVALID_PARAMS};

/// Entries of a filter.
const MAX_ENTRIES: usize = 100;

/// Which types of targets are meant: the first entry that fits counts.
#[derive(Clone, Debug)]
pub(super) struct TargetFilter(Vec<FilterEntry>);

#[derive(Clone, Debug)]
struct FilterEntry {
    /// None fits all.
    kind: Option<String>,
    exclude: bool,
}

impl Default for TargetFilter {
    /// Everything but the browser itself and tabs, whose pages are targets as well.
    fn default() -> Self {
        let except = |kind: &str| FilterEntry { kind: Some(kind.to_owned()), exclude: true };
        Self(vec![except("browser"), except("tab"), FilterEntry { kind: None, exclude: false }])
    }
}

impl TargetFilter {
    /// Reads the parameter `filter`.
    pub(super) fn read(filter: Option<&Value>) -> Result<Self, DevToolsError> {
        let wrong =
            || DevToolsError::new(INVALID_PARAMS, "`filter` is not a list of types of targets");
        let entries = match filter {
            None | Some(Value::Null) => return Ok(Self::default()),
            Some(Value::Array(entries)) if entries.len() <= MAX_ENTRIES => entries,
            Some(_) => return Err(wrong()),
        };
        let entry = |entry: &Value| {
            let fields = entry.as_object().ok_or_else(wrong)?;
            let kind = fields.get("type").and_then(Value::as_str).map(str::to_owned);
            let exclude = fields.get("exclude").and_then(Value::as_bool).unwrap_or_default();
            Ok(FilterEntry { kind, exclude })
        };
        Ok(Self(entries.iter().map(entry).collect::<Result<_, _>>()?))
    }

    /// Whether targets of this type are meant.
    pub(super) fn allows(&self, kind: &str) -> bool {
        let fits = |entry: &&FilterEntry| entry.kind.as_deref().is_none_or(|own| own == kind);
        self.0.iter().find(fits).is_some_and(|entry| !entry.exclude)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::TargetFilter;

    #[test]
    fn the_first_entry_that_fits_counts() {
        let usual = TargetFilter::read(None).expect("a filter");
        assert!(usual.allows("page") && !usual.allows("tab") && !usual.allows("browser"));
        let filter = json!([{ "type": "page", "exclude": true }, {}]);
        let puppeteer = TargetFilter::read(Some(&filter)).expect("a filter");
        assert!(!puppeteer.allows("page") && puppeteer.allows("tab"));
        let none = TargetFilter::read(Some(&json!([]))).expect("a filter");
        assert!(!none.allows("page"));
        assert!(TargetFilter::read(Some(&json!("page"))).is_err());
        assert!(TargetFilter::read(Some(&json!([1]))).is_err());
    }
}
