import type { RetentionKind } from '#contract/settings.ts';
import { useSettings } from './state.ts';

const WORDS: Record<RetentionKind, (days: string) => string> = {
  usage: (days) => `Requests are removed ${days} after the end of their month, in UTC.`,
  audit: (days) => `Entries are removed after ${days}.`,
  recordings: (days) => `Files are removed ${days} after they were uploaded.`,
  transcriptions: (days) => `Transcriptions are removed ${days} after they ended.`,
};

function useWords(of: RetentionKind): string | undefined {
  const days = useSettings().keptDays[of];
  return days === undefined ? undefined : WORDS[of](days === 1 ? '1 day' : `${days} days`);
}

/** Says after how many days the server removes a list's items. Renders nothing if it keeps them (OPS-78). */
export function RetentionText({ of }: { of: RetentionKind }) {
  const words = useWords(of);
  return words === undefined ? null : <span>{` ${words}`}</span>;
}

/** Like {@link RetentionText}, as a line above a list. */
export function RetentionNote({ of }: { of: RetentionKind }) {
  const words = useWords(of);
  return words === undefined ? null : <p className="kept-line">{words}</p>;
}
