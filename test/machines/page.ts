// What a page and a workspace of the tests have outside.
import { onTestFinished } from 'vitest';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import type { PlaygroundData } from '#machines/playground/actors.ts';
import { rootMachine } from '#machines/root/machine.ts';
import { sessionMachine } from '#machines/session/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { KeptDrafts } from '#machines/shared/form/drafts.ts';
import type { MembershipsRead, WorkspaceData } from '#machines/workspace/actors.ts';
import { ann, settings } from './people.ts';
import { ASYNC, RT } from './playground-fixtures.ts';
import { silenced } from './silenced.ts';

type Answer<Value> = Value | Promise<Value>;
type Effects = NonNullable<Parameters<typeof rootMachine.provide>[0]['actors']>;

/** A page, not started, with what was stored of a session; a call to end one fails. */
export function pageWith(
  stored: TokenPair | null | CallError,
  actors: Effects,
  { keptDrafts = null, clock = new SimulatedClock() }: { keptDrafts?: KeptDrafts | null; clock?: SimulatedClock } = {},
) {
  const root = createActor(
    silenced(rootMachine, {
      session: silenced(sessionMachine).provide({
        actors: {
          restoreTokens: fromPromise<TokenPair | null, void>(async () => {
            if (stored instanceof CallError) throw stored;
            return stored;
          }),
          invalidateTokens: fromPromise(() => Promise.reject(new Error('Offline.'))),
        },
      }),
      fetchConsole: fromPromise<void, void>(async () => undefined),
      ...actors,
    }),
    { input: { settings, browserLanguages: ['en'], keptDrafts }, clock },
  );
  onTestFinished(() => void root.stop());
  return root;
}

/** The effects by which a workspace reads: at first, and its memberships whenever they are read again. */
export const reading = (
  first: () => Answer<WorkspaceData> = () => ann,
  again: () => Answer<MembershipsRead['memberships']> = () => ann.memberships,
) => ({
  loadWorkspace: fromPromise<WorkspaceData, void>(async () => first()),
  loadMemberships: fromPromise<MembershipsRead, void>(async () => ({ memberships: await again() })),
});

/** What a playground begins with. */
export const playgroundData = (of: () => Partial<PlaygroundData> = () => ({})) =>
  fromPromise<PlaygroundData, void>(async () => ({
    models: [RT, ASYNC],
    maxUploadBytes: 100,
    isLiveSupported: true,
    addresses: { speech: 'https://speech.example', socket: 'wss://speech.example/transcribe-websocket' },
    ...of(),
  }));
