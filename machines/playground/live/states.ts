// What goes on beside a live session: the file that is heard, and whether one may begin.
import { raise } from 'xstate';
import { withEvent } from '../../shared/withEvent.ts';
import { LIVE_SAMPLE } from '../sample/list.ts';
import { setupLive } from './setup.ts';

/** Whether the picked file can be played: only then it can be run (LIV-10). */
export const input = setupLive.createStateConfig({
  initial: 'deciding',
  on: {
    'file.adopted': '.loading',
    'sampleFile.requested': '.fetching',
  },
  states: {
    deciding: { always: [{ guard: 'hasFile', target: 'loading' }, { target: 'none' }] },
    none: {},
    fetching: {
      tags: 'fileLoading',
      entry: 'clearFileProblem',
      invoke: {
        id: 'fetchSample',
        src: 'fetchSample',
        input: { name: LIVE_SAMPLE },
        onDone: {
          target: 'loading',
          actions: [
            { type: 'setFile', params: ({ event }) => ({ file: event.output }) },
            raise({ type: 'playback.rewound' }),
          ],
        },
        onError: { target: 'unplayable', actions: withEvent('setFileProblem') },
      },
    },
    loading: {
      tags: 'fileLoading',
      entry: 'clearFileProblem',
      invoke: {
        id: 'probeFile',
        src: 'probeFile',
        input: ({ context }) => {
          if (!context.file) throw new Error('No file to play.');
          return { file: context.file };
        },
        onDone: { target: 'playable', actions: raise({ type: 'file.readied' }) },
        onError: { target: 'unplayable', actions: withEvent('setFileProblem') },
      },
    },
    playable: {},
    unplayable: { tags: 'fileFailed' },
  },
});

/** Whether a session begins by itself: of a sample, as soon as that can be played, unless something else came first. */
export const start = setupLive.createStateConfig({
  initial: 'byHand',
  states: {
    byHand: { on: { 'sampleFile.requested': 'byItself' } },
    byItself: {
      on: {
        'file.readied': { target: 'byHand', actions: raise({ type: 'run.requested' }) },
        'file.picked': 'byHand',
        // Who has chosen the microphone meanwhile is not run away with.
        'source.selected': { guard: withEvent('isMicrophone'), target: 'byHand' },
        'screen.taken': 'byHand',
        'controls.gone': 'byHand',
      },
    },
  },
});

/** Whether the person sees a session and how to stop it; else none goes on, and none begins. */
export const screen = setupLive.createStateConfig({
  initial: 'shown',
  on: {
    // Again, too: a trial may have begun in what was left.
    'screen.taken': { target: '.taken', actions: ['endTrial', raise({ type: 'stop.requested' })] },
  },
  states: {
    shown: {},
    taken: { tags: 'taken', on: { 'screen.returned': 'shown' } },
  },
});

/** Whether the session's controls stand in the document. A region of its own: a failed part may return while the controls are still gone. */
export const controls = setupLive.createStateConfig({
  initial: 'standing',
  states: {
    standing: {
      on: {
        'controls.gone': { target: 'gone', actions: ['endTrial', raise({ type: 'stop.requested' })] },
      },
    },
    gone: { tags: 'taken', on: { 'controls.restored': 'standing' } },
  },
});

/** Whether the project is still the person's. If not, the words stay, and no session begins (UXP-113). */
export const place = setupLive.createStateConfig({
  initial: 'there',
  states: {
    there: {
      on: {
        'place.removed': { target: 'removed', actions: withEvent('setRemovalReason') },
      },
    },
    removed: { tags: 'placeRemoved', on: { 'place.back': { target: 'there', actions: 'clearRemovalReason' } } },
  },
});
