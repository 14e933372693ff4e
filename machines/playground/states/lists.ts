import { given } from '../../shared/given.ts';
import { plainRoute } from '../context.ts';
import { removalToast } from '../removal/texts.ts';
import { setupPlayground } from '../setup.ts';

/** Removal: the row goes at once, and comes back if the server refuses. */
export const removals = setupPlayground.createStateConfig({
  on: {
    'removal.started': { actions: given('takeFromList') },
    'removal.failed': {
      actions: [
        given('putBackInList'),
        { type: 'announce', params: ({ event }) => removalToast(event.item, 'error', event.failure) },
      ],
    },
    'removal.halted': { actions: given('putBackInList') },
    'removal.succeeded': [
      {
        guard: given('isOpen'),
        actions: [
          { type: 'announce', params: ({ event }) => removalToast(event.item, 'success') },
          { type: 'announce', params: ({ context }) => ({ type: 'navigate.requested', to: plainRoute(context) }) },
        ],
      },
      { actions: { type: 'announce', params: ({ event }) => removalToast(event.item, 'success') } },
    ],
  },
});

/** What other tabs and programs do in the project reaches the lists. */
export const followed = setupPlayground.createStateConfig({
  on: {
    'push.received': [
      { guard: given('isForLists'), actions: [given('follow'), 'noteUse'] },
      { guard: given('isOfUse'), actions: 'noteUse' },
    ],
    'listed.read': { actions: given('listRead') },
    'listed.gone': { actions: given('listGone') },
    'lists.read': { actions: [given('renewFiles'), given('renewTranscriptions')] },
  },
});
