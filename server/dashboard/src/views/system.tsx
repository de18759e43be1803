// System: load, health, memory, guards, and who is paired.

import { HealthPanel } from './health.tsx';
import { LoadPanel } from './load.tsx';
import { MemoryPanel } from './memory.tsx';
import { PairingsPanel } from './pairings.tsx';
import { RefusalsPanel, SecurityPanel } from './security.tsx';

export function SystemView() {
  return (
    <>
      <h1>System</h1>
      <LoadPanel />
      <HealthPanel />
      <MemoryPanel />
      <SecurityPanel />
      <PairingsPanel />
      <RefusalsPanel />
    </>
  );
}
