// Models the settings of an organization or project: its details, a project's people, and deletion. An organization's
// deletion first reads the balance: a positive one is lost, a negative one has to be paid first (PAY-18).
// Owned by the workspace, while its screen is open.
import { assign, raise, sendTo, setup, type ActorRefFrom } from 'xstate';
import { may, type Action, type Role } from '#contract/roles.ts';
import { type Failure, failureOf, toFailure } from '../../../shared/failure.ts';
import { draftOf, type Draft } from '../../../shared/form/drafts.ts';
import { formEnds, formGuards, givenAnswer } from '../../../shared/form/ends.ts';
import type { FormResult, FormSchema } from '../../../shared/form/types.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { notifyParent } from '../../../shared/notifyParent.ts';
import { sendToApp, type ToastRequested } from '../../../shared/appServices.ts';
import type { Route } from '../../../shared/route.ts';
import type { MembershipsStale } from '../../../shared/membershipsStale.ts';
import type { ScreenStale } from '../../stale.ts';
import { projectPeopleMachine } from '../projectPeople/machine.ts';
import { loadBalance, loadDetails, type Place, type PlaceDetails, type PlaceFields } from './actors.ts';
import { loadedStates, reading } from '../../../shared/loaded.ts';
import { UNREAD } from '../../../shared/unread.ts';
import { createDeletionForm, createDetailsForm, type What } from './forms.ts';
import { success } from '../../say.ts';

type SettingsInput = Place & {
  /** Role of the person. */
  role: Role;
  /** Input from before the session ended. */
  drafts: readonly Draft[];
};

type SettingsContext = SettingsInput & {
  details: PlaceDetails | null;
  failure: Failure | null;
  /** The balance read last, micro-USD; 0 for a project. */
  balanceMicros: number;
  /** Why the balance could not be read. */
  balanceFailure: Failure | null;
  /** The server refused a deletion because the balance had changed. */
  hasBalanceChanged: boolean;
};

type SettingsOptions = {
  what: What;
  schema: FormSchema<PlaceFields, PlaceFields>;
  /** All fields, empty. */
  initial: PlaceFields;
  /** The right needed to delete the place. */
  deletion: Action;
  /** Where to go after the deletion. */
  afterDeletion: (place: Place) => Route;
  /** Whether the settings include the project's people. */
  hasPeople?: true;
  /** Whether to read a balance before asking about the deletion. */
  hasBalance?: true;
};

const placeOf = ({ orgUuid, projectUuid }: Place): Place => ({ orgUuid, projectUuid });

/** Makes the settings of one kind of place: its chart, and the chart's two forms, to be provided with their effects. */
export function createSettings(options: SettingsOptions) {
  const { what } = options;
  const noun = what === 'organization' ? 'Organization' : 'Project';
  const detailsForm = createDetailsForm(what, options.schema, options.initial);
  const deletionForm = createDeletionForm(what);

  const setupSettings = setup({
    types: {} as {
      context: SettingsContext;
      input: SettingsInput;
      events:
        | { type: 'retry.requested' }
        | { type: 'deletion.requested' }
        /** Closes the dialog while it has no form. */
        | { type: 'deletion.dismissed' }
        | ScreenStale
        /** Raised for the region `source`. */
        | { type: 'details.saved' };
      tags:
        | 'loading'
        | 'failed'
        | 'outdated'
        | 'deletable'
        | 'dialog'
        | 'readingBalance'
        | 'balanceUnread'
        | 'owing'
        | 'forfeiting'
        | 'deleted';
      children: {
        loadDetails: 'loadDetails';
        detailsForm: 'detailsForm';
        projectPeople: 'projectPeople';
        loadBalance: 'loadBalance';
        deletionForm: 'deletionForm';
      };
    },
    actors: { loadDetails, detailsForm, projectPeople: projectPeopleMachine, loadBalance, deletionForm },
    guards: {
      ...formGuards,
      mayDelete: ({ context }) => may(context.role, options.deletion),
      isOwing: (_, balanceMicros: number) => balanceMicros < 0,
      isForfeiting: (_, balanceMicros: number) => balanceMicros > 0,
      isRefused: (_, { outcome }: FormResult<unknown, unknown>) => outcome === 'refused',
    },
    actions: {
      setDetails: assign((_, details: PlaceDetails) => ({ details, failure: null })),
      passDetails: sendTo('detailsForm', (_, { fields }: PlaceDetails) => ({
        type: 'source.changed' as const,
        initial: fields,
      })),
      setFailure: assign(failureOf),
      clearDrafts: assign({ drafts: [] }),
      setBalance: assign((_, balanceMicros: number) => ({ balanceMicros, balanceFailure: null })),
      setBalanceFailure: assign((_, { error }: { error: unknown }) => ({ balanceFailure: toFailure(error) })),
      noteBalanceChange: assign({ hasBalanceChanged: true }),
      clearBalanceChange: assign({ hasBalanceChanged: false }),
      saySaved: raise({ type: 'details.saved' }),
      notifyParent: notifyParent<MembershipsStale>(),
      sendToApp: sendToApp<ToastRequested>(),
    },
  });

  /** Reads the form's initial values again when somebody else may have changed them; typed values stay (CON-30). */
  const source = setupSettings.createStateConfig({
    initial: 'known',
    on: {
      'screen.stale': '.reading',
      // The answer to the save is newer than a read under way.
      'details.saved': '.known',
    },
    states: {
      known: {},
      reading: {
        invoke: reading('loadDetails', placeOf, 'outdated', {
          target: 'known',
          actions: [withOutput('setDetails'), withOutput('passDetails')],
        }),
      },
      outdated: { tags: 'outdated', meta: UNREAD, on: { 'retry.requested': 'reading' } },
    },
  });

  const details = setupSettings.createStateConfig({
    initial: 'open',
    states: {
      // Below its region, so that re-entering it does not restart the other regions.
      open: {
        invoke: {
          id: 'detailsForm',
          src: 'detailsForm',
          input: ({ context }) => ({
            about: placeOf(context),
            initial: context.details?.fields ?? {},
            draft: draftOf(context.drafts, detailsForm.id, placeOf(context)),
          }),
          onDone: formEnds(
            {
              target: 'open',
              reenter: true,
              actions: [
                'clearDrafts',
                givenAnswer('setDetails'),
                'saySaved',
                { type: 'notifyParent', params: { type: 'memberships.stale', route: null } },
                success(`Success! ${noun} was saved.`),
              ],
            },
            { target: 'open', reenter: true },
          ),
        },
      },
    },
  });

  const people = setupSettings.createStateConfig({
    invoke: { id: 'projectPeople', src: 'projectPeople', input: ({ context }) => placeOf(context) },
  });

  const readingBalance = setupSettings.createStateConfig({
    tags: ['deletable', 'dialog', 'readingBalance'],
    on: { 'deletion.dismissed': 'closed' },
    invoke: {
      id: 'loadBalance',
      src: 'loadBalance',
      input: ({ context }) => placeOf(context),
      onDone: [
        { guard: withOutput('isOwing'), target: 'owing', actions: withOutput('setBalance') },
        { guard: withOutput('isForfeiting'), target: 'asking.forfeiting', actions: withOutput('setBalance') },
        { target: 'asking', actions: withOutput('setBalance') },
      ],
      onError: { target: 'balanceUnread', actions: withEvent('setBalanceFailure') },
    },
  });
  const balanceUnread = setupSettings.createStateConfig({
    tags: ['deletable', 'dialog', 'balanceUnread'],
    meta: UNREAD,
    on: { 'retry.requested': 'readingBalance', 'deletion.dismissed': 'closed' },
  });
  const owing = setupSettings.createStateConfig({
    tags: ['deletable', 'dialog', 'owing'],
    on: { 'deletion.dismissed': 'closed' },
  });
  const asked = setupSettings.createStateConfig({
    initial: 'nothing',
    states: { nothing: {}, forfeiting: { tags: 'forfeiting' } },
  });

  const deletion = setupSettings.createStateConfig({
    initial: 'deciding',
    states: {
      deciding: { always: [{ guard: 'mayDelete', target: 'closed' }, { target: 'forbidden' }] },
      forbidden: {},
      closed: {
        tags: 'deletable',
        on: {
          'deletion.requested': options.hasBalance
            ? { target: 'readingBalance', actions: 'clearBalanceChange' }
            : 'asking',
        },
      },
      ...(options.hasBalance ? { readingBalance, balanceUnread, owing } : {}),
      asking: {
        ...(options.hasBalance ? asked : {}),
        tags: ['deletable', 'dialog'],
        invoke: {
          id: 'deletionForm',
          src: 'deletionForm',
          input: ({ context }) => ({
            about: {
              ...placeOf(context),
              name: context.details?.fields.name ?? '',
              forfeitedMicros: String(context.balanceMicros),
            },
          }),
          onDone: options.hasBalance
            ? [
                ...formEnds(
                  { target: 'deleted' },
                  { target: 'readingBalance', guard: withOutput('isRefused'), actions: 'noteBalanceChange' },
                ),
                { target: 'closed' },
              ]
            : formEnds({ target: 'deleted' }, { target: 'closed' }),
        },
      },
      // Waits for the navigation.
      deleted: {
        tags: ['deletable', 'deleted'],
        entry: [
          {
            type: 'notifyParent',
            params: ({ context }) => ({ type: 'memberships.stale', route: options.afterDeletion(placeOf(context)) }),
          },
          success(`Success! ${noun} was deleted.`),
        ],
      },
    },
  });

  const machine = setupSettings.createMachine({
    id: `${what}Settings`,
    context: ({ input }) => ({
      ...input,
      details: null,
      failure: null,
      balanceMicros: 0,
      balanceFailure: null,
      hasBalanceChanged: false,
    }),
    initial: 'loading',
    states: {
      ...loadedStates('loadDetails', placeOf, { target: 'ready', actions: withOutput('setDetails') }),
      ready: { type: 'parallel', states: { source, details, ...(options.hasPeople ? { people } : {}), deletion } },
    },
  });
  return { machine, detailsForm, deletionForm };
}

export type SettingsActor = ActorRefFrom<ReturnType<typeof createSettings>['machine']>;
