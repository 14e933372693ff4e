// State of the live side that the workspace keeps, in memory, and restores for the same project (CON-02).
import { closeRecord, wordsSinceSeparator, type TranscriptRecord } from '../transcript/record.ts';
import { unsavedOf } from './savingSession/machine.ts';
import { sessionToSave } from './savingSession/sessionToSave.ts';
import type { LiveSnapshot } from './machine.ts';
import { hasFinalWords } from './tally.ts';
import type { SavedLive } from './types.ts';

type Offer = Pick<SavedLive, 'unsaved' | 'offersLast'>;

/**
 * The unsaved session: the one on offer, or the running one, which ends with its screen. Words that are not final take
 * the offer from no other session.
 */
function offerOf(live: LiveSnapshot, record: TranscriptRecord): Offer {
  const saving = live.children.savingSession?.getSnapshot();
  const offered = saving ? unsavedOf(saving) : null;
  const { tally, offersLast } = live.context;
  if (live.hasTag('stopped') || (offered && !hasFinalWords(tally))) return { unsaved: offered, offersLast };
  const tokens = wordsSinceSeparator(record, 'broken');
  return { unsaved: tokens.length > 0 ? sessionToSave(live.context, tokens) : null, offersLast: true };
}

/** The state to keep when the screen closes, which ends a running session: its pending words are kept as final. */
export function savedOf(live: LiveSnapshot): SavedLive | null {
  const record = live.children.transcript?.getSnapshot().context;
  if (!record) return null;
  const { settings, modelId, source, deviceId, file, elapsedSeconds, tally } = live.context;
  return {
    record: live.hasTag('stopped') ? record : closeRecord(record, 'broken'),
    settings,
    modelId,
    source,
    deviceId,
    file,
    elapsedSeconds,
    tally,
    ...offerOf(live, record),
  };
}
