import type { StreamSnapshot } from './machine.ts';

/** The session's state as shown (LIV-02). */
export type ShownState = 'Init' | 'Starting' | 'Running' | 'Finishing' | 'Finished' | 'Error' | 'Canceled';

export function shownState(snapshot: StreamSnapshot): ShownState {
  if (snapshot.matches('init')) return 'Init';
  if (snapshot.matches('finished')) return 'Finished';
  if (snapshot.matches('error')) return 'Error';
  if (snapshot.matches('canceled')) return 'Canceled';
  if (snapshot.matches({ capturing: 'running' })) return 'Running';
  return snapshot.matches({ capturing: 'requestingMedia' }) || snapshot.matches({ capturing: 'openingWebSocket' })
    ? 'Starting'
    : 'Finishing';
}
