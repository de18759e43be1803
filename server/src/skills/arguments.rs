//! Checks what a run is given against what the manifest lists.

use browse_proto::Reason;
use serde_json::{Map, Value};

use super::manifest::SkillManifest;
use browse_base::{Error, Result};

/// The arguments of a run, in the order of the manifest.
#[derive(Debug, PartialEq, Eq)]
pub struct SkillArguments {
    values: Vec<(String, String)>,
}

impl SkillArguments {
    /// Reads `name=value` words; defaults fill what is not given.
    ///
    /// # Errors
    /// `SKILL_ARGUMENT_INVALID`.
    pub fn parse(manifest: &SkillManifest, given: &[String]) -> Result<Self> {
        let wrong = |message: String, name: &str| {
            Err(Error::new(Reason::SkillArgumentInvalid, message)
                .with("skill", &manifest.name)
                .with("argument", name.escape_debug()))
        };
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for word in given {
            let Some((name, value)) = word.split_once('=') else {
                return wrong(
                    format!("`{}` is not of the form name=value", word.escape_debug()),
                    word,
                );
            };
            if !manifest.args.iter().any(|argument| argument.name == name) {
                let known: Vec<_> =
                    manifest.args.iter().map(|argument| format!("`{}`", argument.name)).collect();
                let known = if known.is_empty() {
                    "it takes none".to_owned()
                } else {
                    format!("it takes {}", known.join(", "))
                };
                return wrong(
                    format!(
                        "`{}` has no argument `{}`: {known}",
                        manifest.name,
                        name.escape_debug()
                    ),
                    name,
                );
            }
            if pairs.iter().any(|(other, _)| *other == name) {
                return wrong(format!("the argument `{name}` is given twice"), name);
            }
            if value.contains('\0') {
                return wrong(format!("the argument `{name}` holds a zero byte"), name);
            }
            pairs.push((name, value));
        }
        let mut values = Vec::new();
        for argument in &manifest.args {
            let given = pairs.iter().find(|(name, _)| *name == argument.name);
            match given.map(|(_, value)| (*value).to_owned()).or_else(|| argument.default.clone()) {
                Some(value) => values.push((argument.name.clone(), value)),
                None if argument.required => {
                    return wrong(
                        format!("`{}` needs the argument `{}`", manifest.name, argument.name),
                        &argument.name,
                    );
                }
                None => {}
            }
        }
        Ok(Self { values })
    }

    /// As one JSON object.
    pub fn json(&self) -> String {
        let pairs =
            self.values.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str())));
        Value::Object(Map::from_iter(pairs)).to_string()
    }

    /// As words of a command line: `--name=value`.
    pub fn to_command_line(&self) -> Vec<String> {
        self.values.iter().map(|(name, value)| format!("--{name}={value}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{SkillArguments, SkillManifest};

    fn check(given: &[&str]) -> Result<SkillArguments, String> {
        let yaml = "name: a\ndescription: d\nhost: a.example\nargs: [{name: q, required: true}, {name: n, default: 3}, {name: x}]";
        let manifest = SkillManifest::read(yaml, "a").expect("a manifest");
        let given: Vec<_> = given.iter().map(|word| (*word).to_owned()).collect();
        SkillArguments::parse(&manifest, &given).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_fill_and_the_manifest_orders() {
        let arguments = check(&["q=a=b \"c\""]).expect("they fit");
        assert_eq!(arguments.to_command_line(), ["--q=a=b \"c\"", "--n=3"]);
        assert_eq!(arguments.json(), r#"{"q":"a=b \"c\"","n":"3"}"#);
        assert_eq!(
            check(&["x=", "n=5", "q=1"]).expect("they fit").to_command_line(),
            ["--q=1", "--n=5", "--x="]
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        assert_eq!(check(&[]), Err("`a` needs the argument `q`".to_owned()));
        assert_eq!(check(&["q"]), Err("`q` is not of the form name=value".to_owned()));
        assert_eq!(check(&["q=1", "q=2"]), Err("the argument `q` is given twice".to_owned()));
        assert_eq!(
            check(&["y=1"]),
            Err("`a` has no argument `y`: it takes `q`, `n`, `x`".to_owned())
        );
        assert!(check(&["q=a\0"]).is_err());
    }
}
