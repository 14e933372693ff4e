import { withEvent } from '../../shared/withEvent.ts';
import { opening } from '../context.ts';
import { removalToast } from '../removal/texts.ts';
import { setupPlayground } from '../setup.ts';

/** Removal: the row goes at once, and comes back if the server refuses. */
export const removals = setupPlayground.createStateConfig({
  on: {
    'removal.started': { actions: withEvent('takeFromList') },
    'removal.failed': {
      actions: [
        withEvent('putBackInList'),
        { type: 'sendToApp', params: ({ event }) => removalToast(event.item, 'error', event.failure) },
      ],
    },
    'removal.halted': { actions: withEvent('putBackInList') },
    'removal.succeeded': [
      {
        guard: withEvent('isOpen'),
        actions: [
          { type: 'sendToApp', params: ({ event }) => removalToast(event.item, 'success') },
          { type: 'sendToApp', params: ({ context }) => opening(context) },
        ],
      },
      { actions: { type: 'sendToApp', params: ({ event }) => removalToast(event.item, 'success') } },
    ],
  },
});

/** What other tabs and programs do in the project reaches the lists. */
export const followed = setupPlayground.createStateConfig({
  on: {
    'push.received': [
      { guard: withEvent('isForLists'), actions: [withEvent('follow'), 'refreshUsageHint'] },
      { guard: withEvent('isOfUse'), actions: 'refreshUsageHint' },
    ],
    'listed.read': { actions: withEvent('listRead') },
    'listed.gone': { actions: withEvent('listGone') },
    'lists.read': { actions: [withEvent('renewFiles'), withEvent('renewTranscriptions')] },
  },
});
