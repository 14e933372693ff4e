import { assign, sendTo, setup } from 'xstate';
import type { ConsoleEvent } from '#contract/events.ts';
import { failureOf } from '../shared/failure.ts';
import { sendToApp, type NavigateRequested } from '../shared/appServices.ts';
import type { PlaygroundMode, PlaygroundRoute } from '../shared/route.ts';
import { loadPlayground, type PlaygroundData } from './actors.ts';
import type { AsyncHeard } from './async/events.ts';
import { asyncMachine } from './async/machine.ts';
import { codePanelMachine } from './codePanel/machine.ts';
import type { PlaygroundContext, PlaygroundInput } from './context.ts';
import type { PlaygroundEvent, RequestOpened, RequestRead, RouteChanged } from './events.ts';
import { languageSearchMachine } from './languageSearch/machine.ts';
import { loggedRequestMachine } from './loggedRequest/machine.ts';
import { isForLists } from './listSync/pushes.ts';
import { liveMachine } from './live/machine.ts';
import { readerMachine } from './reader/machine.ts';
import { unaliased } from './settings/reuse.ts';
import { sidePanelMachine, type PanelRequested } from './sidePanel/machine.ts';
import { usageHintMachine, type BalanceRead } from './usageHint/machine.ts';

export const setupPlayground = setup({
  types: {} as {
    context: PlaygroundContext;
    input: PlaygroundInput;
    events: PlaygroundEvent;
    tags: 'loading' | 'failed' | 'async' | 'realTime';
    children: {
      async: 'async';
      live: 'live';
      reader: 'reader';
      codePanel: 'codePanel';
      sidePanel: 'sidePanel';
      languageSearch: 'languageSearch';
      usageHint: 'usageHint';
      loggedRequest: 'loggedRequest';
    };
  },
  actors: {
    loadPlayground,
    async: asyncMachine,
    live: liveMachine,
    reader: readerMachine,
    codePanel: codePanelMachine,
    sidePanel: sidePanelMachine,
    languageSearch: languageSearchMachine,
    usageHint: usageHintMachine,
    loggedRequest: loggedRequestMachine,
  },
  guards: {
    hasFailedEarly: ({ context }) => context.hasFailedEarly,
    isForLists: ({ context }, { event }: { event: ConsoleEvent }) => isForLists(event, context.projectUuid),
    /** A request that ended, or what one may use. */
    isOfUse: ({ context: { orgUuid, projectUuid } }, { event }: { event: ConsoleEvent }) =>
      (event.type === 'log.added' && event.project_uuid === projectUuid) ||
      ((event.type === 'limits.changed' || event.type === 'billing.changed') && event.organization_uuid === orgUuid),
    isRealTime: (_, { mode }: { mode: PlaygroundMode }) => mode === 'real-time',
    differs: ({ context }, { mode }: { mode: PlaygroundMode }) => mode !== context.route.mode,
    isOpenedLog: ({ context }, { details }: RequestRead) => details.id === context.openedLog,
    hasLog: ({ context }) => context.route.log !== undefined,
    asksForHistory: (_, { route }: { route: PlaygroundRoute }) => route.panel === 'history',
  },
  actions: {
    adoptRoute: assign((_, { route }: { route: PlaygroundRoute }) => ({ route })),
    setData: assign((_, data: PlaygroundData) => ({ ...data, failure: null })),
    setFailure: assign(failureOf),
    tellAsync: sendTo('async', (_, event: AsyncHeard) => event),
    tellLive: sendTo('live', (_, event: BalanceRead) => event),
    tellReader: sendTo('reader', (_, event: RouteChanged) => event),
    tellLogged: sendTo('loggedRequest', (_, event: RouteChanged) => event),
    /** Gives its settings to the side whose kind it is. */
    passRequest: sendTo(
      (_, { details }: RequestRead) => (details.kind === 'async' ? 'async' : 'live'),
      ({ context: { models } }, { details: { request } }): RequestOpened => ({
        type: 'request.opened',
        request: request && { ...request, model: unaliased(models, request.model) },
      }),
    ),
    noteOpenedLog: assign((_, { details }: RequestRead) => ({ openedLog: details.id })),
    hideLive: sendTo('live', { type: 'screen.taken' }),
    showLive: sendTo('live', { type: 'screen.returned' }),
    openSidePanel: sendTo('sidePanel', (_, event: PanelRequested) => event),
    refreshUsageHint: sendTo('usageHint', { type: 'use.changed' }),
    noteEarly: assign({ hasFailedEarly: true }),
    clearEarly: assign({ hasFailedEarly: false }),
    openAnew: assign(({ context: { openings } }) => ({ openings: openings + 1 })),
    sendToApp: sendToApp<NavigateRequested>(),
  },
});
