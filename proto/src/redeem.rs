//! The words of a redemption with a session key, which both ends hash. No
//! secret is in them but where it says so, and no line can hold two.

/// What a key begins with that is named by its hash.
pub const SEALED_PREFIX: &str = "sealed-";

/// What the caller proves that it holds the block with.
pub fn request_mac_text(challenge: &str, id: &str) -> String {
    format!("browse-redeem-request-v1\n{challenge}\n{id}")
}

/// What the key that seals the token is made from.
pub fn seal_key_text(challenge: &str) -> String {
    format!("browse-redeem-seal-v1\n{challenge}")
}

/// What an answer says, beside its token.
#[derive(Clone, Copy, Debug)]
pub struct RedeemAnswer<'a> {
    /// The challenge of the request.
    pub challenge: &'a str,
    /// Name of the pairing.
    pub name: &'a str,
    /// Scopes, with commas between.
    pub scopes: &'a str,
    /// Hosts, with commas between.
    pub hosts: &'a str,
    /// Its session.
    pub session: &'a str,
    /// When it ends.
    pub expires_at: &'a str,
}

impl RedeemAnswer<'_> {
    /// What is bound to a sealed token.
    pub fn bound_text(&self) -> String {
        let Self { challenge, name, scopes, hosts, session, expires_at } = self;
        let version = "browse-redeem-answer-v1";
        format!("{version}\n{challenge}\n{name}\n{scopes}\n{hosts}\n{session}\n{expires_at}")
    }

    /// What the proof of an answer is made of, whose token is not sealed.
    pub fn with_token(&self, token: &str) -> String {
        format!("{}\n{token}", self.bound_text())
    }
}

#[cfg(test)]
mod tests {
    use super::{RedeemAnswer, request_mac_text, seal_key_text};

    #[test]
    fn the_words_of_one_purpose_are_those_of_no_other() {
        let answer = RedeemAnswer {
            challenge: "c",
            name: "n",
            scopes: "read,write",
            hosts: "*",
            session: "s",
            expires_at: "e",
        };
        let text = "browse-redeem-answer-v1\nc\nn\nread,write\n*\ns\ne";
        assert_eq!(answer.bound_text(), text);
        assert_eq!(answer.with_token("t"), format!("{text}\nt"));
        let firsts = [request_mac_text("c", "i"), seal_key_text("c"), answer.bound_text()];
        let firsts = firsts.map(|text| text.lines().next().map(str::to_owned));
        assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2] && firsts[0] != firsts[2]);
    }
}
