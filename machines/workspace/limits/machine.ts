// Models the limits of an organization or of a project: showing them with their use, changing a limit, and asking for a
// higher one. Owned by the workspace while the screen is open; one chart for both places.
import { assign, raise, setup, type ActorRefFrom } from 'xstate';
import type { LimitIncrease, LimitName } from '#contract/limits.ts';
import { may, type Role } from '#contract/roles.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { formEnds, formGuards, givenAnswer } from '../../shared/form/ends.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { sendToApp, type ToastRequested } from '../../shared/appServices.ts';
import { loadedStates, reading } from '../../shared/loaded.ts';
import { UNREAD } from '../../shared/unread.ts';
import type { ScreenStale } from '../stale.ts';
import { clearLimits, loadLimits, type LimitSubject, type LimitsPlace, type LimitsRead } from './actors.ts';
import { toTyped } from './amounts.ts';
import { increaseForm, limitForm } from './forms.ts';
import { canAsk, canClear, limitOf, type What } from './select.ts';
import { failure, success } from '../say.ts';

type LimitsInput = LimitsPlace & {
  /** The person's role. */
  role: Role;
};
export type LimitsContext = LimitsInput &
  LimitsRead & {
    what: What;
    failure: Failure | null;
    /** The limit that a form is about. */
    chosen: LimitName | null;
    /** Whether something has happened since the running read began. */
    isStale: boolean;
  };

/** Milliseconds between two reads of the limits' use: requests may end by the hundred. */
const REREAD_MS = 2000;

const placeOf = ({ orgUuid, projectUuid }: LimitsPlace): LimitsPlace => ({ orgUuid, projectUuid });

function aboutOf(context: LimitsContext): LimitSubject {
  const limit = limitOf(context, context.chosen);
  if (!limit) throw new Error('No limit was chosen.');
  return { ...placeOf(context), limit: limit.name, maximum: limit.maximum === null ? '' : String(limit.maximum) };
}

type LimitRef = { limit: LimitName };

/** Makes the chart for one kind of place. */
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
        /** Raised by the machine for its other region. */
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
      isKnown: ({ context }, { limit }: LimitRef) => limitOf(context, limit) !== null,
      mayAsk: ({ context }, { limit }: LimitRef) => canAsk(context, limit),
      hasOwn: ({ context }) => canClear(context),
    },
    actions: {
      setLimits: assign((_, { limits, increases }: LimitsRead) => ({ limits, increases, failure: null })),
      setIncrease: assign(({ context: { increases } }, increase: LimitIncrease) => ({
        increases: [...increases.filter(({ limit }) => limit !== increase.limit), increase],
      })),
      setFailure: assign(failureOf),
      setChosen: assign((_, { limit }: LimitRef) => ({ chosen: limit })),
      clearChosen: assign({ chosen: null }),
      noteStale: assign({ isStale: true }),
      clearStale: assign({ isStale: false }),
      sayChanged: raise({ type: 'limits.changed' }),
      sendToApp: sendToApp<ToastRequested>(),
    },
  });

  /** Reads the limits again after an event, because use changes all the time. */
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

  /** Asks the operator for a higher limit; only an organization can. */
  const asking = setupLimits.createStateConfig({
    invoke: {
      id: 'increaseForm',
      src: 'increaseForm',
      input: ({ context }) => ({ about: aboutOf(context) }),
      onDone: formEnds(
        { target: 'closed', actions: [givenAnswer('setIncrease'), success('Success! Increase was requested.')] },
        { target: 'closed' },
        // The form was left while its request was under way: the server may have received it all the same.
        { target: `#${what}Limits.loading` },
      ),
    },
  });

  /** Asks before all limits of a project's own are removed. */
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
    // Somebody who wants more than can be set goes on to ask for it.
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

/**
 * The limits of an organization (ORG-07). They can be set up to the operator's maximum; for more, the operator is
 * asked.
 */
export const organizationLimitsMachine = createLimits('organization');
/** The limits of a project (PRJ-07), within those of its organization. */
export const projectLimitsMachine = createLimits('project');

export type LimitsActor = ActorRefFrom<ReturnType<typeof createLimits>>;
