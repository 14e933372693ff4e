import { Button } from '@chakra-ui/react';
import { Code2 } from 'lucide-react';
import { useCodePanel } from './state.ts';

/** Opens the dialog that shows the current settings as code. */
export function CodeButton() {
  const codePanel = useCodePanel();
  return (
    <Button size="sm" variant="ghost" flexShrink="0" onClick={() => codePanel.send({ type: 'code.requested' })}>
      <Code2 size={15} aria-hidden /> View code
    </Button>
  );
}
