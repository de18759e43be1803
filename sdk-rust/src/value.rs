//! Fields of messages: how each type is written as JSON, and read from it.

use std::collections::BTreeMap;

use super::base64;
use super::json::Json;
use super::message::{JsonForm, Value};

fn wanted<T>(value: Option<T>, what: &str) -> Result<T, String> {
    value.ok_or_else(|| what.to_owned())
}

/// A number; those of 64 bits travel as text.
fn whole_number<T: TryFrom<i64> + std::str::FromStr>(value: &Json) -> Option<T> {
    match value {
        Json::Text(text) => text.parse().ok(),
        value => value.as_i64()?.try_into().ok(),
    }
}

macro_rules! browse_values {
    ($($type:ty, $what:literal, |$json:ident| $of:expr;)*) => { $(
        impl Value for $type {
            fn json(&self, _form: JsonForm) -> Option<Json> {
                Some(self.clone().into())
            }
            fn set(&mut self, $json: &Json, _form: JsonForm) -> Result<(), String> {
                *self = wanted($of, $what)?;
                Ok(())
            }
        }
    )* };
}

browse_values! {
    bool, "true or false", |json| json.as_bool();
    u32, "a whole number", |json| whole_number(json);
    u64, "a whole number", |json| whole_number(json);
    i32, "a whole number", |json| whole_number(json);
    f64, "a number", |json| json.as_f64().or_else(|| json.as_str()?.parse().ok());
    String, "text", |json| json.as_str().map(str::to_owned);
}

/// A JSON value travels as text.
impl Value for Json {
    fn json(&self, form: JsonForm) -> Option<Json> {
        match (form, self) {
            (JsonForm::Plain, value) => Some(value.clone()),
            (JsonForm::Wire, Json::Null) => None,
            (JsonForm::Wire, value) => Some(value.to_string().into()),
        }
    }
    fn set(&mut self, value: &Json, form: JsonForm) -> Result<(), String> {
        *self = match (form, value) {
            (JsonForm::Wire, Json::Text(text)) => Json::parse(text).unwrap_or_default(),
            (_, value) => value.clone(),
        };
        Ok(())
    }
}

/// Bytes; a list of small numbers for callers.
impl Value for Vec<u8> {
    fn json(&self, form: JsonForm) -> Option<Json> {
        Some(match form {
            JsonForm::Plain => Json::list(self.iter().map(|byte| u32::from(*byte))),
            JsonForm::Wire => base64::encode(self).into(),
        })
    }
    fn set(&mut self, value: &Json, _form: JsonForm) -> Result<(), String> {
        let byte = |item: &Json| u8::try_from(item.as_i64()?).ok();
        let bytes = match value {
            Json::Text(text) => base64::decode(text),
            value => value.items().iter().map(byte).collect(),
        };
        *self = wanted(bytes, "a list of bytes")?;
        Ok(())
    }
}

impl<T: Value + Default> Value for Option<T> {
    fn json(&self, form: JsonForm) -> Option<Json> {
        self.as_ref().and_then(|value| value.json(form))
    }
    fn set(&mut self, value: &Json, form: JsonForm) -> Result<(), String> {
        *self = None;
        if *value == Json::Null {
            return Ok(());
        }
        self.get_or_insert_with(T::default).set(value, form)
    }
}

impl<T: Value + Default> Value for Vec<T> {
    fn json(&self, form: JsonForm) -> Option<Json> {
        Some(Json::List(self.iter().filter_map(|item| item.json(form)).collect()))
    }
    fn set(&mut self, value: &Json, form: JsonForm) -> Result<(), String> {
        let Json::List(items) = value else {
            return Err("a list".to_owned());
        };
        self.clear();
        for value in items {
            let mut item = T::default();
            item.set(value, form)?;
            self.push(item);
        }
        Ok(())
    }
}

impl Value for BTreeMap<String, String> {
    fn json(&self, _form: JsonForm) -> Option<Json> {
        Some(Json::object(self.iter().map(|(key, value)| (key.clone(), Json::from(value)))))
    }
    fn set(&mut self, value: &Json, _form: JsonForm) -> Result<(), String> {
        let Json::Object(members) = value else {
            return Err("an object".to_owned());
        };
        for (key, value) in members {
            self.insert(key.clone(), wanted(value.as_str(), "texts")?.to_owned());
        }
        Ok(())
    }
}
