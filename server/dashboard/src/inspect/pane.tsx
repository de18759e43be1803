// What is known of the element that is inspected, beside the picture.

import type { InspectResponse, SessionOverview, TabOverview } from '../rpc/contract.ts';
import { Button } from '../ui/button.tsx';
import { countText } from '../ui/count.ts';
import { Failure } from '../ui/failure.tsx';
import { Empty } from '../ui/panel.tsx';
import { BoxDrawing } from './box.tsx';
import { ChangeList } from './changes.tsx';
import { ComputedList } from './computed.tsx';
import { PropertyAdder } from './edit.tsx';
import { RuleList } from './rules.tsx';
import { ShareElement } from './share.tsx';
import type { Inspector } from './useInspector.ts';

interface PaneProps {
  inspector: Inspector;
  session: SessionOverview;
  tab: TabOverview;
}

export function InspectPane({ inspector, session, tab }: PaneProps) {
  const { isOn, isBusy, element, error, done } = inspector;
  if (!isOn) return null;
  return (
    <aside class="inspect-pane" aria-label="Inspector">
      <p id="picker-help" class="muted">
        Click in the picture; or move the point with the arrow keys, with Shift by one pixel, and press Enter.
      </p>
      <Failure error={error} retry={inspector.retry} dismiss={inspector.dismiss} />
      <p class="muted page-words" role="status">
        {isBusy ? 'Inspecting…' : done}
      </p>
      {element && <ElementHead element={element} inspector={inspector} />}
      {element && <ShareElement key={element.ref} element={element} session={session.name} tab={tab} />}
      {element && <ElementStyles key={`styles ${element.ref}`} element={element} inspector={inspector} />}
      <ChangeList inspector={inspector} />
    </aside>
  );
}

function ElementHead({ element, inspector }: { element: InspectResponse; inspector: Inspector }) {
  return (
    <header class="row-head">
      <div>
        <h2 class="page-words">{element.element || element.selector}</h2>
        <p>
          <code>{element.ref}</code> <code class="muted">{element.selector}</code>
        </p>
      </div>
      <Button label="Inspect it again" icon="reload" iconOnly disabled={inspector.isBusy} onClick={inspector.reload} />
    </header>
  );
}

function ElementStyles({ element, inspector }: { element: InspectResponse; inspector: Inspector }) {
  const { box, rules, inherited, computed } = element;
  return (
    <>
      <BoxDrawing box={box} />
      <section class="inspect-part" aria-label="Rules">
        <h3>Rules, strongest first</h3>
        <label class="check">
          <input
            type="checkbox"
            checked={inspector.isAll}
            onChange={(event) => inspector.setAll(event.currentTarget.checked)}
          />
          Also those of the browser
        </label>
        {rules.length === 0 ? <Empty>None of the page.</Empty> : <RuleList rules={rules} inspector={inspector} />}
        <PropertyAdder inspector={inspector} />
      </section>
      {inherited.length > 0 && (
        <details class="inspect-part">
          <summary>Inherited: {countText(inherited.length, 'rule')}</summary>
          <RuleList rules={inherited} />
        </details>
      )}
      {computed.length > 0 && (
        <details class="inspect-part">
          <summary>Computed properties</summary>
          <ComputedList properties={computed} />
        </details>
      )}
    </>
  );
}
