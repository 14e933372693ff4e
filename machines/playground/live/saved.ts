// What of the live side outlives its screen: it comes back with the same project (CON-02). In memory only.
import { closeRecord } from '../transcript/record.ts';
import type { LiveSnapshot } from './machine.ts';
import type { SavedLive } from './types.ts';

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
  };
}
