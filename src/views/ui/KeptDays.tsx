import { Text } from '@chakra-ui/react';
import type { Kept } from '#contract/settings.ts';
import { useSettings } from './state.ts';

const WORDS: Record<Kept, (days: string) => string> = {
  usage: (days) => `Requests are removed ${days} after the end of their month, in UTC.`,
  audit: (days) => `Entries are removed after ${days}.`,
  recordings: (days) => `Files are removed ${days} after they were uploaded.`,
  transcriptions: (days) => `Transcriptions are removed ${days} after they ended.`,
};

function useWords(of: Kept): string | undefined {
  const days = useSettings().keptDays[of];
  return days === undefined ? undefined : WORDS[of](days === 1 ? '1 day' : `${days} days`);
}

/** After how long the operator lets what a list shows be removed; nothing where it is kept for good (OPS-78). */
export function KeptDays({ of }: { of: Kept }) {
  const words = useWords(of);
  return words === undefined ? null : <span>{` ${words}`}</span>;
}

/** The same as a line above a list. */
export function KeptLine({ of }: { of: Kept }) {
  const words = useWords(of);
  return words === undefined ? null : (
    <Text px="3" pb="2" fontSize="sm" color="fg.muted">
      {words}
    </Text>
  );
}
