//! A message of any kind in a message: the request of a step, its response.

use super::json::Json;
use super::message::{JsonForm, Message, from_json, to_json};

/// What comes before the name of a message in `google.protobuf.Any`.
const ANY_PREFIX: &str = "type.googleapis.com/browse.v1.";

/// A message of any kind, packed with its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Any {
    /// Name of the message, without the package.
    pub name: String,
    /// Its fields, as they travel.
    fields: Json,
}

impl Any {
    /// Packs a message, such as the request of a step.
    pub fn of<M: Message>(message: &M) -> Self {
        Self { name: M::NAME.to_owned(), fields: to_json(message, JsonForm::Wire) }
    }

    /// The message, when it is of this kind.
    pub fn to<M: Message>(&self) -> Option<M> {
        let is_kind = self.name == M::NAME;
        is_kind.then(|| from_json(&self.fields, JsonForm::Wire).ok()).flatten()
    }

    /// As an object; callers see the fields that `unpack` finds in it.
    pub(crate) fn to_object(
        &self,
        form: JsonForm,
        unpack: impl FnOnce(&Self) -> Option<Json>,
    ) -> Json {
        let (name, fields) = match form {
            JsonForm::Wire => (format!("{ANY_PREFIX}{}", self.name), Some(self.fields.clone())),
            JsonForm::Plain => (self.name.clone(), unpack(self)),
        };
        let mut members = vec![("@type".to_owned(), Json::from(name))];
        if let Some(Json::Object(fields)) = fields {
            members.extend(fields);
        }
        Json::Object(members)
    }

    /// Takes in an object; what callers write is packed by `pack`, by its name.
    pub(crate) fn set_object(
        &mut self,
        value: &Json,
        form: JsonForm,
        pack: impl FnOnce(&str, &Json) -> Result<Self, String>,
    ) -> Result<(), String> {
        let name = value["@type"].as_str().ok_or("an object with `@type`")?;
        if form == JsonForm::Plain {
            *self = pack(name, value)?;
            return Ok(());
        }
        self.name = name.strip_prefix(ANY_PREFIX).unwrap_or(name).to_owned();
        if let Json::Object(members) = value {
            let fields = members.iter().filter(|(name, _)| name != "@type");
            self.fields = Json::Object(fields.cloned().collect());
        }
        Ok(())
    }
}
