//! Reads the custom options of `options.proto` from a descriptor.

use prost_reflect::{DescriptorPool, DynamicMessage, Value};

/// One set of options; missing fields read as their zero value.
pub struct OptionSet(Option<DynamicMessage>);

impl OptionSet {
    /// Reads the message extension `name` from `options`.
    pub fn message(pool: &DescriptorPool, options: &DynamicMessage, name: &str) -> Self {
        let extension = pool.get_extension_by_name(name);
        let value = extension
            .filter(|extension| options.has_extension(extension))
            .map(|extension| options.get_extension(&extension).into_owned());
        Self(value.and_then(|value| match value {
            Value::Message(message) => Some(message),
            _ => None,
        }))
    }

    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    pub fn string(&self, field: &str) -> String {
        self.get(field).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    }

    pub fn bool(&self, field: &str) -> bool {
        self.get(field).and_then(|value| value.as_bool()).unwrap_or_default()
    }

    pub fn number(&self, field: &str) -> u32 {
        let value = self.get(field);
        value.and_then(|v| v.as_u32().or(v.as_enum_number().map(|n| n as u32))).unwrap_or_default()
    }

    pub fn strings(&self, field: &str) -> Vec<String> {
        let list = self.get(field).and_then(|value| value.as_list().map(<[_]>::to_vec));
        list.unwrap_or_default().iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
    }

    fn get(&self, field: &str) -> Option<Value> {
        Some(self.0.as_ref()?.get_field_by_name(field)?.into_owned())
    }
}

/// Reads a scalar extension, such as `(page)` of a field.
pub fn scalar_extension(
    pool: &DescriptorPool,
    options: &DynamicMessage,
    name: &str,
) -> Option<Value> {
    let extension = pool.get_extension_by_name(name)?;
    options.has_extension(&extension).then(|| options.get_extension(&extension).into_owned())
}
