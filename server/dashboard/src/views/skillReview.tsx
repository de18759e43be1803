// What changed in a skill since it was trusted, file by file, and trust in exactly that.

import { useState } from 'preact/hooks';
import { call } from '../rpc/client.ts';
import type { DiffSkillResponse, Skill } from '../rpc/contract.ts';
import { asCallError } from '../rpc/error.ts';
import { Button } from '../ui/button.tsx';
import { countText } from '../ui/count.ts';
import { Failure } from '../ui/failure.tsx';
import { useAction, useLoad } from '../ui/useCall.ts';
import { FileDiff } from './fileDiff.tsx';

/** A skill may have many files to read. */
const REVIEW_MS = 30_000;

export function SkillReview({ skill, onTrusted }: { skill: Skill; onTrusted: () => void }) {
  const key = { name: skill.name, source: skill.tier };
  const load = useLoad(
    (signal) => call('SkillService/DiffSkill', key, { signal, timeoutMs: REVIEW_MS }),
    [skill.name, skill.tier],
  );
  const action = useAction();
  const [isStale, setStale] = useState(false);
  const trust = (hash: string) =>
    action.run(async () => {
      try {
        await call('SkillService/TrustSkill', { ...key, hash }, { timeoutMs: REVIEW_MS });
      } catch (cause) {
        if (asCallError(cause).reason !== 'SKILL_HASH_MISMATCH') throw cause;
        setStale(true);
        load.reload();
        return;
      }
      onTrusted();
    });
  const { answer } = load;
  return (
    <section class="skill-review" aria-label={`Review of ${skill.name}`}>
      <p role="status" class={isStale ? 'problem' : undefined}>
        {isStale &&
          'A file changed while you were reading, so nothing was trusted. These are the files as they are now.'}
      </p>
      <Failure error={load.error} retry={load.reload} />
      {answer === undefined ? (
        !load.error && <p class="muted">Comparing the files…</p>
      ) : (
        <>
          <Summary answer={answer} />
          <Files answer={answer} />
          {answer.trust !== 'trusted' && (
            <div class="row">
              <Button
                label="Trust this version"
                kind="primary"
                scope="admin"
                busy={action.busy}
                disabled={load.busy || load.error !== undefined}
                because="The files are being compared"
                onClick={() => trust(answer.hash)}
              />
              <span class="muted">
                It is trusted until a file changes. Its hash is <code>{answer.hash}</code>
              </span>
            </div>
          )}
        </>
      )}
      <Failure error={action.error} retry={action.retry} dismiss={action.dismiss} />
    </section>
  );
}

function Summary({ answer: { trust, files } }: { answer: DiffSkillResponse }) {
  if (trust === 'trusted') return <p>Nothing changed since it was trusted.</p>;
  const hidden = files.filter(({ binary }) => binary).length;
  return (
    <p>
      {trust === 'changed'
        ? `${countText(files.length, 'file')} changed since it was trusted.`
        : `It was never trusted: ${countText(files.length, 'file')} to read.`}{' '}
      {hidden > 0 && (
        <strong class="problem">
          The lines of {countText(hidden, 'file')} are not shown: read them in the folder of the skill.
        </strong>
      )}
    </p>
  );
}

function Files({ answer: { diff, files } }: { answer: DiffSkillResponse }) {
  const lines = diff.split('\n');
  return (
    <ul class="rows">
      {files.map((file) => (
        <li key={file.path}>
          <FileDiff file={file} lines={file.lines > 0 ? lines.slice(file.line - 1, file.line - 1 + file.lines) : []} />
        </li>
      ))}
    </ul>
  );
}
