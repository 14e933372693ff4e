import { Text } from '@chakra-ui/react';
import { Circle, CircleCheck } from 'lucide-react';

/** Whether a first step is done. */
export function StepMark({ isDone }: { isDone: boolean }) {
  return (
    <Text as="span" mt="0.5" flexShrink="0" color={isDone ? 'fg.success' : 'fg.subtle'}>
      {isDone ? <CircleCheck size={20} aria-label="Done" /> : <Circle size={20} aria-label="To do" />}
    </Text>
  );
}
