import { Box, chakra } from '@chakra-ui/react';
import { HEARD_LEVEL } from '#machines/playground/live/inputLevel/machine.ts';

const STEPS = 100;

/** The loudness of the input. @param level 0..1 */
export function LevelBar({ level }: { level: number }) {
  const steps = Math.round(level * STEPS);
  return (
    <chakra.div
      role="meter"
      aria-label="Input level"
      aria-valuemin={0}
      aria-valuemax={STEPS}
      aria-valuenow={steps}
      flex="1"
      height="2"
      bg="bg.muted"
      borderRadius="full"
      overflow="hidden"
    >
      <Box height="full" bg={level > HEARD_LEVEL ? 'green.solid' : 'border.control'} style={{ width: `${steps}%` }} />
    </chakra.div>
  );
}
