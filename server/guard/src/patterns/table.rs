//! The phrases that are looked for, with the words that lead to them.

use super::InjectionKind;

/// An anchor, and the pattern that is tried around it. The pattern sees lower
/// case, single blanks, straight quotes, and no marks of Markdown.
pub(super) struct PhrasePattern {
    /// What the phrase asks for.
    pub kind: InjectionKind,
    /// Rare words of the phrase, one of which is in each of its forms.
    pub anchors: &'static [&'static str],
    /// The phrase itself.
    pub phrase: &'static str,
}

/// What was said before: `previous instructions`.
macro_rules! told {
    () => {
        r"(?:instruction|prompt|direction|directive|rule|guideline|command|message|context|constraint|task|request|order|polic)(?:s|ies|y)?\b"
    };
}

/// What an agent is called.
macro_rules! agent {
    () => {
        r"(?:ai|a\.i\.|llms?|large language models?|language models?|chat ?bots?|(?:ai|llm|gpt|chat|browser|browsing|web|automated|autonomous|coding|virtual|digital) (?:agents?|assistants?|models?|systems?|bots?|crawlers?)|chatgpt|claude|gemini|copilot|gpt-?\d)"
    };
}

/// Words for secrets.
const SECRET_ANCHORS: &[&str] = &[
    "password",
    "credential",
    "api key",
    "api-key",
    "api_key",
    "apikey",
    "secret key",
    "session token",
    "access token",
    "auth token",
    "api token",
    "private key",
    "ssh key",
    "seed phrase",
];

/// All patterns.
pub(super) static PATTERNS: &[PhrasePattern] = &[
    PhrasePattern {
        kind: InjectionKind::Override,
        anchors: &[
            "ignor",
            "disregard",
            "forget",
            "overrid",
            "bypass",
            "supersede",
            "not follow",
            "stop following",
            "discard",
        ],
        phrase: concat!(
            r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|es|ing)|bypass(?:ing)?|supersedes?|discard(?:ing)?|do not follow|don't follow|stop following)\b",
            r"(?: (?:about|all|any|every|each|everything|of|the|your|you|my|our|these|those|this|that|and|or|other|user's|user|original|initial|system|safety|security|current|existing|default)){0,5}",
            r" (?:previous|previously|prior|above|earlier|preceding|foregoing|past|system|original|initial|existing|your|safety|given)(?: (?:given|system|user|set of|and|all|safety|security|user's|received|stated|[a-z]+ly)){0,2} ",
            told!()
        ),
    },
    PhrasePattern {
        kind: InjectionKind::Override,
        anchors: &["ignor", "disregard", "forget"],
        phrase: r"\b(?:ignore|disregard|forget) (?:everything|anything|all|all of|whatever)(?: that)?(?: (?:was|is|has been|came|comes|you were|you have been|you've been))*(?: (?:above|before (?:this|now)|you were told|told|said before|instructed|written above|previously|prior))(?:\b|$)",
    },
    PhrasePattern {
        kind: InjectionKind::Override,
        anchors: &[
            "your new",
            "new instruction",
            "your real",
            "your actual",
            "updated instruction",
            "new task",
            "new objective",
        ],
        phrase: r"(?:\byour (?:new|real|actual|updated|true) (?:task|instructions?|goal|objective|mission|directive|role) (?:is|are|will be)\b|\b(?:new|updated) (?:system )?instructions? (?:for (?:you|the (?:ai|assistant|agent|model))|from (?:the )?(?:user|developer|system|admin)|override|supersede|replace)\b)",
    },
    PhrasePattern {
        kind: InjectionKind::Role,
        anchors: &[
            "<|",
            "[inst]",
            "<<sys",
            "[/inst",
            "<system",
            "</system",
            "im_start",
            "begin_of_text",
        ],
        phrase: r"(?:<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|end_header_id|eot_id|begin_of_text)\|>|\[/?inst\]|<</?sys>>|</?system(?:[_-](?:prompt|message|instructions?|reminder|note|override))?>)",
    },
    PhrasePattern {
        kind: InjectionKind::Role,
        anchors: &[
            "system prompt",
            "hidden prompt",
            "initial prompt",
            "initial instruction",
            "hidden instruction",
        ],
        phrase: r"\b(?:reveal|print|repeat|output|show|display|leak|dump|disclose|tell me|send|include|append|quote) (?:me )?(?:back )?(?:the |your |all |of |full |entire |complete |exact |verbatim |current ){1,4}(?:system|hidden|initial) (?:prompts?|instructions?|messages?)\b",
    },
    PhrasePattern {
        kind: InjectionKind::Role,
        anchors: &[
            "system override",
            "system message",
            "admin override",
            "developer message",
            "priority override",
            "system instruction",
            "system notice",
            "system alert",
        ],
        phrase: r"(?:^|[.!?:;\n\]\[<>({-]) ?(?:(?:important|urgent|critical|new|begin|start|end) )?(?:system|admin(?:istrator)?|developer|priority) (?:override|message|instructions?|notice|alert|command)s?(?: (?:to|for) (?:the )?(?:ai|assistant|agent|model|llm|bot)s?)? ?[\]:]",
    },
    PhrasePattern {
        kind: InjectionKind::Address,
        anchors: &[
            "if you are a",
            "if you're a",
            "if you are the",
            "if you are reading this as",
            "as an ai",
            "as an llm",
            "as a large lang",
            "as an auto",
        ],
        phrase: concat!(
            r"(?:\bif (?:you are|you're) (?:an? |the )?(?:[a-z]+ ){0,2}?",
            agent!(),
            r"\b(?:[^.!?]{0,60}?)(?:,|:|\bthen\b|\bplease\b|\byou must\b|\bdo\b|\bclick\b|\bsend\b|\bvisit\b|\binclude\b)|\bas an? ",
            agent!(),
            r",? (?:you (?:must|should|need to|have to|are (?:required|instructed|obliged))|please)\b)"
        ),
    },
    PhrasePattern {
        kind: InjectionKind::Address,
        anchors: &[
            "attention",
            "note to",
            "notice to",
            "instruction",
            "message to",
            "message for",
            "note for",
            "important for",
            "dear ai",
            "dear llm",
            "dear assistant",
            "hey ai",
            "hello ai",
        ],
        phrase: concat!(
            r"(?:\b(?:attention|important|note|notice|instructions?|messages?|directives?|reminder|warning)(?: (?:to|for)| all|:|,)(?: (?:all|any|the|every|reading))*(?: (?:visiting|reading|parsing|processing|other))? ",
            agent!(),
            r"\b(?: (?:reading|parsing|processing|visiting|summarizing|browsing|accessing|that|who|using)\b| ?[:,!]|s? only\b)|\b(?:dear|hey|hello) (?:ai|llm|assistant|",
            agent!(),
            r")\b ?[,:!])"
        ),
    },
    PhrasePattern {
        kind: InjectionKind::Conceal,
        anchors: &[
            "tell the user",
            "inform the user",
            "mention this",
            "mention it",
            "notify the user",
            "alert the user",
            "to the user",
            "the user's knowledge",
            "telling the user",
            "informing the user",
            "notifying the user",
            "asking the user",
            "let the user know",
            "from the user",
            "telling the human",
            "tell the human",
            "the user about",
            "user knowing",
            "alerting the user",
            "warn the user",
        ],
        phrase: r"(?:\b(?:do not|don't|never|must not|should not|avoid|without|no need to) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|notify(?:ing)?|alert(?:ing)?|reveal(?:ing)?|warn(?:ing)?|disclos(?:e|ing)|show(?:ing)?|report(?:ing)?|explain(?:ing)?|ask(?:ing)?|let(?:ting)?)(?: (?:this|it|that|any of this|anything|these|about this|the [a-z]+))?(?: (?:to|about|with))? ?(?:the )?(?:user|human|owner|operator)s?\b|\bwithout the user(?:'s)? (?:knowledge|knowing|consent|noticing)\b|\b(?:hide|conceal|keep) (?:this|it|these [a-z]+|all of this)(?: a)?(?: secret)? from the (?:user|human|owner)\b)",
    },
    PhrasePattern {
        kind: InjectionKind::Exfiltrate,
        anchors: &[
            "password",
            "credential",
            "api key",
            "api_key",
            "apikey",
            "session token",
            "access token",
            "auth token",
            "cookies",
            "secrets",
            "private key",
            "chat history",
            "conversation history",
            "system prompt",
            "ssh key",
            "environment variable",
            "credit card",
        ],
        phrase: concat!(
            r"\b(?:send|post|upload|forward|transmit|exfiltrate|e-?mail|submit|leak|append|embed|encode|paste|copy|deliver|put)\b[^.!?]{0,60}?\b(?:the|your|all|any|user's|users'|their|my|stored|saved|session|its|his|her|every)\b[^.!?]{0,40}?",
            r"\b(?:passwords?|credentials?|api[ _]?keys?|(?:session|access|auth) tokens?|cookies|secrets|private keys?|(?:chat|conversation) history|system prompt|ssh keys?|environment variables|credit cards?(?: numbers?| details?)?)\b",
            r"[^!?]{0,60}?(?:\b(?:to|at|into|via|using|in) (?:the )?(?:following |this |attacker )?(?:https?:|url|endpoint|address|webhook|server|e-?mail|[a-z0-9._%+-]+@|[a-z0-9-]+\.[a-z]{2,})|\bquery (?:string|parameter)s?\b)"
        ),
    },
    PhrasePattern {
        kind: InjectionKind::Reveal,
        anchors: SECRET_ANCHORS,
        // Forms say `show` and `repeat`, mails `send me`, manuals `to reveal`.
        phrase: concat!(
            r"(?:(?:^|[.!?:;)\]-] ?|\b(?:please|now|then|and|must|should|just|simply|also) )(?:print|output|leak|dump|divulge|recite|spell out)|\b(?:please|now|then|must) reveal)",
            r" (?:out )?(?:all |any |every |each )?(?:of )?(?:the |your |his |her |its |their )(?:(?:user|owner|system|admin|customer|account|server|database|stored|saved|current|full|secret|hidden|exact|own)(?:'s|s')? ){0,3}",
            r"(?:api[ _-]?keys?|passwords?|credentials?|private keys?|secret keys?|(?:access|session|auth|api) tokens?|ssh keys?|seed phrases?)\b"
        ),
    },
    PhrasePattern {
        kind: InjectionKind::Steer,
        anchors: &[
            "always recommend",
            "always suggest",
            "always promote",
            "always endorse",
            "always praise",
            "always prefer",
            "always mention",
            "always advise",
            "only recommend",
            "only suggest",
            "only mention",
            "must recommend",
            "must suggest",
            "must promote",
            "must mention",
            "should recommend",
            "should promote",
            "sure to recommend",
            "sure to promote",
            "sure to mention",
            "remember to recommend",
            "remember to mention",
        ],
        phrase: r"\b(?:always|only|must|should|sure to|remember to) (?:recommend|suggest|promote|endorse|praise|prefer|mention|advise) [^.!?]{1,80}\b(?:to|when|whenever|if|in) (?:the |your |all |any |every |other |a )?(?:users?\b|user's|answers?\b|responses?\b|replies\b|recommendations?\b|anyone asks|someone asks|asked\b|summari[sz])",
    },
    PhrasePattern {
        kind: InjectionKind::Steer,
        anchors: &[
            "reply only",
            "respond only",
            "answer only",
            "reply just",
            "respond just",
            "answer just",
            "reply exclusively",
            "respond exclusively",
            "answer exclusively",
            "only reply",
            "only respond",
            "only answer",
            "nothing but",
            "only the ",
        ],
        phrase: r"\b(?:(?:reply|respond|answer) (?:only|exclusively|just) with|(?:only|exclusively) (?:reply|respond|answer) with|(?:reply|respond|answer) with nothing but|(?:say|output|print|write|return) (?:only|nothing but) the (?:words?|phrase|sentence|string|following))\b",
    },
    PhrasePattern {
        kind: InjectionKind::Steer,
        anchors: &[
            "when you ",
            "when summar",
            "when asked",
            "when answering",
            "when responding",
            "when replying",
            "when reviewing",
            "when describing",
            "when comparing",
            "when the user ",
            "whenever ",
        ],
        phrase: r"\bwhen(?:ever)? (?:you (?:are )?|the user )?(?:asks?|asked|summari[sz](?:e|ing)|answer(?:ing)?|respond(?:ing)?|reply(?:ing)?|review(?:ing)?|describ(?:e|ing)|compar(?:e|ing))\b[^.!?]{0,60}?,? (?:you (?:must|should) )?(?:always |only )(?:say|mention|recommend|state|claim|include|suggest|reply|respond|answer|add)\b",
    },
    PhrasePattern {
        kind: InjectionKind::Steer,
        anchors: &[
            "end of your ",
            "start of your ",
            "beginning of your ",
            "top of your ",
            "end of each ",
            "end of every ",
            "end of all your",
        ],
        phrase: r"\bat the (?:end|start|beginning|top|bottom) of (?:your|each|every|all your) (?:final |next )?(?:responses?|summary|summaries|outputs?|reply|replies)\b",
    },
    PhrasePattern {
        kind: InjectionKind::Unlock,
        anchors: &[
            "you are now",
            "developer mode",
            "jailbr",
            "do anything now",
            "unrestricted",
            "unfiltered",
            "no restrictions",
            "safety filter",
            "safety guideline",
            "content polic",
            "safety polic",
            "ethical guideline",
        ],
        phrase: r"(?:\byou are now (?:in )?(?:dan\b|(?:an? )?(?:unrestricted|unfiltered|jailbroken|uncensored)|developer mode|god mode|free from|no longer bound)|\b(?:developer|god|debug|jailbreak) mode (?:is )?(?:enabled|activated|engaged)\b|\bdo anything now\b|\b(?:act|behave|respond|operate) as an? (?:unrestricted|unfiltered|jailbroken|uncensored)\b|\b(?:all |your )?(?:safety|content|ethical) (?:filters?|guidelines?|polic(?:y|ies)|restrictions?|rules?) (?:is|are|has been|have been|do not|don't|no longer)(?: now)? (?:disabled|lifted|removed|suspended|off|bypassed|apply)\b|\b(?:bypass|disable|turn off|ignore) (?:all |any |your |the )*(?:safety|content|ethical) (?:filters?|guidelines?|polic(?:y|ies)|restrictions?|rules?|checks?)\b)",
    },
];
