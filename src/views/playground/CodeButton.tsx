import { Button, type ButtonProps } from '@chakra-ui/react';
import { Code2 } from 'lucide-react';
import { useCodePanel } from './state.ts';

/** Opens the present settings as code. The dialog itself is fetched with the first paint, not before it. */
export function CodeButton({ width = 'full' }: Pick<ButtonProps, 'width'>) {
  const codePanel = useCodePanel();
  return (
    <Button
      size="sm"
      variant="ghost"
      width={width}
      flexShrink="0"
      onClick={() => codePanel.send({ type: 'code.requested' })}
    >
      <Code2 size={15} aria-hidden /> View code
    </Button>
  );
}
