// A button that runs something, and says why it cannot.

import type { ComponentChildren } from 'preact';
import { frame } from '../rpc/frame.ts';
import { hasScope, type Scope } from '../state/login.ts';
import { Icon, type IconName } from './icons.tsx';

interface ButtonProps {
  label: string;
  icon?: IconName;
  /** Shows the icon alone; the label is its accessible name. */
  iconOnly?: boolean;
  kind?: 'plain' | 'primary' | 'danger';
  /** Scope that the action needs. */
  scope?: Scope;
  disabled?: boolean;
  /** Why it is disabled. */
  because?: string;
  pressed?: boolean;
  busy?: boolean;
  /** Sends the form that it stands in. */
  submit?: boolean;
  onClick?: () => void;
  children?: ComponentChildren;
}

export function Button({
  label,
  icon,
  iconOnly,
  kind = 'plain',
  scope,
  disabled,
  because,
  pressed,
  busy,
  submit,
  onClick,
}: ButtonProps) {
  const missing = scope !== undefined && !hasScope(scope);
  const title = missing
    ? `This ${frame === 'pipe' ? 'panel' : 'link'} does not have the scope \`${scope}\``
    : disabled && because
      ? because
      : iconOnly
        ? label
        : undefined;
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={`button ${kind}${iconOnly ? ' icon-only' : ''}`}
      aria-label={iconOnly ? label : undefined}
      aria-pressed={pressed}
      aria-busy={busy}
      title={title}
      disabled={missing || disabled || busy}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {!iconOnly && <span>{busy ? `${label}…` : label}</span>}
    </button>
  );
}
