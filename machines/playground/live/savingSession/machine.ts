// Models saving a live session: only if the person asks, or has chosen to always save.
// Owned by `live`. Only the latest session can be saved, but a save under way always finishes.
import { assign, sendTo, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import type { LiveSessionToKeep, Transcription } from '#contract/transcriptions.ts';
import { type Failure, failureOf } from '../../../shared/failure.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { notifyParent } from '../../../shared/notifyParent.ts';
import { savingChoice, saveSession, type ChoiceMade, type ChoiceRead } from './actors.ts';

/** From the owner: the words of a session have begun, one with words has ended, or the transcript was cleared. */
export type SavingSessionEvent =
  | { type: 'session.began' }
  | { type: 'session.ended'; session: LiveSessionToKeep }
  | { type: 'record.cleared' };

export type SavingSessionNotice = { type: 'session.saved'; transcription: Transcription };

type SavingSessionContext = {
  isAlways: boolean;
  /** The session that can be saved or is being saved. */
  session: LiveSessionToKeep | null;
  /** Sessions that ended while another was being saved, oldest first: all if each is saved, else the latest. */
  waiting: LiveSessionToKeep[];
  /** Id of the transcription that the session became. */
  savedId: string | null;
  failure: Failure | null;
};

const setupSavingSession = setup({
  types: {} as {
    context: SavingSessionContext;
    input: { session: LiveSessionToKeep | null };
    events: SavingSessionEvent | ChoiceRead | { type: 'save.requested' } | { type: 'always.toggled' };
    tags: 'unsaved' | 'busy' | 'saved' | 'failed';
    children: { saveSession: 'saveSession'; savingChoice: 'savingChoice' };
  },
  actors: { saveSession, savingChoice },
  guards: {
    isAlways: ({ context }) => context.isAlways,
    turnsOn: ({ context }) => !context.isAlways,
    hasSession: ({ context }) => context.session !== null,
    readsAlways: (_, { isAlways }: ChoiceRead) => isAlways,
    isWaited: ({ context }) => context.waiting.length > 0,
    isWaitedAlways: ({ context }) => context.waiting.length > 0 && context.isAlways,
  },
  actions: {
    adoptChoice: assign((_, { isAlways }: { isAlways: boolean }) => ({ isAlways })),
    toggle: assign(({ context }) => ({ isAlways: !context.isAlways })),
    saveChoice: sendTo('savingChoice', ({ context }): ChoiceMade => ({
      type: 'choice.made',
      isAlways: context.isAlways,
    })),
    adopt: assign((_, { session }: { session: LiveSessionToKeep }) => ({ session, savedId: null, failure: null })),
    queue: assign(({ context: { isAlways, waiting } }, { session }: { session: LiveSessionToKeep }) => ({
      waiting: isAlways ? [...waiting, session] : [session],
    })),
    saveNext: assign(({ context: { waiting } }) => ({
      session: waiting[0] ?? null,
      waiting: waiting.slice(1),
      savedId: null,
    })),
    offerLatest: assign(({ context: { waiting } }) => ({
      session: waiting.at(-1) ?? null,
      waiting: [],
      savedId: null,
    })),
    forget: assign({ session: null, waiting: [], savedId: null, failure: null }),
    setId: assign((_, { id }: Transcription) => ({ savedId: id, session: null })),
    setFailure: assign(failureOf),
    clearFailure: assign({ failure: null }),
    notifyParent: notifyParent<SavingSessionNotice>(),
  },
});

const notifySaved = {
  type: 'notifyParent',
  params: ({ event: { output } }: { event: { output: Transcription } }): SavingSessionNotice => ({
    type: 'session.saved',
    transcription: output,
  }),
} as const;

/** Where the end of a session leads while nothing is being saved. */
const ended = setupSavingSession.createStateConfig({
  on: {
    'session.ended': [
      { guard: 'isAlways', target: '#savingSession.saving', actions: withEvent('adopt') },
      { target: '#savingSession.offered', actions: withEvent('adopt') },
    ],
  },
});

/** An unsaved session. */
const unsaved = setupSavingSession.createStateConfig({
  tags: 'unsaved',
  on: {
    ...ended.on,
    'save.requested': '#savingSession.saving',
    'always.toggled': [
      { guard: 'turnsOn', target: '#savingSession.saving', actions: ['toggle', 'saveChoice'] },
      { actions: ['toggle', 'saveChoice'] },
    ],
    'session.began': { target: '#savingSession.none', actions: 'forget' },
    'record.cleared': { target: '#savingSession.none', actions: 'forget' },
  },
});

export const savingSessionMachine = setupSavingSession.createMachine({
  id: 'savingSession',
  context: ({ input: { session } }) => ({ isAlways: false, session, waiting: [], savedId: null, failure: null }),
  invoke: { id: 'savingChoice', src: 'savingChoice' },
  on: {
    'choice.read': { actions: withEvent('adoptChoice') },
    'always.toggled': { actions: ['toggle', 'saveChoice'] },
  },
  initial: 'deciding',
  states: {
    deciding: { always: [{ guard: 'hasSession', target: 'restored' }, { target: 'none' }] },
    none: ended,
    // The session is from an earlier visit to this screen. `savingChoice` answers as soon as the chart starts.
    restored: {
      tags: 'unsaved',
      on: {
        'choice.read': [
          { guard: withEvent('readsAlways'), target: 'saving', actions: withEvent('adoptChoice') },
          { target: 'offered', actions: withEvent('adoptChoice') },
        ],
      },
    },
    offered: unsaved,
    saving: {
      tags: 'busy',
      entry: 'clearFailure',
      invoke: {
        id: 'saveSession',
        src: 'saveSession',
        input: ({ context: { session } }) => {
          if (!session) throw new Error('No session to save.');
          return { session };
        },
        onDone: [
          {
            guard: 'isWaitedAlways',
            target: 'saving',
            reenter: true,
            actions: [notifySaved, 'saveNext'],
          },
          {
            guard: 'isWaited',
            target: 'offered',
            actions: [notifySaved, 'offerLatest'],
          },
          {
            target: 'saved',
            actions: [withOutput('setId'), notifySaved],
          },
        ],
        onError: { target: 'failed', actions: withEvent('setFailure') },
      },
      on: { 'session.ended': { actions: withEvent('queue') } },
    },
    saved: {
      tags: 'saved',
      on: {
        ...ended.on,
        'session.began': { target: 'none', actions: 'forget' },
        'record.cleared': { target: 'none', actions: 'forget' },
      },
    },
    failed: { ...unsaved, tags: ['unsaved', 'failed'] },
  },
});

export type SavingSessionActor = ActorRefFrom<typeof savingSessionMachine>;

/** The session that is not saved yet, if any. */
export const unsavedOf = ({ context }: SnapshotFrom<typeof savingSessionMachine>): LiveSessionToKeep | null =>
  context.waiting.at(-1) ?? context.session;
