import { Badge } from '@chakra-ui/react';
import { FlaskConical } from 'lucide-react';
import { useSettings } from '../ui/state.ts';

/** Says beside the heading that payments are tests. Renders nothing if they are real. */
export function TestModeNote() {
  const { payments } = useSettings();
  if (payments !== 'test') return null;
  return (
    <Badge role="note" variant="subtle" colorPalette="orange" size="md" color="fg">
      <FlaskConical size={14} aria-hidden />
      Test mode: no money moves.
    </Badge>
  );
}
