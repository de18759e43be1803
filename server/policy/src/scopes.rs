//! A set of scopes.

use browse_proto::Scope;

/// The scopes that a capability holds. The empty set, which is the default,
/// allows nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// Every scope that can be granted.
    pub const ALL: Self = Self::of(&Scope::GRANTABLE);

    /// The set of these scopes. `Public` is not a grant and is left out.
    pub const fn of(scopes: &[Scope]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < scopes.len() {
            bits |= Self::bit(scopes[index]);
            index += 1;
        }
        Self(bits)
    }

    const fn bit(scope: Scope) -> u8 {
        match scope {
            Scope::Read => 1,
            Scope::Write => 2,
            Scope::Admin => 4,
            Scope::Meta => 8,
            Scope::Control => 16,
            Scope::Public | Scope::Any => 0,
        }
    }

    /// Whether a command of this scope is allowed. `Any` is not weighed here: it
    /// asks who calls, not what he holds.
    pub const fn allows(self, scope: Scope) -> bool {
        matches!(scope, Scope::Public) || self.0 & Self::bit(scope) != 0
    }

    /// Reads words of scopes, in lists with commas between.
    ///
    /// # Errors
    /// What is wrong, in words: one of them is not a scope.
    pub fn parse(lists: &[String]) -> Result<Self, String> {
        let words = lists.iter().flat_map(|list| list.split(',')).map(str::trim);
        let scope = |word: &str| {
            let found = Scope::GRANTABLE.into_iter().find(|scope| scope.name() == word);
            found.ok_or_else(|| {
                let quoted = browse_base::quote(word);
                format!("`{quoted}` is not a scope: give read, write, meta, admin or control")
            })
        };
        Ok(Self::of(&words.map(scope).collect::<Result<Vec<_>, _>>()?))
    }

    /// The scopes of this set that `other` lacks.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The words of the scopes, as in tokens.
    pub fn names(self) -> Vec<&'static str> {
        let held = Scope::GRANTABLE.into_iter().filter(|scope| self.allows(*scope));
        held.map(Scope::name).collect()
    }
}

#[cfg(test)]
mod tests {
    use browse_proto::Scope;

    use super::Scopes;

    #[test]
    fn a_scope_grants_itself_only() {
        for held in Scope::GRANTABLE {
            for wanted in Scope::GRANTABLE {
                assert_eq!(Scopes::of(&[held]).allows(wanted), held == wanted);
            }
        }
    }

    #[test]
    fn scopes_are_read_from_lists() {
        let parse = |words: &[&str]| {
            Scopes::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            parse(&["read, write", "meta"]).map(Scopes::names),
            Ok(vec!["read", "write", "meta"])
        );
        assert!(parse(&["read,nope"]).expect_err("not one").contains("`nope`"));
    }

    #[test]
    fn nothing_grants_nothing() {
        assert!(Scope::GRANTABLE.iter().all(|scope| !Scopes::default().allows(*scope)));
        assert!(Scopes::of(&[Scope::Public]).names().is_empty());
    }
}
