//! What a recorder finds out before a call acts: where the tab is, and lasting names for the
//! elements of the call.

use std::time::Duration;

use browse_proto::{Command, StepRole};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout_at};

use super::{CallRecorder, TYPED_BY_KEYS, page_location};
use crate::{
    dispatch::{CallContext, downloads::download_of_last_action},
    skills::{
        program::SecretRef,
        record::{LateFile, TextField, is_secret_free, secret_kind},
    },
};
use browse_engine::{ElementLocator, Target};
use browse_net::without_query;

/// Time that finding a name for an element may take.
const LOCATOR_TIMEOUT: Duration = Duration::from_secs(2);

impl CallRecorder {
    /// Finds lasting names for the elements of the call, and looks at the page, before it acts.
    pub async fn resolve_targets(&mut self, cx: &CallContext) {
        self.note_page_before(cx);
        self.name_targets(cx).await;
        if let Some(trace) = &mut self.trace {
            // Before it is typed: another call may look at the page meanwhile.
            if let Some(text) = self.typed_text.as_deref().filter(|_| self.step.secret.is_some()) {
                trace.add_secret(text);
            }
            trace.look_before(cx).await;
        }
    }

    /// Notes where the tab is, and which question is open there.
    fn note_page_before(&mut self, cx: &CallContext) {
        let Some(tab) = cx.tab_if_any() else { return };
        (self.step.tab, self.step.before) = (tab.id(), page_location(cx));
        self.attach_late_file(cx);
        self.question = tab.page().open_dialog();
        self.dialogs = tab.dialogs().last_number();
        self.redact_secret_answer();
    }

    /// A file that came after the answer of a click is of the click all the same.
    fn attach_late_file(&mut self, cx: &CallContext) {
        let Some(file) = download_of_last_action(cx) else { return };
        let answer = json!({
            "path": file.name, "url": without_query(&file.url), "mime": file.mime,
            "bytes": file.received,
        });
        let file = LateFile { tab: file.tab, answer };
        if let Some(number) = self.number {
            let recordings = cx.daemon().skills().recordings();
            recordings.update(&self.session, cx.client(), |recording| {
                recording.attach_file(number, &file);
            });
        }
        self.late_file = Some(file);
    }

    /// Finds lasting names for the elements of the call.
    pub(super) async fn name_targets(&mut self, cx: &CallContext) {
        if cx.tab_if_any().is_none() || self.step.role() == StepRole::Denied {
            return;
        }
        // The call itself fails in a frame that has gone.
        if cx.engine().has_lost_selected_frame() {
            return;
        }
        let limit = (Instant::now() + LOCATOR_TIMEOUT).min(cx.deadline());
        let typing = matches!(self.step.command.name, "type" | "press");
        for (name, place) in target_fields(self.step.command, &self.step.fields) {
            let Ok(target) = place.parse::<Target>() else { continue };
            let reading = self.step.role() == StepRole::Read || self.step.command.name == "expect";
            let locator =
                timeout_at(limit, cx.engine().element_locator(Some(&target), reading)).await;
            // A target that is not there fails the call, or is waited for.
            let Ok(Ok(locator)) = locator else { continue };
            self.replace_ref(&name, &place, &target, &locator);
            if matches!(name.as_str(), "target" | "source") {
                self.set_element(locator);
            } else {
                self.step.frame = locator.frame;
            }
        }
        if typing {
            let locator = timeout_at(limit, cx.engine().element_locator(None, false)).await;
            if let Ok(Ok(locator)) = locator {
                self.set_element(locator);
            }
        }
    }

    /// A secret that a prompt is answered with is not kept.
    fn redact_secret_answer(&mut self) {
        let text = self.step.fields.get("text").and_then(Value::as_str);
        let Some(text) = text.filter(|_| self.step.command.name == "dialog-accept") else { return };
        let asks = self.question.as_ref().is_some_and(|question| {
            question.message.split_whitespace().any(browse_secrets::is_secret_name)
        });
        if asks || browse_secrets::redact(text) != text {
            self.step.secret = Some(SecretRef { index: 0, kind: "secret" });
            self.typed_text = Some(text.to_owned());
            self.step.fields.insert("text".to_owned(), Value::Null);
        }
    }

    /// Puts a selector in the place of a ref.
    fn replace_ref(&mut self, field: &str, given: &str, target: &Target, locator: &ElementLocator) {
        if target.ref_number().is_none() {
            return;
        }
        let named = locator.targets().map(|target| target.to_string());
        let Some(named) = named.into_iter().find(|text| is_secret_free(text)) else {
            let message = format!("nothing names the {} that it was about", locator.tag);
            self.step.unrepeatable_reason = Some(message);
            return;
        };
        match self.step.fields.get_mut(field) {
            Some(Value::Array(items)) => {
                for item in items.iter_mut().filter(|item| *item == given) {
                    *item = Value::from(named.as_str());
                }
            }
            Some(value) => *value = Value::from(named),
            None => {}
        }
    }

    /// Remembers what the element is, and whether what is typed is a secret.
    fn set_element(&mut self, locator: ElementLocator) {
        let text = self.step.fields.get("text").and_then(Value::as_str);
        if matches!(self.step.command.name, "fill" | "type")
            && let Some(text) = text
            && let Some(kind) = secret_kind(&locator, text)
        {
            self.step.secret = Some(SecretRef { index: 0, kind });
            self.typed_text = Some(text.to_owned());
            self.step.fields.insert("text".to_owned(), Value::Null);
        }
        let key = self.step.fields.get("key").and_then(Value::as_str).unwrap_or_default();
        if locator.secret && key.chars().count() == 1 {
            self.step.fields.insert("key".to_owned(), Value::Null);
            self.step.unrepeatable_reason = Some(TYPED_BY_KEYS.to_owned());
        }
        let is_secret = self.step.secret.is_some();
        let named =
            locator.targets().map(|target| target.to_string()).find(|text| is_secret_free(text));
        let before = locator.value.filter(|_| !is_secret);
        self.step.field = locator.identity.map(|identity| TextField {
            identity,
            path: locator.path,
            takes_text: locator.text,
            target: named,
            before,
            after: None,
            is_as_typed: false,
        });
        self.step.label = Some(locator.label).filter(|label| !label.is_empty());
        self.step.element = Some([locator.tag, locator.role, locator.kind]);
        self.step.link_url = locator.leads;
        self.step.frame = locator.frame;
    }
}

/// The texts of a request that name elements, with their fields.
fn target_fields(command: &Command, fields: &Map<String, Value>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for field in command.request.fields.iter().filter(|field| field.target) {
        let Some(value) = fields.get(field.name) else { continue };
        let texts: Vec<_> = match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            value => value.as_str().into_iter().collect(),
        };
        let targets =
            texts.into_iter().filter(|text| !text.is_empty() && text.parse::<f64>().is_err());
        found.extend(targets.map(|text| (field.name.to_owned(), text.to_owned())));
    }
    found
}
