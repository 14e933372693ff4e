// Models the limits of an organization or of a project: what holds and what is used, a limit that is changed, and more that is
// asked for. Owned by the workspace while the screen is open; one chart for both places.
import { assign, raise, setup, type ActorRefFrom } from 'xstate';
import type { LimitIncrease, LimitName } from '#contract/limits.ts';
import { may, type Role } from '#contract/roles.ts';
import type { ToastRequested } from '../../root/toasts/machine.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { formEnds, formGuards, givenAnswer } from '../../shared/form/ends.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { sendToApp } from '../../shared/appServices.ts';
import { loadedStates, reading } from '../../shared/loaded.ts';
import { UNREAD } from '../../shared/unread.ts';
import type { ScreenStale } from '../stale.ts';
import { clearLimits, loadLimits, type LimitAbout, type LimitsPlace, type LimitsRead } from './actors.ts';
import { toTyped } from './amounts.ts';
import { increaseForm, limitForm } from './forms.ts';
import { canAsk, canClear, limitOf, type What } from './select.ts';
import { failure, success } from '../say.ts';

type LimitsInput = LimitsPlace & {
  /** Of the person whose screen it is. */
  role: Role;
};
export type LimitsContext = LimitsInput &
  LimitsRead & {
    what: What;
    failure: Failure | null;
    /** The limit that a form is about. */
    chosen: LimitName | null;
    /** Whether something has happened since what is on its way was asked for. */
    isStale: boolean;
  };

/** Milliseconds between two readings of what is used: requests may end by the hundred. */
const REREAD_MS = 2000;

const placeOf = ({ orgUuid, projectUuid }: LimitsPlace): LimitsPlace => ({ orgUuid, projectUuid });

function aboutOf(context: LimitsContext): LimitAbout {
  const limit = limitOf(context, context.chosen);
  if (!limit) throw new Error('No limit was chosen.');
  return { ...placeOf(context), limit: limit.name, maximum: limit.maximum === null ? '' : String(limit.maximum) };
}

type Named = { limit: LimitName };

/** The limits of one kind of place; what its charts call is to be provided. */
function createLimits(what: What) {
  const setupLimits = setup({
    types: {} as {
      context: LimitsContext;
      input: LimitsInput;
      events:
        | { type: 'retry.requested' }
        | { type: 'change.requested'; limit: LimitName }
        | { type: 'increase.requested'; limit: LimitName }
        | { type: 'clearing.requested' }
        | { type: 'clearing.confirmed' }
        | { type: 'clearing.dismissed' }
        | ScreenStale
        /** The machine's word to its own regions. */
        | { type: 'limits.changed' };
      tags: 'loading' | 'failed' | 'outdated' | 'manageable' | 'confirming' | 'clearing';
      children: {
        loadLimits: 'loadLimits';
        limitForm: 'limitForm';
        increaseForm: 'increaseForm';
        clearLimits: 'clearLimits';
      };
    },
    actors: { loadLimits, limitForm, increaseForm, clearLimits },
    delays: { rereadPause: REREAD_MS },
    guards: {
      ...formGuards,
      mayManage: ({ context }) => may(context.role, 'limits.manage'),
      isStale: ({ context }) => context.isStale,
      isKnown: ({ context }, { limit }: Named) => limitOf(context, limit) !== null,
      mayAsk: ({ context }, { limit }: Named) => canAsk(context, limit),
      hasOwn: ({ context }) => canClear(context),
    },
    actions: {
      setLimits: assign((_, { limits, increases }: LimitsRead) => ({ limits, increases, failure: null })),
      setIncrease: assign(({ context: { increases } }, increase: LimitIncrease) => ({
        increases: [...increases.filter(({ limit }) => limit !== increase.limit), increase],
      })),
      setFailure: assign(failureOf),
      setChosen: assign((_, { limit }: Named) => ({ chosen: limit })),
      clearChosen: assign({ chosen: null }),
      noteStale: assign({ isStale: true }),
      clearStale: assign({ isStale: false }),
      sayChanged: raise({ type: 'limits.changed' }),
      sendToApp: sendToApp<ToastRequested>(),
    },
  });

  /** What is used changes all the time: it is read again once something has happened, not more often than anybody looks. */
  const source = setupLimits.createStateConfig({
    initial: 'known',
    // The answer to a change is newer than one that is still under way.
    on: { 'limits.changed': '.known' },
    states: {
      known: { on: { 'screen.stale': 'due' } },
      due: { after: { rereadPause: 'reading' } },
      reading: {
        entry: 'clearStale',
        on: { 'screen.stale': { actions: 'noteStale' } },
        invoke: reading('loadLimits', placeOf, 'outdated', [
          { guard: 'isStale', target: 'due', actions: withOutput('setLimits') },
          { target: 'known', actions: withOutput('setLimits') },
        ]),
      },
      outdated: { tags: 'outdated', meta: UNREAD, on: { 'screen.stale': 'due', 'retry.requested': 'reading' } },
    },
  });

  const changing = setupLimits.createStateConfig({
    invoke: {
      id: 'limitForm',
      src: 'limitForm',
      input: ({ context }) => {
        const own = limitOf(context, context.chosen)?.own ?? null;
        const about = aboutOf(context);
        return { about, initial: { value: own === null ? '' : toTyped(about.limit, own) } };
      },
      onDone: formEnds(
        { target: 'closed', actions: [givenAnswer('setLimits'), 'sayChanged', success('Success! Limit was saved.')] },
        { target: 'closed' },
      ),
    },
  });

  /** Only of an organization. */
  const asking = setupLimits.createStateConfig({
    invoke: {
      id: 'increaseForm',
      src: 'increaseForm',
      input: ({ context }) => ({ about: aboutOf(context) }),
      onDone: formEnds(
        { target: 'closed', actions: [givenAnswer('setIncrease'), success('Success! Increase was requested.')] },
        { target: 'closed' },
        // Left while it was on its way: it may have come all the same.
        { target: `#${what}Limits.loading` },
      ),
    },
  });

  /** Only of a project: its own limits go, all at once. */
  const confirming = setupLimits.createStateConfig({
    tags: 'confirming',
    on: { 'clearing.confirmed': 'clearing', 'clearing.dismissed': 'closed' },
  });
  const clearing = setupLimits.createStateConfig({
    tags: 'clearing',
    invoke: {
      id: 'clearLimits',
      src: 'clearLimits',
      input: ({ context }) => placeOf(context),
      onDone: {
        target: 'closed',
        actions: [withOutput('setLimits'), 'sayChanged', success('Success! Limits of the project were removed.')],
      },
      onError: {
        target: 'closed',
        actions: failure('Error! Failed to remove the limits.'),
      },
    },
  });

  const ask = { guard: withEvent('mayAsk'), target: 'asking', actions: withEvent('setChosen') } as const;
  const change = { guard: withEvent('isKnown'), target: 'changing', actions: withEvent('setChosen') } as const;
  const ofOrganization = {
    closed: {
      entry: 'clearChosen',
      on: { 'change.requested': change, 'increase.requested': ask },
    },
    // Where what is wanted turns out to be more than can be set.
    changing: { ...changing, on: { 'increase.requested': ask } },
    asking,
  } as const;
  const ofProject = {
    closed: {
      entry: 'clearChosen',
      on: { 'change.requested': change, 'clearing.requested': { guard: 'hasOwn', target: 'confirming' } },
    },
    changing,
    confirming,
    clearing,
  } as const;

  const dialog = setupLimits.createStateConfig({
    initial: 'deciding',
    states: {
      deciding: { always: [{ guard: 'mayManage', target: 'manageable' }, { target: 'forbidden' }] },
      forbidden: {},
      manageable: {
        tags: 'manageable',
        initial: 'closed',
        states: what === 'organization' ? ofOrganization : ofProject,
      },
    },
  });

  return setupLimits.createMachine({
    id: `${what}Limits`,
    context: ({ input }) => ({
      ...input,
      what,
      limits: [],
      increases: [],
      failure: null,
      chosen: null,
      isStale: false,
    }),
    initial: 'loading',
    states: {
      ...loadedStates('loadLimits', placeOf, { target: 'ready', actions: withOutput('setLimits') }),
      ready: { type: 'parallel', states: { source, dialog } },
    },
  });
}

/** The limits of an organization (ORG-07): changed up to what the operator allows; for more, the operator is asked. */
export const organizationLimitsMachine = createLimits('organization');
/** The limits of a project (PRJ-07), within those of its organization. */
export const projectLimitsMachine = createLimits('project');

export type LimitsActor = ActorRefFrom<ReturnType<typeof createLimits>>;
