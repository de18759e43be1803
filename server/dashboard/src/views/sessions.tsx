// Sessions and logins: what sessions there are, what is saved of them, what is signed in.

import { useState } from 'preact/hooks';
import { BrowserCookiesPanel } from './browserCookies.tsx';
import { CookiesPanel } from './cookies.tsx';
import { SessionsPanel } from './sessionList.tsx';
import { StatesPanel } from './states.tsx';

export function SessionsView() {
  const [imports, setImports] = useState(0);
  return (
    <>
      <h1>Sessions and logins</h1>
      <SessionsPanel />
      <StatesPanel />
      <CookiesPanel imports={imports} />
      <BrowserCookiesPanel onImported={() => setImports((count) => count + 1)} />
    </>
  );
}
