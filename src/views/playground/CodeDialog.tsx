import { useSelector } from '@xstate/react';
import { Suspense, use } from 'react';
import { fetchCode } from '../../behaviours/lateViews.ts';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { Waiting } from '../ui/Waiting.tsx';
import { useCodePanel } from './state.ts';

type Of = 'file' | 'live';

/** Renders nothing: fetches the contents before somebody opens the dialog. */
function Prefetch() {
  use(fetchCode());
  return null;
}

function Code({ of }: { of: Of }) {
  const { FileCode, LiveCode } = use(fetchCode());
  return of === 'file' ? <FileCode /> : <LiveCode />;
}

/** The current settings as code. The dialog stays mounted while its contents load: remounting would close it. */
export function CodeDialog({ of }: { of: Of }) {
  const codePanel = useCodePanel();
  const isOpen = useSelector(codePanel, (snapshot) => snapshot.hasTag('open'));
  return (
    <>
      <Suspense fallback={null}>
        <Prefetch />
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
