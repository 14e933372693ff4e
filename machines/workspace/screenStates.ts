// The region `screen` of a loaded workspace, made from the table of screens.
import type { PartFailed } from '../playground/events.ts';
import type { RouteChanged } from '../shared/route.ts';
import { withEvent } from '../shared/withEvent.ts';
import type { WorkspaceContext } from './context.ts';
import type { PushReceived } from './events/machine.ts';
import { CHARTED, SCREEN_CHARTS, type ChartedScreen } from './screens.ts';
import { setupWorkspace } from './setup.ts';

/** The state of a screen with a chart. State and actor have the screen's name. */
function screenState(name: ChartedScreen) {
  const { input, ...row } = SCREEN_CHARTS[name];
  const subject = 'shows' in row ? row.shows : undefined;
  return setupWorkspace.createStateConfig({
    ...('isKept' in row ? { exit: 'setPlayground' as const } : {}),
    // Input and chart are of the same row, so they fit; types cannot express this for all names.
    invoke: { id: name, src: name, input: ({ context }: { context: WorkspaceContext }) => input(context) } as never,
    on: {
      ...('isOfRole' in row
        ? { 'memberships.changed': { guard: withEvent('hasRoleChanged'), target: 'deciding', actions: 'setDrafts' } }
        : {}),
      ...(subject
        ? {
            'push.received': {
              guard: {
                type: 'makesStale',
                params: ({ event: { event } }: { event: PushReceived }) => ({ event, subject }),
              },
              actions: { type: 'passStale', params: { screen: name } },
            },
          }
        : {}),
      ...('hearsRoute' in row
        ? {
            'route.changed': {
              guard: withEvent('isSameScreen'),
              actions: {
                type: 'passToScreen',
                params: ({ event }: { event: RouteChanged }) => ({ event, screen: name }),
              },
            },
          }
        : {}),
      ...('hearsAll' in row
        ? {
            'push.received': {
              actions: {
                type: 'passToScreen',
                params: ({ event }: { event: PushReceived }) => ({ event, screen: name }),
              },
            },
            'part.failed': {
              actions: {
                type: 'passToScreen',
                params: ({ event }: { event: PartFailed }) => ({ event, screen: name }),
              },
            },
          }
        : {}),
    },
  });
}

/** Invokes the actor of the open screen, if it has one, for as long as the address stays on that screen. */
export const screen = setupWorkspace.createStateConfig({
  initial: 'deciding',
  on: {
    'route.changed': [
      { guard: withEvent('isSameScreen') },
      { target: '.deciding', actions: ['clearDrafts', withEvent('adoptRoute')] },
    ],
    'memberships.changed': { guard: 'isForbidden', target: '.forbidden' },
  },
  states: {
    deciding: {
      always: [
        { guard: 'isForbidden', target: 'forbidden' },
        ...CHARTED.map((name) => ({ guard: { type: 'isAt' as const, params: { screen: name } }, target: name })),
        { guard: 'isUser', target: 'userSettings' },
        { guard: 'isWelcome', target: 'welcome' },
        { guard: 'isNotFound', target: 'notFound' },
        { target: 'none' },
      ],
    },
    none: { on: { 'memberships.changed': 'deciding' } },
    forbidden: { tags: 'forbidden', on: { 'memberships.changed': 'deciding' } },
    // An address without a screen.
    notFound: { tags: 'notFound' },
    userSettings: {
      invoke: { id: 'userSettings', src: 'userSettings', input: ({ context: { user, drafts } }) => ({ user, drafts }) },
    },
    welcome: { invoke: { id: 'welcome', src: 'welcome' } },
    ...(Object.fromEntries(CHARTED.map((name) => [name, screenState(name)])) as {
      [Name in ChartedScreen]: ReturnType<typeof screenState>;
    }),
  },
});
