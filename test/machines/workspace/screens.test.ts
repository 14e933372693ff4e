import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Action, ROLES, type Role } from '#contract/roles.ts';
import type { Route } from '#machines/shared/route.ts';
import { type ScreenName, SCREENS } from '#machines/shared/screens.ts';
import { isForbidden, openedBy, canOpen } from '#machines/workspace/access.ts';
import type { WorkspaceContext } from '#machines/workspace/context.ts';
import { CHARTED, SCREEN_CHARTS } from '#machines/workspace/screens.ts';
import { landingOf } from '#machines/workspace/select.ts';
import { ann, membership } from '../people.ts';

const org = { orgUuid: 'o1' };
const project = { ...org, projectUuid: 'p1' };
/** What some addresses tell besides. */
const PARAMETERS: Readonly<Record<string, object>> = { playground: { mode: 'async' } };
/** Every screen of an organization or a project. */
const ROUTES = Object.entries(SCREENS).map(
  ([screen, { of }]) =>
    ({ screen, ...(of === 'project' ? project : org), ...PARAMETERS[screen] }) as Extract<
      Route,
      { screen: ScreenName }
    >,
);

const MANAGING = ['invitations.manage', 'organization.update', 'project.update', 'audit.read'] as const;
/** The rights that screens need and a role does not have. */
const LACKS: Readonly<Record<Role, readonly Action[]>> = {
  owner: [],
  admin: ['audit.read'],
  member: [...MANAGING, 'billing.read'],
  billing: [...MANAGING, 'playground.use', 'apiKeys.manage'],
};

describe('screens and roles', () => {
  it.each(ROLES)('ORG-08: what %s may not open is forbidden at its address, whatever the screen', (role) => {
    const known = { memberships: [{ ...membership('o1', ['p1']), role }] };
    const closed = ROUTES.filter(({ screen }) => LACKS[role].includes(SCREENS[screen].needs));
    expect(ROUTES.filter((route) => isForbidden(known, route))).toEqual(closed);
    expect(ROUTES.filter((route) => openedBy(known, route) === null)).toEqual(closed);
    expect(ROUTES.filter(({ screen }) => !canOpen(role, screen))).toEqual(closed);
  });

  it('ORG-08: what is not there is missing rather than forbidden, and what belongs to no organization is open', () => {
    const known = { memberships: [{ ...membership('o1', ['p1']), role: 'billing' as const }] };
    expect(isForbidden(known, { screen: 'apiKeys', orgUuid: 'o1', projectUuid: 'elsewhere' })).toBe(false);
    expect(isForbidden(known, { screen: 'auditLog', orgUuid: 'elsewhere' })).toBe(false);
    expect(isForbidden(known, { screen: 'user' })).toBe(false);
  });
});

describe('a row of the table of charts', () => {
  it.each(CHARTED)('%s says what its chart hears, and no more', (name) => {
    const row = SCREEN_CHARTS[name];
    const hears = new Set<string>(row.chart.events);
    expect({ shows: 'shows' in row, hearsRoute: 'hearsRoute' in row }).toEqual({
      shows: hears.has('screen.stale'),
      hearsRoute: hears.has('route.changed'),
    });
  });

  it.each(CHARTED)('%s says `isOfRole` if its chart starts from the role', (name) => {
    const route = ROUTES.find(({ screen }) => screen === name);
    const started = (['owner', 'admin'] as const).map((role) =>
      SCREEN_CHARTS[name].input({
        route,
        memberships: [{ ...membership('o1', ['p1']), role }],
        drafts: [],
        user: ann.user,
      } as unknown as WorkspaceContext),
    );
    expect('isOfRole' in SCREEN_CHARTS[name]).toBe(!isDeepStrictEqual(started[0], started[1]));
  });
});

describe('short addresses', () => {
  it('NAV-03: lead into the first organization, and into the first of its projects', () => {
    const memberships = [membership('o1', ['p1', 'p2']), membership('o2', ['p3'])];
    expect(landingOf(memberships, { screen: 'costTable' })).toEqual({ screen: 'costTable', orgUuid: 'o1' });
    expect(landingOf(memberships, { screen: 'playground', mode: 'async' })).toEqual({
      screen: 'playground',
      mode: 'async',
      orgUuid: 'o1',
      projectUuid: 'p1',
    });
  });

  it('NAV-04: lead nowhere without an organization, and without a project where they need one', () => {
    expect(landingOf([], { screen: 'members' })).toBeNull();
    expect(landingOf([membership('o1', []), membership('o2', ['p3'])], { screen: 'apiKeys' })).toBeNull();
    expect(landingOf([membership('o1', [])], { screen: 'members' })).toEqual({ screen: 'members', orgUuid: 'o1' });
  });
});
