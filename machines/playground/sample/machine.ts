// Models adding a sample to the project as a file, which `async` then opens and transcribes.
// Owned by `async`; adds one sample at a time.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { StoredFile } from '#contract/files.ts';
import type { SampleName } from '#contract/samples.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { withEvent } from '../../shared/withEvent.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { addSample } from './actors.ts';

export type SampleNotice = { type: 'sample.added'; name: SampleName; file: StoredFile };

const setupSample = setup({
  types: {} as {
    context: { name: SampleName | null; failure: Failure | null };
    events: { type: 'sample.chosen'; name: SampleName };
    tags: 'busy' | 'failed';
    children: { addSample: 'addSample' };
  },
  actors: { addSample },
  actions: {
    setName: assign((_, { name }: { name: SampleName }) => ({ name, failure: null })),
    setFailure: assign(failureOf),
    notifyParent: notifyParent<SampleNotice>(),
  },
});

const choosing = setupSample.createStateConfig({
  on: { 'sample.chosen': { target: 'adding', actions: withEvent('setName') } },
});

export const sampleMachine = setupSample.createMachine({
  id: 'sample',
  context: { name: null, failure: null },
  initial: 'idle',
  states: {
    idle: choosing,
    adding: {
      tags: 'busy',
      invoke: {
        id: 'addSample',
        src: 'addSample',
        input: ({ context: { name } }) => {
          if (name === null) throw new Error('No sample was chosen.');
          return { name };
        },
        onDone: {
          target: 'idle',
          actions: {
            type: 'notifyParent',
            params: ({ context, event }) => {
              if (context.name === null) throw new Error('No sample was chosen.');
              return { type: 'sample.added', name: context.name, file: event.output };
            },
          },
        },
        onError: { target: 'failed', actions: withEvent('setFailure') },
      },
    },
    failed: { ...choosing, tags: 'failed' },
  },
});

export type SampleActor = ActorRefFrom<typeof sampleMachine>;
