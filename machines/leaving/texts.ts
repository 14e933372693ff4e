import { namedBy } from '../workspace/select.ts';
import type { LeavingSnapshot } from './machine.ts';
import type { StakeKind } from './stake.ts';

type Question = { title: string; confirm: string; losses: readonly string[] };

const LOSSES: Readonly<Record<StakeKind, string>> = {
  live: 'The live session ends.',
  upload: 'The upload stops, and the file is not saved.',
  form: 'What you typed is not saved.',
  secret: 'The new API key has not been copied, and is never shown again.',
};

const ORDER: readonly StakeKind[] = ['live', 'upload', 'form', 'secret'];

/** What the person is asked, with everything that would be lost; null while nothing is asked. */
export function questionOf({ context: { departure, stakes } }: LeavingSnapshot): Question | null {
  if (!departure) return null;
  const isSignOut = departure.way === 'signOut';
  const kinds = new Set(stakes.filter(({ scope }) => isSignOut || scope === 'screen').map(({ kind }) => kind));
  const losses = ORDER.filter((kind) => kinds.has(kind)).map((kind) => (kind === 'live' ? `${LOSSES.live} ${isKept(departure) ? 'Its text stays in the playground.' : 'Its text is lost.'}` : LOSSES[kind]));
  return { title: isSignOut ? 'Sign out now?' : 'Leave this page?', confirm: isSignOut ? 'Sign out' : 'Leave', losses };
}

/** Whether the transcript is still there when one comes back: within the project (CON-02). */
function isKept(departure: NonNullable<LeavingSnapshot['context']['departure']>): boolean {
  if (departure.way === 'signOut') return false;
  const [from, to] = [namedBy(departure.from), namedBy(departure.to)];
  if (to.projectUuid !== null) return to.projectUuid === from.projectUuid;
  return to.orgUuid === null || to.orgUuid === from.orgUuid;
}
