// What of the live side outlives its screen: it comes back with the same project (CON-02). In memory only.
import { closeRecord, wordsSinceSeparator, type TranscriptRecord } from '../transcript/record.ts';
import { unsavedOf } from './savingSession/machine.ts';
import { sessionToSave } from './savingSession/sessionToSave.ts';
import type { LiveSnapshot } from './machine.ts';
import type { SavedLive } from './types.ts';

/** What nobody has saved: what is on offer, or what a session that ends with its screen has heard. */
function unsavedIn(live: LiveSnapshot, record: TranscriptRecord): SavedLive['unsaved'] {
  const saving = live.children.savingSession?.getSnapshot();
  if (live.hasTag('stopped')) return saving ? unsavedOf(saving) : null;
  const tokens = wordsSinceSeparator(record, 'broken');
  return tokens.length > 0 ? sessionToSave(live.context, tokens) : null;
}

/** What is there when the screen goes. A session that is running ends with it: its words stay as they were read. */
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
    unsaved: unsavedIn(live, record),
  };
}
