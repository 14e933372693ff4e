import { useSelector } from '@xstate/react';
import { lazy, Suspense } from 'react';
import { later } from '../../behaviours/late.ts';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { Waiting } from '../ui/Waiting.tsx';
import type * as code from './code.ts';
import { useCodePanel } from './state.ts';

let fetching: Promise<typeof code> | undefined;
const fetchCode = () => (fetching ??= later(() => import('./code.ts')));

const CODE = {
  file: lazy(async () => ({ default: (await fetchCode()).FileCode })),
  live: lazy(async () => ({ default: (await fetchCode()).LiveCode })),
};
/** Draws nothing: fetches the code before somebody asks for it. */
const Fetched = lazy(async () => {
  await fetchCode();
  return { default: () => null };
});

/** The present settings as code; one dialog while that is on its way and when it has come, so that it stays open. */
export function CodeDialog({ of }: { of: keyof typeof CODE }) {
  const codePanel = useCodePanel();
  const isOpen = useSelector(codePanel, (snapshot) => snapshot.hasTag('open'));
  const Code = CODE[of];
  return (
    <>
      <Suspense fallback={null}>
        <Fetched />
      </Suspense>
      <ModalDialog
        title="Use in code"
        maxWidth="820px"
        open={isOpen}
        onClose={() => codePanel.send({ type: 'code.dismissed' })}
      >
        <Suspense fallback={<Waiting height="320px" label="Loading the code" />}>
          <Code />
        </Suspense>
      </ModalDialog>
    </>
  );
}
