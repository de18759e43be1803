// Drives the dashboard in Chromium against the mock daemon: `node test/run.mjs [part of a name]`.
// `npm test` builds before. With DASHBOARD_SHOTS=FOLDER it saves pictures there.

import { runTests } from './harness.mjs';
import './cases/entry.mjs';
import './cases/live.mjs';
import './cases/control.mjs';
import './cases/views.mjs';
import './cases/traces.mjs';
import './cases/talk.mjs';
import './cases/inspect.mjs';
import './cases/sessions.mjs';
import './cases/trace-skill.mjs';
import './cases/skill-review.mjs';
import './cases/demonstrate.mjs';
import './cases/demonstrate-looks.mjs';
import './cases/pairing.mjs';
import './cases/load.mjs';
import './cases/terminal.mjs';
import './cases/panel.mjs';
import './cases/hostile.mjs';
import './cases/looks.mjs';
import './cases/failures.mjs';

process.exitCode = (await runTests(process.argv[2])) > 0 ? 1 : 0;
