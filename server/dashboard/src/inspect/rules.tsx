// The rules that match an element, strongest first.

import type { StyleDeclaration, StyleRule } from '../rpc/contract.ts';
import { ValueEditor } from './edit.tsx';
import type { Inspector } from './useInspector.ts';

/** With an `inspector` the values can be changed: those of rules for the element itself. */
export function RuleList({ rules, inspector }: { rules: StyleRule[]; inspector?: Inspector }) {
  return (
    <ul class="style-rules">
      {rules.map((rule) => (
        <li key={`${rule.origin} ${rule.selector} ${rule.pseudo} ${rule.source}`}>
          <Rule rule={rule} inspector={rule.pseudo ? undefined : inspector} />
        </li>
      ))}
    </ul>
  );
}

function Rule({ rule, inspector }: { rule: StyleRule; inspector: Inspector | undefined }) {
  const { selector, pseudo, specificity, origin, layer, conditions, source, declarations } = rule;
  return (
    <>
      <p class="rule-head">
        <code>{selector}</code> {pseudo && <span class="chip">::{pseudo}</span>}{' '}
        {specificity && (
          <span class="chip">
            <span class="visually-hidden">specificity </span>
            {specificity}
          </span>
        )}{' '}
        <span class="chip">{origin}</span> {layer && <span class="chip">@layer {layer}</span>}
      </p>
      {[...conditions, source].filter(Boolean).map((text) => (
        <p class="muted rule-place">{text}</p>
      ))}
      <ul class="declarations">
        {declarations.map((declaration) => (
          <li key={declaration.name}>
            <Declaration declaration={declaration} />
            {inspector && <ValueEditor declaration={declaration} inspector={inspector} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function Declaration({ declaration: { name, value, important, standing } }: { declaration: StyleDeclaration }) {
  const text = (
    <code>
      {name}: {value}
      {important && ' !important'}
    </code>
  );
  if (standing === 'overridden')
    return (
      <span class="muted">
        <s>{text}</s>
        <span class="visually-hidden"> overridden</span>
      </span>
    );
  return (
    <span>
      {text}
      {standing === 'partly overridden' && <span class="muted"> partly overridden</span>}
    </span>
  );
}
