import { Button } from '@chakra-ui/react';
import { Code2 } from 'lucide-react';
import { useCodePanel } from './state.ts';

/** Opens the present settings as code. The dialog itself is fetched with the first paint, not before it. */
export function CodeButton() {
  const codePanel = useCodePanel();
  return (
    <Button size="sm" variant="ghost" flexShrink="0" onClick={() => codePanel.send({ type: 'code.requested' })}>
      <Code2 size={15} aria-hidden /> View code
    </Button>
  );
}
