// Finds what has an id that the person typed or pasted: a request, a transcription or a file of the project in the
// address. Organizations and projects are commands, which have their ids.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { LogDetails } from '#contract/logs.ts';
import { readListed, type ItemRead, type Listed } from '../../playground/listSync/actors.ts';
import { isGone } from '../../shared/failure.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { loadLog } from '../logs/details/actors.ts';

/** The project in the address; `mayOpen` its playground. */
export type LookupPlace = { orgUuid: string; projectUuid: string; mayOpen: boolean };

type Input = { place: LookupPlace; id: string };

/** What has the id: a request, with its transcription if the person may open that; or a transcription, or a file. */
type Found = { logId: string | null; transcriptionId: string | null; fileId: string | null };

const NOTHING: Found = { logId: null, transcriptionId: null, fileId: null };

const setupLookup = setup({
  types: {} as {
    context: Input & { found: Found };
    input: Input;
    tags: 'looking' | 'unknown' | 'failed';
  },
  actors: { loadLog, readListed },
  guards: {
    isGone: (_, { error }: { error: unknown }) => isGone(error),
    mayOpen: ({ context }) => context.place.mayOpen,
    isThere: (_, item: ItemRead | null) => item !== null,
  },
  actions: {
    setLog: assign((_, { id, transcription_id }: LogDetails) => ({
      found: { ...NOTHING, logId: id, transcriptionId: transcription_id },
    })),
    setItem: assign((_, read: ItemRead | null) => ({
      found: {
        ...NOTHING,
        transcriptionId: read?.kind === 'transcription' ? read.item.id : null,
        fileId: read?.kind === 'file' ? read.item.id : null,
      },
    })),
  },
});

/** Asks for a thing of one kind; goes on if there is none. */
const asking = (kind: Listed['kind'], next: 'askingFile' | 'unknown') =>
  setupLookup.createStateConfig({
    tags: 'looking',
    invoke: {
      id: 'readListed',
      src: 'readListed',
      input: ({ context: { id } }) => ({ kind, id }),
      onDone: [{ guard: withOutput('isThere'), target: 'found', actions: withOutput('setItem') }, { target: next }],
      onError: 'failed',
    },
  });

export const lookupMachine = setupLookup.createMachine({
  id: 'lookup',
  context: ({ input }) => ({ ...input, found: NOTHING }),
  initial: 'askingLog',
  states: {
    askingLog: {
      tags: 'looking',
      invoke: {
        id: 'loadLog',
        src: 'loadLog',
        input: ({ context: { place, id } }) => ({ projectUuid: place.projectUuid, id }),
        onDone: { target: 'found', actions: withOutput('setLog') },
        onError: [{ guard: withEvent('isGone'), target: 'goingOn' }, { target: 'failed' }],
      },
    },
    // A request that still runs is in no log.
    goingOn: { always: [{ guard: 'mayOpen', target: 'askingTranscription' }, { target: 'unknown' }] },
    askingTranscription: asking('transcription', 'askingFile'),
    askingFile: asking('file', 'unknown'),
    found: {},
    unknown: { tags: 'unknown' },
    failed: { tags: 'failed' },
  },
});

export type LookupActor = ActorRefFrom<typeof lookupMachine>;
