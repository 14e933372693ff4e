// What goes on side by side in a loaded workspace.
import { draftOf } from '../form/drafts.ts';
import { personAt, placeOf } from './screens.ts';
import { playgroundInput, setupWorkspace } from './setup.ts';
import { usageInput } from '../usage/machine.ts';

/** Decides anew on every change of route or memberships; the resting state tells what the screen is about. */
export const selection = setupWorkspace.createStateConfig({
  initial: 'deciding',
  on: {
    'route.changed': { target: '.deciding', actions: [{ type: 'adoptRoute', params: ({ event }) => event }, 'closePalette', 'passToGuard'] },
    'memberships.changed': '.deciding',
  },
  states: {
    deciding: {
      entry: ['select', 'forgetOtherLive'],
      always: [
        { guard: 'isUnremembered', actions: ['remember', 'tellMemory'] },
        { guard: 'isOrganizationMissing', target: 'organizationMissing' },
        { guard: 'hasNone', target: 'noOrganization' },
        { guard: 'isProjectMissing', target: 'projectMissing' },
        { guard: 'hasProject', target: 'selected' },
        { target: 'noProject' },
      ],
    },
    noOrganization: { tags: 'noOrganization' },
    organizationMissing: { tags: 'organizationMissing' },
    projectMissing: { tags: 'projectMissing' },
    noProject: { tags: 'noProject' },
    selected: {},
  },
});

export const dialog = setupWorkspace.createStateConfig({
  initial: 'deciding',
  states: {
    // A dialog that was open with something typed when the session ended is open again.
    deciding: { always: [{ guard: 'hasOrganizationDraft', target: 'creatingOrganization' }, { guard: 'hasProjectDraft', target: 'creatingProject' }, { target: 'closed' }] },
    closed: {
      on: {
        'organization.create.requested': 'creatingOrganization',
        'project.create.requested': { guard: 'mayCreateProject', target: 'creatingProject' },
        'memberships.stale': [
          { guard: { type: 'leadsSomewhere', params: ({ event }) => event }, target: 'opening', actions: { type: 'keepCreated', params: ({ event }) => event } },
          { target: 'checking' },
        ],
      },
    },
    creatingOrganization: {
      exit: 'forgetDrafts',
      invoke: {
        id: 'organizationForm',
        src: 'organizationForm',
        input: ({ context }) => ({ initial: { contact_email: context.user.email }, draft: draftOf(context.drafts, 'organizationForm', {}) }),
        onDone: [
          {
            guard: { type: 'isCreated', params: ({ event }) => event.output },
            target: 'opening',
            actions: {
              type: 'keepCreated',
              params: ({ event: { output } }) => ({
                route: output.outcome === 'done' ? { screen: 'organization', orgUuid: output.answer.organization.uuid } : null,
              }),
            },
          },
          { guard: { type: 'isUncertain', params: ({ event }) => event.output }, target: 'checking' },
          { target: 'closed' },
        ],
        onError: 'closed',
      },
    },
    creatingProject: {
      exit: 'forgetDrafts',
      invoke: {
        id: 'projectForm',
        src: 'projectForm',
        input: ({ context: { selection: { orgUuid }, drafts } }) => ({ initial: { orgUuid: orgUuid ?? '' }, draft: draftOf(drafts, 'projectForm', { orgUuid: orgUuid ?? '' }) }),
        onDone: [
          {
            guard: { type: 'isCreated', params: ({ event }) => event.output },
            target: 'opening',
            actions: {
              type: 'keepCreated',
              params: ({ event: { output } }) => ({
                route:
                  output.outcome === 'done'
                    ? { screen: 'project', orgUuid: output.values.orgUuid, projectUuid: output.answer.project.uuid }
                    : null,
              }),
            },
          },
          { guard: { type: 'isUncertain', params: ({ event }) => event.output }, target: 'checking' },
          { target: 'closed' },
        ],
        onError: 'closed',
      },
    },
    // The screen of what was created needs it among the memberships; so they come first.
    opening: {
      tags: 'opening',
      invoke: {
        id: 'loadMemberships',
        src: 'loadMemberships',
        onDone: { target: 'opened', actions: { type: 'keepMemberships', params: ({ event }) => ({ memberships: event.output }) } },
        onError: { target: 'openFailed', actions: { type: 'keepFailure', params: ({ event }) => event } },
      },
    },
    // Left before the server answered: what it made all the same belongs among the memberships.
    checking: {
      // What is being read may be older than what changed now.
      on: {
        'memberships.stale': [
          { guard: { type: 'leadsSomewhere', params: ({ event }) => event }, target: 'opening', actions: { type: 'keepCreated', params: ({ event }) => event } },
          { target: 'checking', reenter: true },
        ],
      },
      invoke: {
        id: 'loadMemberships',
        src: 'loadMemberships',
        onDone: { target: 'checked', actions: { type: 'keepMemberships', params: ({ event }) => ({ memberships: event.output }) } },
        onError: 'closed',
      },
    },
    checked: { entry: setupWorkspace.raise({ type: 'memberships.changed' }), always: 'closed' },
    openFailed: { tags: 'openFailed', on: { 'retry.requested': 'opening', 'dialog.dismissed': 'closed' } },
    opened: {
      entry: { type: 'tell', params: ({ context }) => ({ type: 'navigate.requested', to: context.created ?? { screen: 'home' } }) },
      // What was left or deleted stays on the screen until the next one is there, rather than being called missing.
      always: [{ guard: 'isOrganizationMissing', target: 'closed' }, { guard: 'isProjectMissing', target: 'closed' }, { target: 'checked' }],
    },
  },
});

/** Alive only while the address is the playground of one project; another project gets another playground. */
export const playground = setupWorkspace.createStateConfig({
  initial: 'deciding',
  states: {
    deciding: { always: [{ guard: { type: 'isAt', params: { screen: 'playground' } }, target: 'open' }, { target: 'closed' }] },
    closed: {
      on: { 'route.changed': { guard: { type: 'isPlayground', params: ({ event }) => event }, target: 'open' } },
    },
    open: {
      exit: 'keepLive',
      invoke: {
        id: 'playground',
        src: 'playground',
        input: ({ context }) => playgroundInput(context),
        onError: { target: 'failed', actions: { type: 'keepFailure', params: ({ event }) => event } },
      },
      on: {
        'route.changed': [
          { guard: { type: 'isSamePlayground', params: ({ event }) => event }, actions: { type: 'passRoute', params: ({ event }) => event } },
          { guard: { type: 'isPlayground', params: ({ event }) => event }, target: 'open', reenter: true },
          { target: 'closed' },
        ],
      },
    },
    failed: {
      tags: 'playgroundFailed',
      on: {
        'retry.requested': 'open',
        'route.changed': [{ guard: { type: 'isPlayground', params: ({ event }) => event }, target: 'open' }, { target: 'closed' }],
      },
    },
  },
});

/** One actor for the screen that shows, if it has one; it lives as long as the address stays with it. */
export const screen = setupWorkspace.createStateConfig({
  initial: 'deciding',
  on: {
    'route.changed': [{ guard: { type: 'isSameScreen', params: ({ event }) => event } }, { target: '.deciding', actions: ['forgetDrafts', { type: 'adoptRoute', params: ({ event }) => event }] }],
    // The role has changed under an open screen.
    'memberships.changed': { guard: 'isForbidden', target: '.forbidden' },
  },
  states: {
    deciding: {
      always: [
        { guard: 'isForbidden', target: 'forbidden' },
        { guard: { type: 'isAt', params: { screen: 'apiKeys' } }, target: 'apiKeys' },
        { guard: { type: 'isAt', params: { screen: 'organization' } }, target: 'dashboard' },
        { guard: { type: 'isAt', params: { screen: 'members' } }, target: 'members' },
        { guard: { type: 'isAt', params: { screen: 'invitation' } }, target: 'invitation' },
        { guard: { type: 'isAt', params: { screen: 'organizationSettings' } }, target: 'organizationSettings' },
        { guard: { type: 'isAt', params: { screen: 'auditLog' } }, target: 'auditLog' },
        { guard: { type: 'isAt', params: { screen: 'projectSettings' } }, target: 'projectSettings' },
        { guard: { type: 'isAt', params: { screen: 'usageCost' } }, target: 'usageCost' },
        { guard: { type: 'isAt', params: { screen: 'usageActivity' } }, target: 'usageActivity' },
        { guard: 'isUser', target: 'userSettings' },
        { target: 'none' },
      ],
    },
    none: { on: { 'memberships.changed': 'deciding' } },
    forbidden: { tags: 'forbidden', on: { 'memberships.changed': 'deciding' } },
    apiKeys: { invoke: { id: 'apiKeys', src: 'apiKeys', input: ({ context }) => ({ ...placeOf(context), drafts: context.drafts, isAsked: context.route.screen === 'apiKeys' && context.route.asks === true }), onError: 'none' } },
    dashboard: { invoke: { id: 'dashboard', src: 'dashboard', input: ({ context }) => placeOf(context), onError: 'none' } },
    members: { invoke: { id: 'members', src: 'members', input: ({ context }) => personAt(context), onError: 'none' } },
    invitation: { invoke: { id: 'invitation', src: 'invitation', input: ({ context }) => ({ ...personAt(context), drafts: context.drafts }), onError: 'none' } },
    organizationSettings: { invoke: { id: 'organizationSettings', src: 'organizationSettings', input: ({ context }) => ({ ...personAt(context), drafts: context.drafts }), onError: 'none' } },
    projectSettings: { invoke: { id: 'projectSettings', src: 'projectSettings', input: ({ context }) => ({ ...placeOf(context), drafts: context.drafts }), onError: 'none' } },
    usageCost: {
      invoke: { id: 'usage', src: 'usage', input: ({ context }) => usageInput(context.route), onError: 'none' },
      on: { 'route.changed': { guard: { type: 'isSameScreen', params: ({ event }) => event }, actions: { type: 'passToUsage', params: ({ event }) => event } } },
    },
    usageActivity: {
      invoke: { id: 'usage', src: 'usage', input: ({ context }) => usageInput(context.route), onError: 'none' },
      on: { 'route.changed': { guard: { type: 'isSameScreen', params: ({ event }) => event }, actions: { type: 'passToUsage', params: ({ event }) => event } } },
    },
    userSettings: { invoke: { id: 'userSettings', src: 'userSettings', input: ({ context: { user, drafts } }) => ({ user, drafts }), onError: 'none' } },
    auditLog: { invoke: { id: 'auditLog', src: 'auditLog', input: ({ context }) => ({ of: placeOf(context).orgUuid }), onError: 'none' } },
  },
});
