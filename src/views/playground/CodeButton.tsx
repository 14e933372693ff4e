import { Code2 } from 'lucide-react';
import { useCodePanel } from './state.ts';

/** Opens the dialog that shows the current settings as code. */
export function CodeButton() {
  const codePanel = useCodePanel();
  return (
    <button type="button" className="button-ghost-sm" onClick={() => codePanel.send({ type: 'code.requested' })}>
      <Code2 size={15} aria-hidden /> View code
    </button>
  );
}
