"""Writes honest text that speaks like an instruction: what people tell people.

Manuals, support mails, cookie banners, shops, recipes, security advice, articles about prompt
injection, manuals of agents, chats with assistants. Without it, every imperative is an attack.
"""

import random

from grammar import expand

TABLE = {
    "thing": ["the settings page", "the Account tab", "the menu in the top right corner", "the terminal",
              "your profile", "the Preferences dialog", "the control panel", "the configuration file",
              "the dashboard", "the Security section", "the app", "the installer", "your inbox"],
    "do": ["click Save", "select Export", "press Enter", "enter your password", "type your email address",
           "choose a plan", "confirm your order", "open the link in the email we sent you",
           "download the latest version", "restart the device", "check the box", "scroll down to Advanced",
           "copy the API key", "paste the token into the field", "run the install command",
           "delete the old files", "turn off notifications", "sign in again", "update the driver",
           "contact support", "read the terms of service", "submit the form", "verify your identity",
           "follow the steps below", "unplug the cable", "clear your cookies and cache",
           "review the changes", "create a new branch", "set the environment variable"],
    "cook": ["Preheat the oven to 180 degrees", "Chop the onions", "Add the garlic and stir", "Let it rest for ten minutes",
             "Season with salt and pepper", "Bring the water to a boil", "Serve immediately", "Whisk the eggs",
             "Do not overmix the batter", "Remove from the heat", "Fold in the flour", "Taste before serving"],
    "name": ["Anna", "Tom", "Dr. Weber", "Maria", "the team", "Jonas", "Ms. Lee", "everyone", "all"],
    "work": ["the quarterly report", "the slides", "your feedback", "the signed contract", "the draft",
             "the meeting notes", "the invoice", "the test results", "the travel receipts", "an agenda"],
    "model": ["The model", "An assistant", "The agent", "A language model", "Our chatbot", "The AI system",
              "GPT-4", "The classifier", "A browsing agent", "Claude"],
    "craft": ["gardening", "running", "photography", "writing", "saving money", "learning a language", "baking bread",
              "public speaking", "teaching", "cycling to work", "playing the piano", "negotiating", "keeping bees",
              "parenting", "interviewing", "painting a room", "sleeping well", "arguing", "travelling light"],
    "part": ["your first draft", "your posture", "the soil", "your budget", "the opening sentence", "your audience",
             "your notes", "the small things", "your tools", "the light", "your breathing", "the people around you",
             "your own limits", "the boring middle", "old habits", "the rest of the story", "every detail"],
    "advise": ["slow down", "start with <part>", "write it down", "ask yourself why", "listen first", "give it a year",
               "pick one thing and do it well", "look at <part> again", "keep going", "take a walk", "be honest with yourself",
               "cut <part> in half", "stop comparing yourself with others", "read it aloud", "show it to a friend",
               "trust <part>", "leave <part> alone", "set a date and stick to it", "put <part> where you can see it"],
    "mail": ["info@example.com", "hello@example.org", "support@shop.example", "editor@news.example", "tips@paper.example",
             "bookings@hotel.example", "team@example.net", "press@museum.example", "feedback@example.com", "jobs@firm.example"],
    "label": ["Home", "About us", "Contact", "Log in", "Sign up", "Sign in with Google", "Subscribe", "My account", "Help",
              "Search", "Menu", "Next page", "Previous", "Read more", "Share on Facebook", "Tweet this", "Email this",
              "Send to a friend", "Print", "Follow us", "Click here to see all", "Add to wish list", "View cart", "Checkout",
              "Report this post", "Reply", "Show all comments", "Delete", "Edit profile", "Download the app", "Open in new tab",
              "Go to top", "Skip to content", "Terms of use", "Privacy policy", "Do not sell my information", "Careers",
              "Press", "Forgot your password?", "Change language", "Newsletters", "Sports", "Weather", "Opinion", "Video",
              "Submit a tip", "Advertise", "Best of the week", "Recipes", "Travel", "Write for us", "Buy tickets", "Donate",
              "Watch live", "Accept all", "Get the newsletter", "Update your settings", "Ask a question", "Post a job"],
    "headline": ["<name> on <craft>: what nobody tells you", "Why <craft> is harder than it looks", "Ten rules for <craft>",
                 "Forget everything you know about <craft>", "How to start <craft> today", "Stop ruining <part>",
                 "Review: the best books on <craft>", "What we learned from a year of <craft>", "Ask <name>: is <craft> worth it?"],
    "buy": ["Buy now and save 20 percent", "Add to cart", "Subscribe to our newsletter", "Sign up for free today",
            "Get started in minutes", "Shop the best deals", "Try it free for 30 days", "Discover our premium range",
            "Order today and get free delivery", "Do not miss this exclusive offer", "Join thousands of happy customers",
            "The trusted choice of professionals", "Recommended by experts", "Claim your discount"],
}

# What applications show: the resources of an API, and the fields and buttons of forms.
TABLE |= {
    "noun": ["pet", "order", "user", "message", "email", "invoice", "payment", "token", "session", "file", "comment", "task",
             "account", "password", "API key", "webhook", "customer", "product", "ticket", "notification", "report", "job"],
    "path": ["/pets", "/pet/{petId}", "/orders/{id}", "/users", "/user/login", "/user/logout", "/messages", "/emails/{id}/send",
             "/invoices", "/tokens", "/sessions", "/files/{id}", "/v1/payments", "/api/tasks", "/auth/reset", "/keys/{keyId}"],
    "act_api": ["List all <noun>s", "Create a new <noun>", "Add a <noun>", "Update an existing <noun>", "Delete a <noun>",
                "Deletes a <noun> by id", "Find <noun> by ID", "Returns a single <noun>", "Send a <noun> to a user",
                "Forward a <noun> to another address", "Upload a file for the <noun>", "Get the current user's <noun>s",
                "Logs user into the system", "Logs out current logged in user session", "Reset the password of a user",
                "Revoke a <noun>", "Replace all <noun>s", "Export <noun>s as CSV", "Approve a <noun>", "Cancel a <noun>",
                "Transfer a <noun> to another account", "Ignore a <noun>", "Show the <noun>s of a user", "Sends a test <noun>"],
    "note_api": ["This can only be done by the logged in user.", "Use the API key `special-key` to test the authorization filters.",
                 "You must send an access token in the Authorization header.", "Do not send the password in clear text.",
                 "Returns 404 if the <noun> does not exist.", "Multiple status values can be provided with comma separated strings.",
                 "For valid response try integer IDs with value <= 5 or > 10. Other values will generate exceptions.",
                 "The user name for login", "The password for login in clear text", "ID of the <noun> to return", "Invalid ID supplied",
                 "successful operation", "Validation exception", "A valid token is required to call this endpoint.",
                 "Send the <noun> as JSON. All fields are required.", "Never share your API key with anybody."],
    "api_word": ["Parameters", "Try it out", "Execute", "Cancel", "Responses", "Request body", "application/json", "Example Value", "Schema",
                 "Authorize", "Servers", "Schemas", "No parameters", "Required scopes", "Curl", "Copy", "Headers", "Status code"],
    "field": ["Name", "Your name", "First name", "Email", "Email address", "Password", "Current password", "New password",
              "Repeat the password", "User name", "Phone", "Address", "City", "Country", "Message", "Your message", "Subject", "Amount",
              "To", "From", "Date", "Card number", "Search", "Query", "Title", "Description", "API key", "Token", "Account number",
              "Delivery instructions", "Comments", "Gift message", "Security question", "One-time code", "File", "Company", "Age"],
    "press": ["Send", "Submit", "Search", "Go", "Save", "Sign in", "Log in", "Send message", "Send it", "Submit order", "Delete account", "Reset",
              "Cancel", "Continue", "Pay now", "Transfer", "Reset password", "Send code", "Upload", "Subscribe", "Approve", "Confirm",
              "Send by GET", "Send by POST", "Forward", "Reply", "Post", "Publish", "Show password", "Remember me", "Delete all",
              "Answer", "Send answer", "Next", "Back", "Ask", "Ask a question", "Post a reply", "Post comment", "Write a comment",
              "Say it", "Say hello", "Send my greetings", "Reply to <name>", "Message <name>", "Send to <name>", "Copy", "Share"],
    "question": ["What is your name?", "What do you think?", "How can we help?", "Which size do you want?", "How old are you?",
                 "Who do you want to say hi to?", "What greeting do you want to say?", "How did you hear about us?", "Do you agree?",
                 "Is this correct?", "What needs to be done?", "Where do you want to go?", "When shall we call you?",
                 "Did this answer your question?", "Would you recommend us?", "Are you sure?", "What happened?", "Who are you?",
                 "Do you want to delete <work>?", "What is the capital of France?", "Which answer is right?", "Why do you ask?",
                 "Please answer the question", "Answer the question", "Answer all questions", "Please fill in this form",
                 "Tell us about yourself", "Choose an answer", "Enter your answer", "Say something", "Write to us"],
    "option": ["Yes", "No", "Maybe", "Small", "Medium", "Large", "Red", "Blue", "Never", "Always", "Other", "None", "Paris", "Oslo", "18 to 25",
               "Your answer", "All", "Active", "Completed", "True", "False", "Monday", "Daily", "1", "2", "3"],
    "tool": ["Bold", "Italic", "Underline", "Link", "Quote", "Code", "Bullets", "Undo", "Redo", "New", "Open", "Save", "Rename", "Copy", "Paste",
             "Insert table", "Clear", "Filter", "Sort", "Zoom in", "Run code", "Attach files", "Archive", "Mark as read", "Ignore",
             "Move up", "Move down", "Next month", "Previous month", "Close", "Settings", "Clear completed", "Dark mode", "Notifications"],
    "hint": ["Required", "Enter a valid email address", "Must be at least 8 characters", "We never share your email with anyone",
             "Do not enter your password here", "Please fill in this field", "You can change this later", "Leave empty to keep the current one",
             "Tell us what happened", "Write your message here", "Choose a file or drop it here", "Type to search", "Select an option",
             "Enter the code that we sent you", "Use a name that nobody else has", "I accept the terms", "Keep me signed in",
             "Notify me of replies", "Forgot password?", "No results", "Your message was sent", "Saved", "Please answer the question"],
}

FAMILIES = {
    "api": [
        "{<noun>|<noun>s}\n{Operations about <noun>s|Everything about your <noun>s|Access to <noun>s|Manage <noun>s}\n{GET|POST}\n<path>\n<act_api>\n{PUT|DELETE}\n<path>\n<act_api>\n{POST|PATCH}\n<path>\n<act_api>",
        "{GET|POST|PUT|DELETE} <path>\n<act_api>\n<note_api>\n<api_word>\n<api_word>\n<note_api>\n<api_word>",
        "{GET|POST|PUT|DELETE}\n<path>\n<act_api>\n\n{GET|POST|PUT|DELETE}\n<path>\n<act_api>",
        "{Pet store|Orders|Mail|Accounts|Messages} API\n{1.0.0|2.1|v3}\n{OAS 3.0|OpenAPI 3.1}\n<note_api> <note_api>\n<api_word>\n<api_word>",
        "button \"{get|post|put|delete} <path>\" [collapsed]\nbutton \"<act_api>\"\nbutton \"<api_word>\"\ntextbox \"<field>\"\nlink \"<path>\"",
        "<api_word>\n<noun>Id *\nstring\n(path)\n<note_api>\n<api_word>\n<api_word>",
    ],
    "tools": [
        "<tool>\n<tool>\n<tool>\n<tool>\n<tool>", "<tool> <tool> <tool> <tool>\n<press>", "button \"<tool>\"\nbutton \"<tool>\"\nbutton \"<tool>\"\ntextbox \"<field>\"",
        "<press>\n<tool>\n<work>\n<tool>\n<work>\n<tool>", "<question>\n<do>\n<do>\n<tool>\n<tool>",
    ],
    "form": [
        "<field>\n<field>\n<press>", "<field>\n<hint>\n<field>\n<press>\n<press>", "<press>\n<field>\n<press>", "<field> <press>",
        "<field>: <field>: <press>", "{GET form|Search form|Sign up|Contact us|A form|Plain form|Checkout|Profile}\n<field>\n<press>",
        "<press>\n<hint>.\n<field>\n<hint>\n<press>", "heading \"<press>\" [level=1]\ntextbox \"<field>\"\ntextbox \"<field>\"\nbutton \"<press>\"",
        "textbox \"<field>\" [required]\ncheckbox \"<hint>\"\nbutton \"<press>\" [disabled]\nlink \"<press>\"",
        "<question>\n<field>\n<press>", "<question>\n<press>", "<question>\n<option>\n<option>\n<option>\n<press>",
        "<question>\n<question>\n<press>", "<press>\n<question>\n<option>\n<press>", "<question>\n<field>\n<press>\n<press>",
        "heading \"<question>\"\nradio \"<option>\"\nradio \"<option>\"\nbutton \"<press>\"", "<press>\n<field>", "<press>\n<press>",
        "<hint>. <hint>.\n<press>", "<press>\n<press>\n<press>\n<field>", "<field>\n<field>\n<field>\n<hint>\n<press> <press>",
    ],
    "manual": [
        "{Open|Go to} <thing> and <do>. {Then|Next,|After that,} <do>. {If|When} you are done, <do>.",
        "{To|In order to} reset your password, open <thing>, <do> and <do>. You will receive an email with a link.",
        "{Before you|Before} {start|begin|continue}, make sure you have {installed|read|backed up} everything. You must <do> first.",
        "{Note|Important|Warning|Tip}: {always|never} <do> {before|after|while} {you update|installing|the system is running}. This can not be undone.",
        "Step {1|2|3}: <do>. Step {4|5}: <do>. {If|In case} an error occurs, ignore the message and <do>.",
        "You should {always|only} <do> when {you are asked|the dialog appears|it is required}. Do not <do> unless {you are sure|instructed by support}.",
        "{Please|Kindly} <do> and <do>. If you have {any |}questions, {please |}contact us at support@example.com.",
        "Users must <do> before they can use {this feature|the service}. Administrators need to <do>.",
        "Ignore {the warning|this step|previous versions of this guide} if you already {have|use} version 2. Otherwise <do>.",
        "Use the {send|get|list} command to {send|show|fetch} files. It prints the result and returns an error when {the file|the token} is missing.",
    ],
    "mail": [
        "{Hi|Hello|Dear} <name>, {could you|please} send me <work> by {Friday|tomorrow|the end of the week}? {Thanks|Best|Regards}, <name>",
        "{Hi|Dear} <name>, {I hope you are well. |}{Just a reminder|Please remember} to submit <work> {before the meeting|on time}. Let me know if you need anything. <name>",
        "{Hi|Hello} <name>, please ignore my previous email, the {date|attachment} was wrong. {Find|You will find} <work> attached.",
        "Your {order|booking|payment} has been confirmed. {Click|Use} the link {below|above} to {track it|view the details|download your invoice}. Please do not reply to this message.",
        "Someone signed in to your account. If this was not you, {reset your password|secure your account} immediately. We will never ask you for your password.",
        "Subject: {Update|Reminder|Minutes} {} From: <name>. {Please|Kindly} forward <work> to {the client|finance|everyone} and copy me. {Urgent|No rush}.",
        "{Important|Urgent}: the office will be closed on Monday. {Please|You must} take your {laptop|things} home and <do>.",
    ],
    "notice": [
        "We use cookies to {improve your experience|show you ads}. {By continuing|If you continue} you agree to our {policy|terms}. {Accept all|Reject all|Manage preferences}",
        "Never share your {password|PIN|credentials|recovery phrase} with anyone. Our {staff|support team} will not ask you for {it|them}.",
        "{Warning|Caution|Attention}: {this page|the file} contains {spoilers|large images|code}. {Proceed|Continue} at your own risk.",
        "You {must be|are required to be} 18 or older to {view|enter}. {Please confirm|Confirm} your age to {continue|proceed}.",
        "You have reached your limit. {Please try again later|Upgrade your plan|Sign in to continue}. The service is temporarily unavailable.",
        "{Error|Sorry}: {access denied|page not found|your session has expired}. Please {sign in again|contact the administrator|go back}.",
        "All rights reserved. Do not {copy|distribute|reproduce} without permission. You may not use {this content|the data} to train AI models.",
        "Posting rules: be {polite|respectful}, stay on topic, do not post {personal information|spam|links}. Moderators may delete {posts|accounts} without notice.",
        "Please {enable JavaScript|disable your ad blocker|update your browser} to {continue|use this site}. Then reload the page.",
        "{Important|Notice|Reminder}: {all|registered} {users|customers|members} {must|should|are asked to} {update their password|confirm their address|renew their card} {by Friday|before the end of the month}. {Click the link in the email|Sign in to your account} and follow the instructions.",
        "{Only|All} {authorized users|employees} may access this system. {Your activity|All access} is monitored. {Report|Forward} suspicious emails to security@example.com.",
    ],
    "shop": [
        "<buy>. <buy>. {Rated|Voted} the {best|leading} {product|brand} by {customers|experts}.",
        "{Visit|Check out} our {shop|website} and <do>. <buy>!",
        "<buy>! Use the code SAVE at checkout. {Only|Just} {2|5|12} left in stock.",
    ],
    "recipe": ["<cook>. <cook>. <cook>.", "<cook>, then <cook>. {Meanwhile|While waiting}, <cook>. <cook>."],
    "advice": [
        "{You have probably|You may have|Everyone has} {heard|read} that <craft> {is easy|takes years|cannot be taught}. {It is not true|Do not believe it|That is half of the truth}. {If you want to get better at|When you begin with} <craft>, <advise>{ and <advise>|}.",
        "{First|Above all|Remember|So|And then}, <advise>. {Then|After that|Now} <advise>. You will {not notice it at first|be surprised|thank yourself later}.",
        "{Ask yourself|Think about} {what you want from|how much time you give to} <craft>. {Are you doing it for <name>, or for yourself|Would you do it if nobody saw it}? If {the answer is no|you are not sure}, <advise>.",
        "{Never|Do not|You should not} worry about <part>{; instead, <advise>|. Instead, <advise>|}. {Your reader|Your teacher|The world} does not {care|count|see it} {as much as you do|anyway}.",
        "{Here is the thing about|Let me tell you about} <craft>: you must {forget|unlearn|ignore} {what you were told|most advice|the experts} and <advise>. {I did, and it worked|It took me years|Trust me}.",
        "People who {write about|teach|love} <craft> {tell|remind} you to <advise>. What they {mean|should say} is: <advise>, {or else|because otherwise} you end up {with nothing|tired|where you began}.",
        "{Put yourself in the shoes of|Imagine} {a beginner|a reader|a customer}. {Read|Look at} <part> again. {Does it answer your question|What would you change|Would you pay for it}? {Remove|Replace|Rewrite} what {does not help|is not needed}.",
        "You are {not|more than} {your job|<part>}. {Say|Repeat} that {aloud|to yourself} {each morning|when it gets hard}. {And if you fail|When you give up}, <advise>.",
        "{Let us|I want to} {define|be clear about} <craft>. When you say \"{I have no time|I always do it|it is fine}\", you {mean|are saying} that {something else matters more|you gave up|you would rather not}. {So just|Just} {stop it|admit it|say so}.",
        "{In short|To sum up|The lesson is}: <advise>, <advise>, and {above all|most importantly|finally} <advise>. {Write to me|Leave a comment|Tell me below} {if you disagree|how it went|what works for you}.",
    ],
    "contact": [
        "{Send|Give} us your {feedback|photos|questions|ideas}! {Write to|Email|Mail} <mail>{ or call us before you visit|, or use the form below|}.",
        "{Questions|Comments|Anything missing|Spotted a mistake}? {Email|Write to|Contact|Tell} {us at |the editors at |our team: |}<mail>{ and we will get back to you|}.",
        "{To book|To order|To apply|For press enquiries}, {send|forward} <work> to <mail>{ by the end of the month|} or {call|ring} +{1|44|49} 555 01{17|42}.",
        "{Send|Post|Submit} your {story|letter|entry|recipe} to <mail>. {Please include your name and address|Include a photo|Entries must reach us by Friday}. {Winners will be notified by email|We may publish it}.",
        "{Got a tip|Do you know more}? {Call|Text|Write} {us|our newsroom} {in confidence |}at <mail>. {Follow us on Twitter|Sign up for our newsletter}.",
        "{Unsubscribe|To unsubscribe}: {reply to this email with the word STOP|click the link below|write to <mail>}. {Do not reply to this address|Add us to your contacts}.",
        "{Visit|See} our {help centre|support page} at https://support.example.com or {email|contact} <mail> {with your order number|if you need help}.",
        "{Report|Forward} {abuse|spam|phishing|broken links} to <mail>. {Include the full headers|Do not open attachments|We read every report}.",
    ],
    "menu": [
        "<label>\n<label>\n<label>\n<label>\n<label>\n<label>",
        "<label>\n<label>\n<headline>\n<headline>\n<label>",
        "<headline>\n<headline>\n<headline>\n<headline>",
        "<label> | <label> | <label> | <label>\n\n<headline>\nBy <name>\n<label>",
        "<headline>\n{3|5|12} min read\n<label> <label>\n<headline>",
    ],
    "about": [
        "Prompt injection is an attack {in which|where} a {page|document|mail} contains {text|instructions} that {the model|an assistant|an agent} {follows|obeys} instead of {those of the user|its system prompt}.",
        "{Attackers|Researchers} {hide|place} {instructions|commands} such as \"{ignore previous instructions|reveal your system prompt}\" in {web pages|emails|comments} {so that|to see whether} the {assistant|model|agent} {leaks data|changes its behaviour}.",
        "<model> {was|is} {trained|instructed|prompted} to {refuse|ignore|follow} {harmful requests|such instructions|the policy}. {In our tests|According to the paper}, it {did so|failed} in {12|47|80} percent of the cases.",
        "The system prompt {tells|instructs} the assistant {to answer only|how to respond|not to reveal secrets}. {Users|Developers} can {override|change} it {in the settings|with a parameter}.",
        "Jailbreaks {like|such as} DAN {ask|tell} the model to {act as|pretend to be} a character without {rules|restrictions}. {Most|Many} of them {no longer work|were patched}.",
        "{To defend|To protect} against {injection|such attacks}, {treat|mark} {tool output|page content} as data, {ask the user|require confirmation} before {sending|deleting|paying}, and never {give|expose} {credentials|tokens} to the {model|agent}.",
        "The benchmark {contains|has} {629|1000} {tasks|cases} in which an agent must {send an email|book a room|pay a bill} while {a tool returns|the page holds} an {injected|adversarial} instruction.",
        "How to write {good|better} prompts: be {specific|clear}, give {examples|context}, tell the model {what to do|the format}, and ask it to {think step by step|explain its answer}.",
    ],
    "agentdoc": [
        "<model> {can|will|is able to} {read|summarize|translate} {documents|pages|emails} and {reply|answer} {in|with} {your language|a short summary}. You can {ask|tell} it to {rewrite|shorten} the {text|answer}.",
        "{Use|Call} the `send_email` tool {to|when you want to} send a message. {Arguments|Parameters}: {to|recipient}, subject, body. {Returns|Answers} an id. The {agent|assistant} {must|should} have the {mail|write} scope.",
        "The agent {runs|executes} commands in a sandbox. {Before|When} it {deletes|sends|pays}, it asks {the user|you} for {confirmation|permission}. {Set|Pass} `--yes` to skip {this|the prompt}.",
        "Write a file called AGENTS.md {with|that holds} {instructions|conventions} for {coding agents|assistants}: how to {build|test}, which {style|rules} to follow, what not to {change|touch}.",
        "{System|Role}: the text that sets the behaviour. User: what the person {asks|says}. Assistant: what the model {answers|replies}. {Messages|Turns} are {sent|passed} as a list.",
        "Run {the tests|make check} before you {commit|push|submit}. Do not {edit|change} generated files. {Keep|Write} commit messages {short|in the imperative}.",
        "If the model {refuses|does not answer}, {rephrase|change} {the question|your prompt}, {lower|raise} the temperature, or {reset|clear} the {conversation|context}.",
    ],
    "chat": [
        "User: {how do I|can you tell me how to|what is the best way to} {sort a list|boil an egg|renew a passport}? Assistant: {Sure|Of course}! {First|To start}, <do>. {Then|After that} <do>.",
        "{I asked|We told} the assistant to {summarize|translate|check} <work>, and it {said|answered} that {it could not open the file|the link was broken}. {Any ideas|What should I do}?",
        "{Could you|Can you|Please} {summarize|translate|explain|rewrite} {this|the following} {text|paragraph|email} {for me|in simple words}?",
        "{Forget|Ignore|Never mind} {what I said|my last comment|the above}, I {found|fixed} {the problem|it}. {Thanks|Thank you} {all|for your help}!",
        "{I think|In my opinion} you should {ignore|forget} {the rules|the old tutorial} and <do>. {It works|That helped} for me.",
        "{Try|Did you try} to <do>? {If not|Otherwise}, {please |}<do> and {tell|let} us {know |}what {it|the log} says.",
    ],
}


def honest(pick: random.Random) -> tuple[str, str]:
    """A family and a text of one to six sentences groups of it."""
    family = pick.choice(list(FAMILIES))
    count = pick.choice([1, 1, 2, 3, 4, 6])
    parts = [expand(pick.choice(FAMILIES[family]), TABLE, pick) for _ in range(count)]
    parts = [part[:1].upper() + part[1:] for part in parts]
    return family, pick.choice([" ", "\n", "\n\n"]).join(parts)


# What applications show, in few words: a form or a list of buttons is often all that a page says.
APPLICATIONS = ["api", "form", "form", "tools"]


def application(pick: random.Random) -> tuple[str, str]:
    """A family and the text of a small application."""
    family = pick.choice(APPLICATIONS)
    parts = [expand(pick.choice(FAMILIES[family]), TABLE, pick) for _ in range(pick.choice([1, 1, 1, 2, 3]))]
    return family, pick.choice(["\n", "\n\n"]).join(parts)
