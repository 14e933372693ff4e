// Models a project's home: the first steps, usage of this month, and the latest transcriptions.
// Owned by the workspace, while its screen is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { ProjectHome } from '#contract/project-home.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { loadedStates, reading } from '../../shared/loaded.ts';
import { UNREAD } from '../../shared/unread.ts';
import { withOutput } from '../../shared/withEvent.ts';
import { loadHome } from './actors.ts';
import type { ScreenStale } from '../stale.ts';

/** A newcomer's first steps, in order. */
export const STEPS = ['transcribed', 'key_created', 'key_used'] as const satisfies (keyof ProjectHome['steps'])[];

const homeSetup = setup({
  types: {} as {
    context: { projectUuid: string; home: ProjectHome | null; failure: Failure | null };
    input: { projectUuid: string };
    events: { type: 'retry.requested' } | ScreenStale;
    tags: 'loading' | 'failed' | 'beginning' | 'outdated';
    children: { loadHome: 'loadHome'; rereadHome: 'loadHome' };
  },
  actors: { loadHome },
  guards: { isBeginning: (_, { steps }: ProjectHome) => STEPS.some((step) => !steps[step]) },
  actions: {
    setHome: assign((_, home: ProjectHome) => ({ home, failure: null })),
    setFailure: assign(failureOf),
  },
});

const placeOf = ({ projectUuid }: { projectUuid: string }) => ({ projectUuid });
const KNOWN = [
  { guard: withOutput('isBeginning'), target: '#projectHome.beginning.known', actions: withOutput('setHome') },
  { target: '#projectHome.inUse', actions: withOutput('setHome') },
] as const;

export const projectHomeMachine = homeSetup.createMachine({
  id: 'projectHome',
  context: ({ input: { projectUuid } }) => ({ projectUuid, home: null, failure: null }),
  initial: 'loading',
  states: {
    ...loadedStates('loadHome', placeOf, KNOWN),
    // Some of the first steps are missing.
    beginning: {
      tags: 'beginning',
      initial: 'known',
      on: { 'screen.stale': { target: '.rereading', reenter: true } },
      states: {
        known: {},
        // A step may have been done elsewhere. The old data stay, also if the answer doesn't come.
        rereading: { invoke: { ...reading('loadHome', placeOf, 'outdated', KNOWN), id: 'rereadHome' } },
        outdated: { tags: 'outdated', meta: UNREAD, on: { 'retry.requested': 'rereading' } },
      },
    },
    inUse: {},
  },
});

export type ProjectHomeActor = ActorRefFrom<typeof projectHomeMachine>;
