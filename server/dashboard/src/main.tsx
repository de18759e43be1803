// The dashboard of a browse daemon.

import './style/main.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { enter } from './state/login.ts';

const root = document.getElementById('app');
if (root) render(<App />, root);

void enter();
// A new link may be opened in the tab of an old one.
window.addEventListener('hashchange', () => {
  if (location.hash.startsWith('#code=')) void enter();
});
