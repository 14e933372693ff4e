// Models the settings of an organization or of a project: what it is called, who reaches a project, and its end, before
// which an organization's balance is read: what is left is lost, and what is owed is paid first (PAY-18).
// Owned by the workspace while the screen is open; what it changes there is told, so that all of the console shows it.
import { assign, raise, sendTo, setup, type ActorRefFrom } from 'xstate';
import { may, type Action, type Role } from '#contract/roles.ts';
import { type Failure, failureOf, toFailure } from '../../../shared/failure.ts';
import { draftOf, type Draft } from '../../../shared/form/drafts.ts';
import { formEnds, formGuards, givenAnswer } from '../../../shared/form/ends.ts';
import type { FormResult, FormSchema } from '../../../shared/form/types.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { notifyParent } from '../../../shared/notifyParent.ts';
import { sendToApp } from '../../../shared/appServices.ts';
import type { Route } from '../../../shared/route.ts';
import type { ToastRequested } from '../../../root/toasts/machine.ts';
import type { MembershipsStale } from '../../context.ts';
import type { ScreenStale } from '../../stale.ts';
import { projectPeopleMachine } from '../projectPeople/machine.ts';
import { loadBalance, loadDetails, type Place, type PlaceDetails, type PlaceFields } from './actors.ts';
import { loadedStates, reading } from '../../../shared/loaded.ts';
import { UNREAD } from '../../../shared/unread.ts';
import { createDeletionForm, createDetailsForm, type What } from './forms.ts';
import { success } from '../../say.ts';

type SettingsInput = Place & {
  /** Of the person whose screen it is. */
  role: Role;
  /** What was typed before the session ended in the middle. */
  drafts: readonly Draft[];
};

type SettingsContext = SettingsInput & {
  details: PlaceDetails | null;
  failure: Failure | null;
  /** As it was read last, micro-USD; 0 where a place has none. */
  balanceMicros: number;
  /** Why it could not be read. */
  unweighed: Failure | null;
  /** It was another one by the time the deletion was asked for. */
  hasMoved: boolean;
};

type SettingsOptions = {
  what: What;
  schema: FormSchema<PlaceFields, PlaceFields>;
  /** All its fields, empty. */
  initial: PlaceFields;
  /** What one must be allowed to do to delete it. */
  deletion: Action;
  /** What opens when it is gone. */
  afterDeletion: (place: Place) => Route;
  /** Whether who reaches it is set here, too. */
  hasPeople?: true;
  /** Whether it has a balance, which is read before the deletion is asked about. */
  hasBalance?: true;
};

const placeOf = ({ orgUuid, projectUuid }: Place): Place => ({ orgUuid, projectUuid });

/** The settings of one kind of place: its chart, and the two forms in it, whose calls are to be provided. */
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
        /** While there is no form to dismiss. */
        | { type: 'deletion.dismissed' }
        | ScreenStale
        /** The machine's word to its own regions. */
        | { type: 'details.saved' };
      tags:
        | 'loading'
        | 'failed'
        | 'outdated'
        | 'deletable'
        | 'dialog'
        | 'weighing'
        | 'unweighed'
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
      setBalance: assign((_, balanceMicros: number) => ({ balanceMicros, unweighed: null })),
      setUnweighed: assign((_, { error }: { error: unknown }) => ({ unweighed: toFailure(error) })),
      noteMove: assign({ hasMoved: true }),
      clearMove: assign({ hasMoved: false }),
      saySaved: raise({ type: 'details.saved' }),
      notifyParent: notifyParent<MembershipsStale>(),
      sendToApp: sendToApp<ToastRequested>(),
    },
  });

  /** What the form began with is read again when somebody else may have changed it; what is typed stays (CON-30). */
  const source = setupSettings.createStateConfig({
    initial: 'known',
    on: {
      'screen.stale': '.reading',
      // The answer to what was saved is newer than one that is still under way.
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
      // In a state below its region: begun anew, it leaves the other regions as they are.
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

  const weighing = setupSettings.createStateConfig({
    tags: ['deletable', 'dialog', 'weighing'],
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
      onError: { target: 'unweighed', actions: withEvent('setUnweighed') },
    },
  });
  const unweighed = setupSettings.createStateConfig({
    tags: ['deletable', 'dialog', 'unweighed'],
    meta: UNREAD,
    on: { 'retry.requested': 'weighing', 'deletion.dismissed': 'closed' },
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
        on: { 'deletion.requested': options.hasBalance ? { target: 'weighing', actions: 'clearMove' } : 'asking' },
      },
      ...(options.hasBalance ? { weighing, unweighed, owing } : {}),
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
                  { target: 'weighing', guard: withOutput('isRefused'), actions: 'noteMove' },
                ),
                { target: 'closed' },
              ]
            : formEnds({ target: 'deleted' }, { target: 'closed' }),
        },
      },
      // Until the console has gone elsewhere.
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
      unweighed: null,
      hasMoved: false,
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
