import { useSelector } from '@xstate/react';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { Waiting } from '../ui/Waiting.tsx';
import { useCodePanel } from './state.ts';

/** In place of the settings as code, until what writes them is there. */
export function CodeWaiting() {
  const codePanel = useCodePanel();
  const isOpen = useSelector(codePanel, (snapshot) => snapshot.hasTag('open'));
  return (
    <ModalDialog
      title="Use in code"
      maxWidth="820px"
      open={isOpen}
      onClose={() => codePanel.send({ type: 'code.dismissed' })}
    >
      <Waiting height="320px" label="Loading the code" />
    </ModalDialog>
  );
}
