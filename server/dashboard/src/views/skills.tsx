// Skills and notes.

import { NotesPanel } from './notes.tsx';
import { SkillsPanel } from './skillList.tsx';

export function SkillsView() {
  return (
    <>
      <h1>Skills and notes</h1>
      <SkillsPanel />
      <NotesPanel />
    </>
  );
}
