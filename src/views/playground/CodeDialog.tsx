import { useSelector } from '@xstate/react';
import { Suspense, use } from 'react';
import { later, once } from '../../behaviours/late.ts';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { Waiting } from '../ui/Waiting.tsx';
import { useCodePanel } from './state.ts';

type Of = 'file' | 'live';

/** What writes the settings as code; fetched after the first screen has been drawn. */
const fetchCode = once(() => later(() => import('./code.ts')));

/** Draws nothing: fetches the code before somebody asks for it. */
function Fetching() {
  use(fetchCode());
  return null;
}

function Code({ of }: { of: Of }) {
  const { FileCode, LiveCode } = use(fetchCode());
  return of === 'file' ? <FileCode /> : <LiveCode />;
}

/** The present settings as code. The same dialog before and after the code has come: another one would take the focus and close it. */
export function CodeDialog({ of }: { of: Of }) {
  const codePanel = useCodePanel();
  const isOpen = useSelector(codePanel, (snapshot) => snapshot.hasTag('open'));
  return (
    <>
      <Suspense fallback={null}>
        <Fetching />
      </Suspense>
      <ModalDialog
        title="Use in code"
        maxWidth="820px"
        open={isOpen}
        onClose={() => codePanel.send({ type: 'code.dismissed' })}
      >
        <Suspense fallback={<Waiting height="320px" label="Loading the code" />}>
          <Code of={of} />
        </Suspense>
      </ModalDialog>
    </>
  );
}
