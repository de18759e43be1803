//! Classes of words: what an instruction to an agent is made of.
//!
//! The classes carry the shape of such a text and not its topic, so they hold
//! for attacks that nobody has seen. Words of other languages stand without
//! their accents, as [`crate::normalise()`] leaves them.

use std::sync::LazyLock;

/// One class of words, a bit each.
pub type Classes = u32;

macro_rules! classes {
    ($($bit:literal $name:ident $words:literal)*) => {
        $(pub const $name: Classes = 1 << $bit;)*
        /// Names of the classes, by bit.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        const WORDS: &[(Classes, &str)] = &[$(($name, $words)),*];
    };
}

classes! {
    0 OVERRIDE "ignore disregard forget override bypass discard neglect overlook skip cancel abandon \
        nullify supersede supersedes superseded suspend drop dismiss omit erase reset replace ditch \
        ignoring disregarding forgetting overriding bypassing ignored overridden \
        ignoriere ignorieren ignorier vergiss vergessen missachte umgehe uberschreibe ubergehe \
        ignora ignorar ignore ignorez ignorer oublie oubliez olvida olvide omite omita descarta \
        dimentica esqueca desconsidere negeer vergeet outrepasse contourne anula anule scarta"
    1 PRIOR "previous previously prior above preceding earlier before former foregoing existing \
        original initial current past other old given prevailing aforementioned \
        vorherigen vorherige vorigen bisherigen bisherige obigen fruheren deine ihre \
        anterior anteriores previas previos precedente precedenti precedentes precedents \
        precedemment vorige eerdere"
    2 INSTRUCTION "instruction instructions prompt prompts directive directives command commands \
        order orders rule rules guideline guidelines guidance policy policies constraint \
        constraints restriction restrictions request requests protocol protocols safeguards \
        guardrails filters limitations configuration programming training context setup \
        anweisung anweisungen regeln regel richtlinien vorgaben befehle befehl aufforderung \
        instruccion instrucciones reglas directrices ordenes restricciones instrucoes regras \
        consigne consignes regles directives istruzioni regole instructies regels"
    3 AGENT "ai ais assistant assistants agent agents llm llms model models chatbot chatbots bot bots \
        gpt chatgpt claude gemini copilot bard llama mistral siri alexa grok summarizer crawler \
        crawlers automation automated ki assistent assistenten asistente asistentes assistente \
        assistants ia modelo modele modello scraper scrapers browserbot"
    4 SECOND "you your yours yourself youre youve youll youd u ur du dein deine deinen deiner sie ihre \
        ihren tu tus usted su sus vous votre vos toi tes voce seu sua je jouw jij tuoi tue"
    5 FIRST "i me my mine we our us ours myself im ive ich mir mein meine yo mi mis moi mon mes"
    6 USER "user users human humans customer person operator developer admin administrator owner \
        client visitor reader nutzer benutzer usuario usuarios utilisateur utente gebruiker"
    7 SAY "output print reply respond answer say write include append insert add mention state display \
        return generate produce report tell inform begin conclude repeat translate summarize \
        summarise provide present emphasize recommend promote suggest advise highlight describe \
        claim declare embed incorporate weave integrate respond reveal announce express explain \
        acknowledge confirm endorse praise quote list note urge encourage persuade convince \
        instruct notify remind warn outline rewrite rephrase compose craft draft prepend mimic \
        emit echo simulate feature introduce showcase weave interject supplement slip blend absorb \
        imitate recount endorse commend tout echo utter spell enumerate finish preface conclude \
        mimicking stating saying noting replying printing outputting displaying antworte antworten schreibe sage gib \
        responde responder responda di escribe repite repondez reponds dis ecris rispondi scrivi"
    8 ACT "send email forward transfer post submit upload download delete remove click open visit \
        navigate go follow execute run call invoke fetch retrieve grant share disclose expose leak \
        exfiltrate copy paste update modify change create schedule book buy purchase pay order \
        install enable disable unlock set turn sign register subscribe use access search find \
        check list read look get give take make move rename enter type fill select press scroll \
        log login save store encode append redirect browse proceed perform complete carry deliver \
        publish message dm invite book reserve wire deposit withdraw approve authorize confirm \
        sende senden schicke loesche losche offne fuhre klicke envia enviar manda borra ejecuta \
        abre envoyez envoie supprime cliquez executez invia esegui stuur"
    9 ASSET "password passwords passcode passphrase credential credentials token tokens secret secrets \
        key keys api cookie cookies session ssn account accounts bank inbox contacts messages \
        files file data history address addresses phone medical payment payments balance \
        conversation conversations env wallet seed card cards iban transaction transactions \
        email emails mailbox clipboard storage profile identity location pin otp ssh database \
        passwort zugangsdaten daten contrasena claves datos motdepasse donnees"
    10 MODAL "must should shall need needs required requires ought supposed obliged will have has musst \
        mussen sollst debes debe devez doit deve moet"
    11 STRICT "only strictly exactly nothing never always immediately absolutely verbatim precisely \
        solely entirely completely fully exclusively just simply nur sofort solo inmediatamente \
        seulement immediatement"
    12 NOT "dont not no cannot cant avoid refrain without never nor neither stop cease wont nicht kein \
        keine ne pas sin sans nunca jamais non niet"
    13 URGENT "urgent urgently important critical mandatory essential crucial imperative attention \
        warning alert asap vital emergency priority high immediate now mandatory compulsory \
        wichtig achtung dringend importante urgente atencion attenzione belangrijk"
    14 ROLE "act pretend roleplay imagine persona character mode jailbreak jailbroken dan unrestricted \
        unfiltered uncensored hypothetical hypothetically fictional simulate simulation freely \
        unlimited amoral obey obeys comply complies refuse refuses evil sudo godmode spiele tue"
    15 SECRET "silently secretly quietly discreetly hidden invisible covertly stealthily confidential \
        subtly seamlessly unnoticed naturally private privately inconspicuously"
    16 AUTHORITY "system admin administrator root authorized authorised official security compliance \
        verified verification developer developers maintenance notice support team moderator \
        trusted superuser anthropic openai google microsoft sistema systeme"
    17 WHEN "when if before after while upon once until whenever unless wenn falls bevor cuando si \
        antes quand avant"
    18 PLEASE "please kindly bitte favor veuillez pls"
    19 REFUSE "error failure unavailable timeout failed outage unable denied blocked decline \
        unreachable quota exceeded malfunction corrupted inaccessible overloaded maintenance \
        suspended expired insufficient unauthorized restricted prohibited sorry cannot crash \
        interrupted offline withheld forbidden"
    20 PRODUCT "response responses reply answer answers reply replies output outputs summary summaries \
        result results message text content conclusion analysis report explanation sentence \
        paragraph code word words antwort respuesta reponse risposta"
    21 TASK "task tasks question questions query queries request requests goal objective objectives \
        assignment job mission aufgabe tarea tarefa tache compito"
    22 NEW "new following next different real actual updated another additional special below \
        instead then first finally also neue neuen nueva nuevas nouvelles nuove"
    23 PAST "was were had been did said became began came went made took found known born died won \
        played served led moved built founded released received wrote published announced \
        according century during"
    24 DOC "example examples e.g eg see default parameter parameters option options returns function \
        method class value values object type supports allows provides describes specifies \
        version library package documentation section chapter table figure"
    25 BRAND "best top leading premium trusted popular preferred exclusive exceptional official \
        recommended superior ideal excellent discover experience shop discount offer reputable \
        renowned reliable acclaimed outstanding finest leader favored endorsed award quality \
        praising commending endorsing recommending promoting praise admire admiring recommendation \
        endorsement remark brand sponsor sponsored products solutions"
    26 COGNITION "consider treat assume remember think pretend believe regard interpret view keep \
        ensure make let focus prioritize prioritise adhere follow obey apply adopt start stop \
        continue avoid analyze analyse evaluate rate rank score classify"
    27 FAKE "completed complete done finished success successful successfully ok end ended over \
        finish started begins beginning"
    28 LINK "url link website site page http https com webhook endpoint server domain"
    29 TELL "tell telling inform informing mention mentioning notify notifying ask asking alert \
        alerting reveal revealing disclose disclosing warn warning confirm confirmation permission \
        acknowledge acknowledging explain explaining question questioning"
}

static TABLE: LazyLock<Vec<(u64, Classes)>> = LazyLock::new(|| {
    let words = WORDS.iter().flat_map(|(class, words)| {
        words.split_whitespace().map(|word| (hash(word.as_bytes()), *class))
    });
    let mut table: Vec<_> = words.collect();
    table.sort_unstable();
    table.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 |= if same { next.1 } else { 0 };
        same
    });
    table.shrink_to_fit();
    table
});

/// The classes of `word`, which is in lower case and without apostrophes.
pub fn classes_of(word: &str) -> Classes {
    let table = &*TABLE;
    let found = table.binary_search_by_key(&hash(word.as_bytes()), |entry| entry.0);
    found.map_or(0, |place| table[place].1)
}

/// FNV-1a: the same in every build, for ever, because weights hang on it.
pub fn hash(bytes: &[u8]) -> u64 {
    extend_hash(0xcbf2_9ce4_8422_2325, bytes)
}

/// Goes on with a hash.
pub fn extend_hash(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_classes() {
        assert_eq!(classes_of("ignoriere"), OVERRIDE);
        assert_eq!(classes_of("never"), STRICT | NOT);
        assert_eq!(classes_of("zebra"), 0);
        assert_eq!(NAMES.len(), WORDS.len());
    }
}
