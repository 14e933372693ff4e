// Models keeping what a live session heard: nothing is stored until the person asks for it, or has chosen to always keep.
// Owned by `live`; of several sessions the last one is on offer, and one that is being stored is stored to the end.
import { assign, sendTo, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import type { LiveSessionToKeep, Transcription } from '#contract/transcriptions.ts';
import { type Failure, failureOf } from '../../../shared/failure.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { notifyParent } from '../../../shared/notifyParent.ts';
import { keepingChoice, saveSession, type ChoiceMade, type ChoiceRead } from './actors.ts';

/** What the owner says: another session has begun, one has ended with words, what was heard was taken away. */
export type KeepingEvent =
  | { type: 'session.began' }
  | { type: 'session.ended'; session: LiveSessionToKeep }
  | { type: 'record.cleared' };

/** What the owner hears. */
export type KeepingNotice = { type: 'session.kept'; transcription: Transcription };

type KeepingContext = {
  isAlways: boolean;
  /** What is on offer, or being stored. */
  session: LiveSessionToKeep | null;
  /** What ended while another was being stored. */
  next: LiveSessionToKeep | null;
  /** Of the transcription that the session has become. */
  keptId: string | null;
  failure: Failure | null;
};

const setupKeeping = setup({
  types: {} as {
    context: KeepingContext;
    input: { session: LiveSessionToKeep | null };
    events: KeepingEvent | ChoiceRead | { type: 'keep.requested' } | { type: 'always.toggled' };
    tags: 'unkept' | 'busy' | 'kept' | 'failed';
    children: { saveSession: 'saveSession'; keepingChoice: 'keepingChoice' };
  },
  actors: { saveSession, keepingChoice },
  guards: {
    isAlways: ({ context }) => context.isAlways,
    turnsOn: ({ context }) => !context.isAlways,
    hasSession: ({ context }) => context.session !== null,
    readsAlways: (_, { isAlways }: ChoiceRead) => isAlways,
    hasNext: ({ context }) => context.next !== null,
    hasNextAlways: ({ context }) => context.next !== null && context.isAlways,
  },
  actions: {
    adoptChoice: assign((_, { isAlways }: { isAlways: boolean }) => ({ isAlways })),
    toggle: assign(({ context }) => ({ isAlways: !context.isAlways })),
    saveChoice: sendTo('keepingChoice', ({ context }): ChoiceMade => ({
      type: 'choice.made',
      isAlways: context.isAlways,
    })),
    adopt: assign((_, { session }: { session: LiveSessionToKeep }) => ({ session, keptId: null, failure: null })),
    queue: assign((_, { session }: { session: LiveSessionToKeep }) => ({ next: session })),
    adoptNext: assign(({ context }) => ({ session: context.next, next: null, keptId: null })),
    forget: assign({ session: null, next: null, keptId: null, failure: null }),
    setId: assign((_, { id }: Transcription) => ({ keptId: id, session: null })),
    setFailure: assign(failureOf),
    clearFailure: assign({ failure: null }),
    notifyParent: notifyParent<KeepingNotice>(),
  },
});

const notifyKept = {
  type: 'notifyParent',
  params: ({ event: { output } }: { event: { output: Transcription } }): KeepingNotice => ({
    type: 'session.kept',
    transcription: output,
  }),
} as const;

/** What a session that has ended leads to, wherever nothing is being stored. */
const ended = setupKeeping.createStateConfig({
  on: {
    'session.ended': [
      { guard: 'isAlways', target: '#keeping.keeping', actions: withEvent('adopt') },
      { target: '#keeping.offered', actions: withEvent('adopt') },
    ],
  },
});

/** A session that nobody has stored yet. */
const unkept = setupKeeping.createStateConfig({
  tags: 'unkept',
  on: {
    ...ended.on,
    'keep.requested': '#keeping.keeping',
    'always.toggled': [
      { guard: 'turnsOn', target: '#keeping.keeping', actions: ['toggle', 'saveChoice'] },
      { actions: ['toggle', 'saveChoice'] },
    ],
    'session.began': { target: '#keeping.none', actions: 'forget' },
    'record.cleared': { target: '#keeping.none', actions: 'forget' },
  },
});

export const keepingMachine = setupKeeping.createMachine({
  id: 'keeping',
  context: ({ input: { session } }) => ({ isAlways: false, session, next: null, keptId: null, failure: null }),
  invoke: { id: 'keepingChoice', src: 'keepingChoice' },
  on: {
    'choice.read': { actions: withEvent('adoptChoice') },
    'always.toggled': { actions: ['toggle', 'saveChoice'] },
  },
  initial: 'deciding',
  states: {
    deciding: { always: [{ guard: 'hasSession', target: 'left' }, { target: 'none' }] },
    none: ended,
    // From an earlier visit to this screen. The choice is read as soon as the chart begins.
    left: {
      tags: 'unkept',
      on: {
        'choice.read': [
          { guard: withEvent('readsAlways'), target: 'keeping', actions: withEvent('adoptChoice') },
          { target: 'offered', actions: withEvent('adoptChoice') },
        ],
      },
    },
    offered: unkept,
    keeping: {
      tags: 'busy',
      entry: 'clearFailure',
      invoke: {
        id: 'saveSession',
        src: 'saveSession',
        input: ({ context: { session } }) => {
          if (!session) throw new Error('No session to keep.');
          return { session };
        },
        onDone: [
          {
            guard: 'hasNextAlways',
            target: 'keeping',
            reenter: true,
            actions: [notifyKept, 'adoptNext'],
          },
          {
            guard: 'hasNext',
            target: 'offered',
            actions: [notifyKept, 'adoptNext'],
          },
          {
            target: 'kept',
            actions: [withOutput('setId'), notifyKept],
          },
        ],
        onError: { target: 'failed', actions: withEvent('setFailure') },
      },
      on: { 'session.ended': { actions: withEvent('queue') } },
    },
    kept: {
      tags: 'kept',
      on: {
        ...ended.on,
        'session.began': { target: 'none', actions: 'forget' },
        'record.cleared': { target: 'none', actions: 'forget' },
      },
    },
    failed: { ...unkept, tags: ['unkept', 'failed'] },
  },
});

export type KeepingActor = ActorRefFrom<typeof keepingMachine>;

/** What is not stored yet; null where there is nothing. */
export const unkeptOf = ({ context }: SnapshotFrom<typeof keepingMachine>): LiveSessionToKeep | null =>
  context.next ?? context.session;
