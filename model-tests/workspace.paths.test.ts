import { describe, expect } from 'vitest';
import type { ConsoleEvent } from '#contract/events.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import type { Route } from '#machines/shared/route.ts';
import { SCREENS, type ScreenName } from '#machines/shared/screens.ts';
import { CHARTED, SCREEN_CHARTS } from '#machines/workspace/screens.ts';
import type { Subject } from '#machines/workspace/stale.ts';
import { ann, membership } from '../test/machines/people.ts';
import { playgroundRoute } from '../test/machines/playground-fixtures.ts';
import { describeWalks } from './walk.ts';

const playground = (projectUuid: string): Route => playgroundRoute({ projectUuid });
const demoted = [{ ...membership('o1', ['p1', 'p2']), role: 'billing' as const }];
const asAdmin = [{ ...membership('o1', ['p1', 'p2']), role: 'admin' as const }];
/** What variants leave to others: parallel regions would multiply. */
const NEWS = ['network.', 'push.', 'memberships.'];
const DIALOGS = ['organization.', 'project.', 'dialog', 'retry'];
const LEAVING = ['user.', 'signOut'];
const BUT_SCREENS = [...NEWS, ...DIALOGS, 'signOut', 'xstate.error.'];
const BESIDE_DIALOGS = [
  ...NEWS,
  'route.',
  'organization.',
  'project.',
  'retry',
  ...LEAVING,
  'xstate.error',
  'xstate.done.actor.loadMemberships',
];
const BUT_MEMBERSHIPS = ['network.', ...DIALOGS, ...LEAVING];

/** The plain address of a screen in the first place. */
const at = (screen: ScreenName): Route =>
  ({ screen, orgUuid: 'o1', ...(SCREENS[screen].of === 'project' && { projectUuid: 'p1' }) }) as Route;
const keys = (projectUuid: string, orgUuid = 'o1'): Route => ({ screen: 'apiKeys', orgUuid, projectUuid });
/** What the table of charts says of a screen. */
const says = (screen: ScreenName, what: 'hearsAll' | 'hearsRoute' | 'isOfRole'): boolean =>
  what in { ...(SCREEN_CHARTS as Partial<Record<ScreenName, object>>)[screen] };
const NAMES = Object.keys(SCREENS) as ScreenName[];
/** The screens of a place that hear nothing of their address while they are open. */
const plainScreens = (of: 'organization' | 'project'): Route[] =>
  NAMES.filter((name) => SCREENS[name].of === of && !says(name, 'hearsRoute')).map(at);
/** Those that do, each at two addresses; the walk of what changes elsewhere has the one that hears everything. */
const addressedScreens = NAMES.filter((name) => says(name, 'hearsRoute') && !says(name, 'hearsAll')).flatMap((name) => [
  at(name),
  Object.assign(at(name), { of: 'something else' }),
]);
const routes: Route[] = [
  { screen: 'home' },
  { screen: 'organization', orgUuid: 'elsewhere' },
  { screen: 'project', orgUuid: 'o1', projectUuid: 'elsewhere' },
  { screen: 'organization', orgUuid: 'o3' },
  playground('p1'),
  playground('p2'),
];
const memberships = [...ann.memberships, membership('o3', [])];
const withBilling = [...memberships, { ...membership('o4', ['p4']), role: 'billing' }];
const organizationMade = { outcome: 'done', answer: { organization: { uuid: 'o3' } }, values: {} };
const projectMade = { outcome: 'done', answer: { project: { uuid: 'p2' } }, about: { orgUuid: 'o1' }, values: {} };

/** An event that makes a subject stale. */
const CHANGED: Readonly<Record<Subject, ConsoleEvent['type']>> = {
  members: 'members.changed',
  organization: 'organization.changed',
  project: 'project.changed',
  billing: 'billing.changed',
  limits: 'limits.changed',
  logs: 'log.added',
  webhooks: 'webhook.changed',
};
/** Screens that others change what they show: each is told of its own subject. */
const changedElsewhere = Object.fromEntries(
  CHARTED.flatMap((screen) => {
    const row = SCREEN_CHARTS[screen];
    return 'shows' in row && row.shows ? [[screen, CHANGED[row.shows]] as const] : [];
  }).map(([screen, type]) => {
    const here = { type, organization_uuid: 'o1', project_uuid: 'p1' };
    return [
      `${screen} that others change`,
      {
        input: { route: at(screen), browserLanguages: [] },
        cases: {
          'done loadWorkspace': [ann],
          'push.received': [here, { ...here, organization_uuid: 'o2', project_uuid: 'p2' }].map((event) => ({ event })),
          'route.changed': [],
          'memberships.stale': [],
        },
        without: [...BUT_MEMBERSHIPS, 'xstate.error.'],
      },
    ];
  }),
);

describe('workspace', () => {
  describeWalks(
    workspaceMachine,
    {
      tags: {
        loading: ['loading', 'retrying'],
        failed: ['failed'],
        ready: ['ready'],
        noOrganization: ['ready.selection.noOrganization'],
        organizationMissing: ['ready.selection.organizationMissing'],
        projectMissing: ['ready.selection.projectMissing'],
        noProject: ['ready.selection.noProject'],
        opening: ['ready.dialog.opening'],
        openFailed: ['ready.dialog.openFailed'],
        forbidden: ['ready.screen.forbidden'],
        notFound: ['ready.screen.notFound'],
      },
      ignored: {
        'Nothing has failed':
          'retry.requested in loading, ready.dialog.{closed, creatingOrganization, creatingProject, opening}, retrying',
        'The workspace is not there yet':
          'organization.chosen, signOut.requested, memberships.changed, memberships.outdated, push.received in failed, loading, retrying',
        'It is being read': 'network.back in loading, retrying',
        'There is no organization whose project it could be':
          'project.chosen in failed, loading, ready.selection.noOrganization, retrying',
        'The organization of the address is not there':
          'project.chosen at times in ready.selection.organizationMissing',
        'Who has stayed where their place went keeps the screen':
          'memberships.changed at times in ready.selection.selected',
        'No playground is open': ['part.failed in failed, loading, retrying', 'part.failed at times in ready.screen'],
        'A dialog is open, or there is no workspace yet':
          'organization.create.requested in failed, loading, ready.dialog.{creatingOrganization, creatingProject, openFailed, opening}, retrying',
        'A dialog is open, or there is nowhere to make a project':
          'project.create.requested in failed, loading, ready.{dialog.{creatingOrganization, creatingProject, openFailed, opening}, screen.forbidden, selection.noOrganization}, retrying',
        'The organization or the role has no place for a project':
          'project.create.requested at times in ready.dialog.closed',
        'Only what waits for the memberships hears it': [
          'memberships.read in failed, loading, ready.dialog.{closed, creatingOrganization, creatingProject}, retrying',
          'memberships.readFailed in failed, loading, ready.dialog.{closed, creatingOrganization, creatingProject, openFailed}, retrying',
        ],
        'No dialog has failed':
          'dialog.dismissed in failed, loading, ready.dialog.{closed, creatingOrganization, creatingProject, opening}, retrying',
      },
      cases: {
        'done loadWorkspace': [
          { ...ann, memberships },
          { ...ann, memberships: [] },
        ],
        'done loadMemberships': [{ memberships }],
        'done organizationForm': [organizationMade, { outcome: 'dismissed' }, { outcome: 'left' }],
        'done projectForm': [projectMade, { outcome: 'dismissed' }, { outcome: 'left' }],
        'route.changed': routes.map((route) => ({ route })),
        'organization.chosen': [{ orgUuid: 'o2' }],
        'project.chosen': [{ projectUuid: 'p2' }],
        'memberships.stale': [{ route: null }, { route: { screen: 'home' } }],
        'user.changed': [{ user: { ...ann.user, name: 'Anna' } }],
        // Raised by the chart itself once the new memberships are there.
        'memberships.changed': [],
        'memberships.read': [],
        'memberships.readFailed': [],
        'push.received': [{ event: { type: 'resync' } }],
      },
      merge: true,
      distinguish: ({ context }) => [
        context.memberships.map(({ role }: { role: string }) => role),
        context.route,
        context.remembered,
      ],
      limit: 30_000,
      states: {
        'ready.selection.selected': ({ context }) => expect(context.selection.projectUuid).not.toBeNull(),
      },
    },
    {
      'everything but the screens': {
        input: { route: { screen: 'home' }, browserLanguages: [] },
        without: ['organization.create', 'project.create', 'memberships.', 'push.', ...LEAVING],
      },
      dialogs: {
        distinguish: ({ context }) => [context.memberships.length, context.created, context.failure === null],
        input: { route: { screen: 'organization', orgUuid: 'o1' }, browserLanguages: [] },
        cases: {
          'route.changed': [],
          'push.received': [],
          'done loadWorkspace': [{ ...ann, memberships }],
          'done loadMemberships': [memberships, memberships.slice(1)].map((read) => ({ memberships: read })),
        },
        without: ['network.', 'organization.chosen', 'project.chosen', ...LEAVING, 'xstate.error.actor.loadWorkspace'],
      },
      'signing out': {
        input: { route: { screen: 'home' }, browserLanguages: [] },
        cases: { 'route.changed': [] },
        without: [...NEWS, ...DIALOGS, 'user.', 'xstate.error.'],
      },
      screens: {
        input: { route: keys('p1'), browserLanguages: [] },
        cases: {
          'done loadWorkspace': [{ ...ann, memberships: withBilling }],
          'route.changed': [
            keys('p1'),
            keys('p2'),
            keys('p4', 'o4'),
            { screen: 'home' },
            ...plainScreens('organization'),
          ].map((route) => ({ route })),
        },
        without: [...BUT_SCREENS, 'user.'],
      },
      'a workspace that cannot be read at first': {
        input: { route: { screen: 'home' }, browserLanguages: [] },
        cases: { 'route.changed': [], 'done loadWorkspace': [] },
        without: ['user.'],
      },
      'what changes elsewhere': {
        distinguish: ({ context }) => [
          context.memberships.map(({ role }: { role: string }) => role),
          context.route.screen,
          context.failure === null,
          context.diff.fallback === null,
          context.heard.events.some(({ own }: { own?: true }) => own),
        ],
        input: { route: playground('p1'), browserLanguages: [] },
        cases: {
          'done loadWorkspace': [{ ...ann, memberships }],
          'done loadMemberships': [memberships, demoted, ann.memberships.slice(1)].map((read) => ({
            memberships: read,
          })),
          'memberships.stale': [{ route: null }],
          'push.received': [
            { event: { type: 'resync' } },
            { event: { type: 'organization.deleted', organization_uuid: 'o1', own: true } },
            { event: { type: 'file.created', project_uuid: 'p1', file_id: 'f1' } },
          ],
          'route.changed': [playground('p1'), { screen: 'home' }].map((route) => ({ route })),
        },
        without: [...BUT_MEMBERSHIPS.filter((name) => name !== 'retry'), 'xstate.error.actor.loadWorkspace'],
      },
      'a role that gains the playground': {
        input: { route: playground('p1'), browserLanguages: [] },
        cases: {
          'done loadWorkspace': [{ ...ann, memberships: demoted }],
          'route.changed': [],
          'memberships.stale': [],
          'push.received': [],
        },
        without: [...BUT_MEMBERSHIPS, 'xstate.error.'],
      },
      ...changedElsewhere,
      'a role that changes': {
        distinguish: ({ context }) => [context.memberships.map(({ role }: { role: string }) => role), context.route],
        input: { route: keys('p1'), browserLanguages: [] },
        cases: {
          'done loadWorkspace': [{ ...ann, memberships: withBilling }],
          'done loadMemberships': [{ memberships: withBilling }, { memberships: demoted }, { memberships: asAdmin }],
          'memberships.stale': [{ route: null }],
          'route.changed': [
            keys('p1'),
            keys('p4', 'o4'),
            { screen: 'home' },
            ...CHARTED.filter((name) => says(name, 'isOfRole')).map(at),
          ].map((route) => ({ route })),
        },
        without: [...BUT_MEMBERSHIPS, 'push.', 'memberships.outdated', 'xstate.error.'],
      },
      'screens of a project and of nobody but oneself': {
        input: { route: { screen: 'user' }, browserLanguages: [] },
        cases: {
          'done loadWorkspace': [{ ...ann, memberships: withBilling }],
          'route.changed': [
            { screen: 'user', poi: 'o1' },
            { screen: 'notFound', orgUuid: 'o1' },
            { screen: 'welcome' },
            ...plainScreens('project'),
            { screen: 'home' },
          ].map((route) => ({ route })),
        },
        without: BUT_SCREENS,
      },
      'screens whose address tells what they show': {
        input: { route: { screen: 'home' }, browserLanguages: [] },
        cases: {
          'done loadWorkspace': [{ ...ann, memberships: withBilling }],
          'route.changed': [...addressedScreens, { screen: 'home' }].map((route) => ({ route })),
        },
        without: BUT_SCREENS,
      },
      'something typed before': {
        input: {
          route: { screen: 'organization', orgUuid: 'o1' },
          browserLanguages: [],
          keptDrafts: { userUuid: 'u1', drafts: [{ form: 'organizationForm', about: {}, values: { name: 'Acme' } }] },
        },
        without: BESIDE_DIALOGS,
      },
      'something typed for a project before': {
        input: {
          route: { screen: 'organization', orgUuid: 'o1' },
          browserLanguages: [],
          keptDrafts: {
            userUuid: 'u1',
            drafts: [{ form: 'projectForm', about: { orgUuid: 'o1' }, values: { name: 'Talks' } }],
          },
        },
        without: BESIDE_DIALOGS,
      },
    },
  );
});
