import { isLiveKept, isDiscarded, isProjectGone, leavesLiveTab, type Place } from './discards.ts';
import type { Departure, LeaveGuardSnapshot } from './machine.ts';
import type { UnsavedKind } from '../../shared/unsavedWork.ts';

type Question = { title: string; confirm: string; consequences: readonly string[] };

const CONSEQUENCES: Readonly<Record<UnsavedKind, string>> = {
  live: 'The live session ends.',
  upload: 'The upload stops, and the file is not saved.',
  form: 'What you typed is not saved.',
  secret: "You haven't copied the new API key, and you won't see it again.",
  signingSecret: "You haven't copied the signing secret, and you won't see it again.",
};

/** For a form, before a reload. */
const MOSTLY_KEPT = "Most of what you typed is kept. Passwords aren't.";

/** For the transcript of an ended live session, before a reload. */
const TRANSCRIPT_LOST = "The live transcript isn't kept and will be lost. Stay to copy or keep it first.";

/** For a form whose place is gone. */
const UNSAVABLE = 'What you typed can no longer be saved. Stay to copy it first.';

const ORDER: readonly UnsavedKind[] = ['live', 'upload', 'form', 'secret', 'signingSecret'];

/** The guard's question, with everything that would be lost; null while it does not ask. */
export function questionOf({ context }: LeaveGuardSnapshot, place: Place): Question | null {
  const { departure, unsavedWork } = context;
  if (!departure) return null;
  const kinds = new Set(
    unsavedWork
      .filter((work) => departure.way !== 'route' || isDiscarded(work, departure.from, departure.to))
      .map(({ kind }) => kind),
  );
  const removalReason = departure.way === 'route' ? context.removalReason : null;
  const consequenceOf = (kind: UnsavedKind): string => {
    if (kind === 'live') return `${CONSEQUENCES.live} ${transcriptFate(departure, place)}`;
    if (kind === 'form' && context.removalReason !== null) return UNSAVABLE;
    return kind === 'form' && departure.way === 'reload' ? MOSTLY_KEPT : CONSEQUENCES[kind];
  };
  const consequences = [
    ...(removalReason === null ? [] : [removalReason]),
    ...ORDER.filter((kind) => kinds.has(kind)).map(consequenceOf),
  ];
  if (departure.way === 'reload' && departure.hasTranscript && !kinds.has('live')) consequences.push(TRANSCRIPT_LOST);
  return { title: titleOf(departure), confirm: CONFIRMS[departure.way], consequences };
}

const CONFIRMS: Readonly<Record<Departure['way'], string>> = { route: 'Leave', signOut: 'Sign out', reload: 'Load it' };

function titleOf(departure: Departure): string {
  if (departure.way === 'signOut') return 'Sign out now?';
  if (departure.way === 'reload') return 'Load the new version now?';
  return leavesLiveTab(departure.from, departure.to) ? 'Leave the WebSocket API tab?' : 'Leave this page?';
}

/** What happens to a live session's transcript. */
function transcriptFate(departure: Departure, place: Place): string {
  if (departure.way !== 'route') return 'Its text is lost.';
  if (isProjectGone(place, departure.from))
    return 'Its text is lost, because the project is gone. Stay to copy or download the text first.';
  return isLiveKept(place, departure.from, departure.to) ? 'Its text stays in the playground.' : 'Its text is lost.';
}
