// Models the webhooks of a project: the list, filtered by the state in the address; the opened webhook; and the signing
// secret. After a change it reads the list again and tells the opened webhook.
// Owned by the workspace, while its screen is open.
import { assign, isMachineSnapshot, sendTo, setup, type ActorRefFrom, type AnyActorRef } from 'xstate';
import { PAGE_SIZE, PAGE_SIZE_MAX } from '#contract/fields.ts';
import { may, type Role } from '#contract/roles.ts';
import type { DeliveryState } from '#contract/webhooks.ts';
import { failureOf, type Failure } from '../../shared/failure.ts';
import { withEvent } from '../../shared/withEvent.ts';
import { sendToApp, type NavigateRequested } from '../../shared/appServices.ts';
import type { Route, RouteChanged, WebhooksRoute, WebhooksView } from '../../shared/route.ts';
import { UNREAD } from '../../shared/unread.ts';
import type { ScreenStale } from '../stale.ts';
import { loadBeginning } from './actors.ts';
import { deliveryMachine, type DeliveryNotice } from './delivery/machine.ts';
import { deliveriesMachine } from './list.ts';
import { signingSecretMachine, type SecretStale } from './secret/machine.ts';
import { isWebhooks, shownOf, viewOf } from './view.ts';

type Place = {
  orgUuid: string;
  projectUuid: string;
  /** What the address selects. */
  view: WebhooksView;
};

type Input = Place & {
  /** Role of the person. */
  role: Role;
};

type WebhooksContext = Input & {
  /** Why the list could not be read again. */
  failure: Failure | null;
  /** Webhooks may have changed since the list was read. */
  isStale: boolean;
};

const mayManage = ({ role }: Input): boolean => may(role, 'webhooks.manage');

export const routeShowing = ({ orgUuid, projectUuid, view }: Place): WebhooksRoute => ({
  screen: 'webhooks',
  orgUuid,
  projectUuid,
  ...shownOf(view),
});

/** Number of rows in the list. Not for the chart's initial input, before it has a snapshot. */
function rowsOf(self: AnyActorRef): number {
  const snapshot: unknown = self.getSnapshot();
  const list: unknown = isMachineSnapshot(snapshot) ? snapshot.children['list']?.getSnapshot() : undefined;
  return isMachineSnapshot(list) ? list.context.items.length : 0;
}

const setupWebhooks = setup({
  types: {} as {
    context: WebhooksContext;
    input: Input;
    events:
      | RouteChanged
      | ScreenStale
      | DeliveryNotice
      /** Null for all. */
      | { type: 'state.chosen'; state: DeliveryState | null }
      | { type: 'retry.requested' }
      | { type: 'webhook.closed' };
    tags: 'outdated' | 'opened';
    children: { list: 'list'; beginning: 'loadBeginning'; delivery: 'delivery'; secret: 'secret' };
  },
  actors: { list: deliveriesMachine, loadBeginning, delivery: deliveryMachine, secret: signingSecretMachine },
  // A busy project is read at most about once a second.
  delays: { pause: 1000 },
  guards: {
    isOtherState: ({ context }, { route }: { route: Route }) => isWebhooks(route) && route.state !== context.view.state,
    isOtherWebhook: ({ context }, { route }: { route: Route }) =>
      isWebhooks(route) && route.webhook !== context.view.webhook,
    isOther: ({ context }, { state }: { state: DeliveryState | null }) =>
      (shownOf(context.view).state ?? null) !== state,
    hasWebhook: ({ context }) => shownOf(context.view).webhook !== undefined,
    isStale: ({ context }) => context.isStale,
  },
  actions: {
    adoptView: assign((_, { route }: { route: Route }) => (isWebhooks(route) ? { view: viewOf(route) } : {})),
    chooseState: assign(({ context }, { state }: { state: DeliveryState | null }) => {
      const { state: _, ...rest } = shownOf(context.view);
      return { view: { ...rest, ...(state !== null && { state }) } };
    }),
    close: assign(({ context }) => {
      const { webhook: _, ...rest } = shownOf(context.view);
      return { view: rest };
    }),
    setFailure: assign(failureOf),
    clearFailure: assign({ failure: null }),
    noteStale: assign({ isStale: true }),
    clearStale: assign({ isStale: false }),
    tellSecret: sendTo('secret', (): SecretStale => ({ type: 'secret.stale' })),
    sendToApp: sendToApp<NavigateRequested>(),
  },
});

const deliveries = setupWebhooks.createStateConfig({
  initial: 'listed',
  states: {
    // Below its region, so that re-entering it does not restart the other regions.
    listed: {
      initial: 'current',
      on: {
        'route.changed': {
          guard: withEvent('isOtherState'),
          target: 'listed',
          reenter: true,
          actions: withEvent('adoptView'),
        },
        'state.chosen': {
          guard: withEvent('isOther'),
          target: 'listed',
          reenter: true,
          actions: [
            withEvent('chooseState'),
            {
              type: 'sendToApp',
              params: ({ context }) => ({ type: 'navigate.requested', to: routeShowing(context) }),
            },
          ],
        },
        'screen.stale': { actions: 'noteStale' },
        'delivery.changed': {
          actions: sendTo('list', ({ event: { delivery } }) => ({
            type: 'item.updated' as const,
            item: { ...delivery, id: delivery.transcription_id },
          })),
        },
      },
      entry: ['clearStale', 'clearFailure'],
      invoke: {
        id: 'list',
        src: 'list',
        input: ({ context: { projectUuid, view } }) => {
          const { state } = shownOf(view);
          return { of: projectUuid, ...(state !== undefined && { only: state }) };
        },
      },
      states: {
        current: { always: { guard: 'isStale', target: 'reading' } },
        // Reads all rows loaded so far, to show changes further down too.
        reading: {
          entry: 'clearStale',
          invoke: {
            id: 'beginning',
            src: 'loadBeginning',
            input: ({ context: { projectUuid, view }, self }) => ({
              projectUuid,
              state: shownOf(view).state,
              limit: Math.min(PAGE_SIZE_MAX, Math.max(PAGE_SIZE, rowsOf(self))),
            }),
            onDone: {
              target: 'pausing',
              actions: [
                'clearFailure',
                sendTo('list', ({ event }) => ({ type: 'beginning.read' as const, page: event.output })),
              ],
            },
            onError: { target: 'readFailed', actions: withEvent('setFailure') },
          },
        },
        pausing: { after: { pause: 'current' } },
        readFailed: { tags: 'outdated', meta: UNREAD, on: { 'retry.requested': 'reading', 'screen.stale': 'reading' } },
      },
    },
  },
});

/** The delivery named in the address. */
const opened = setupWebhooks.createStateConfig({
  initial: 'deciding',
  on: { 'route.changed': { guard: withEvent('isOtherWebhook'), target: '.deciding', actions: withEvent('adoptView') } },
  states: {
    deciding: { always: [{ guard: 'hasWebhook', target: 'open' }, { target: 'closed' }] },
    closed: {},
    open: {
      tags: 'opened',
      invoke: {
        id: 'delivery',
        src: 'delivery',
        input: ({ context }) => ({
          projectUuid: context.projectUuid,
          id: shownOf(context.view).webhook ?? '',
          mayManage: mayManage(context),
        }),
      },
      on: {
        'screen.stale': { actions: sendTo('delivery', { type: 'delivery.stale' }) },
        'webhook.closed': {
          target: 'closed',
          actions: [
            'close',
            {
              type: 'sendToApp',
              params: ({ context }) => ({ type: 'navigate.requested', to: routeShowing(context), replace: true }),
            },
          ],
        },
      },
    },
  },
});

export const webhooksMachine = setupWebhooks.createMachine({
  id: 'webhooks',
  context: ({ input }) => ({ ...input, failure: null, isStale: false }),
  invoke: {
    id: 'secret',
    src: 'secret',
    input: ({ context }) => ({ projectUuid: context.projectUuid, mayManage: mayManage(context) }),
  },
  type: 'parallel',
  // A region, because the others hear it, too.
  states: { deliveries, opened, secrets: { on: { 'screen.stale': { actions: 'tellSecret' } } } },
});

/** The place and view of the route. */
export const webhooksInput = (route: Route): Place => {
  if (!isWebhooks(route)) throw new Error('The route is not the webhooks.');
  return { orgUuid: route.orgUuid, projectUuid: route.projectUuid, view: viewOf(route) };
};

export type WebhooksActor = ActorRefFrom<typeof webhooksMachine>;
