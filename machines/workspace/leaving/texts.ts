import { isLiveKept, isLost, isProjectGone, leavesLiveTab, type Place } from './losses.ts';
import type { Departure, LeavingSnapshot } from './machine.ts';
import type { StakeKind } from '../../shared/stake.ts';

type Question = { title: string; confirm: string; losses: readonly string[] };

const LOSSES: Readonly<Record<StakeKind, string>> = {
  live: 'The live session ends.',
  upload: 'The upload stops, and the file is not saved.',
  form: 'What you typed is not saved.',
  secret: "You haven't copied the new API key, and you won't see it again.",
  signingSecret: "You haven't copied the signing secret, and you won't see it again.",
};

/** Of a form whose place has gone. */
const UNSAVABLE = 'What you typed can no longer be saved. Stay to copy it first.';

const ORDER: readonly StakeKind[] = ['live', 'upload', 'form', 'secret', 'signingSecret'];

/** What the person is asked, with everything that would be lost; null while nothing is asked. */
export function questionOf({ context }: LeavingSnapshot, place: Place): Question | null {
  const { departure, stakes } = context;
  if (!departure) return null;
  const kinds = new Set(
    stakes
      .filter((stake) => departure.way === 'signOut' || isLost(stake, departure.from, departure.to))
      .map(({ kind }) => kind),
  );
  const lost = departure.way === 'route' ? context.lost : null;
  const lossOf = (kind: StakeKind): string => {
    if (kind === 'live') return `${LOSSES.live} ${becomesOfText(departure, place)}`;
    return kind === 'form' && context.lost !== null ? UNSAVABLE : LOSSES[kind];
  };
  const losses = [...(lost === null ? [] : [lost]), ...ORDER.filter((kind) => kinds.has(kind)).map(lossOf)];
  return { title: titleOf(departure), confirm: departure.way === 'signOut' ? 'Sign out' : 'Leave', losses };
}

function titleOf(departure: Departure): string {
  if (departure.way === 'signOut') return 'Sign out now?';
  return leavesLiveTab(departure.from, departure.to) ? 'Leave the WebSocket API tab?' : 'Leave this page?';
}

/** What becomes of what a live session has heard. */
function becomesOfText(departure: Departure, place: Place): string {
  if (departure.way === 'signOut') return 'Its text is lost.';
  if (isProjectGone(place, departure.from))
    return 'Its text is lost, because the project is gone. Stay to copy or save the text first.';
  return isLiveKept(place, departure.from, departure.to) ? 'Its text stays in the playground.' : 'Its text is lost.';
}
