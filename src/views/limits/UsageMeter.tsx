import { Box, chakra } from '@chakra-ui/react';
import type { Limit } from '#contract/limits.ts';
import { shareOf } from '#machines/shared/limitShare.ts';
import { usedText, WORDS } from '../ui/limits/words.ts';

const STEPS = 100;
/** The used share from which a limit counts as nearly reached. */
export const NEARLY = 0.8;

/** How much of a limit is used. Renders nothing without a limit; the text beside it tells the usage. */
export function UsageMeter({ limit }: { limit: Limit }) {
  const share = shareOf(limit);
  if (share === null) return null;
  return (
    <chakra.div
      role="meter"
      aria-label={WORDS[limit.name].name}
      aria-valuemin={0}
      aria-valuemax={STEPS}
      aria-valuenow={Math.round(share * STEPS)}
      aria-valuetext={usedText(limit)}
      height="2"
      bg="bg.emphasized"
      borderRadius="full"
      overflow="hidden"
    >
      <Box
        height="full"
        minWidth={share > 0 ? '2' : '0'}
        borderRadius="full"
        bg={share === 1 ? 'red.solid' : share >= NEARLY ? 'orange.solid' : 'brand.solid'}
        style={{ width: `${share * STEPS}%` }}
      />
    </chakra.div>
  );
}
