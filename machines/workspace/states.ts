// The parallel regions of a loaded workspace, besides `screen`.
import { and } from 'xstate';
import { draftOf } from '../shared/form/drafts.ts';
import { formEnds, givenAccepted, givenAnswer } from '../shared/form/ends.ts';
import type { NavigateRequested } from '../shared/appServices.ts';
import type { MembershipsStale } from '../shared/membershipsStale.ts';
import { fallbackOf } from './news.ts';
import { setupWorkspace } from './setup.ts';
import { withEvent, withOutput } from '../shared/withEvent.ts';

/** Opens the route of an event that says that memberships have changed. The guard `leadsSomewhere` says if it has one. */
export const OPEN_ROUTE = {
  type: 'sendToApp',
  params: ({ event }: { event: MembershipsStale }): NavigateRequested => ({
    type: 'navigate.requested',
    to: event.route ?? { screen: 'home' },
  }),
} as const;

/** Selects organization and project again on every change of route or memberships. */
export const selection = setupWorkspace.createStateConfig({
  initial: 'deciding',
  on: {
    'route.changed': [
      { guard: withEvent('staysOnRemovedPlace'), actions: [withEvent('adoptRoute'), 'closePalette', 'passToGuard'] },
      { target: '.deciding', actions: [withEvent('adoptRoute'), 'closePalette', 'passToGuard'] },
    ],
    // Somebody who stayed on a removed place keeps the screen until they leave it.
    'memberships.changed': [{ guard: 'isOnRemovedPlace' }, { target: '.deciding' }],
  },
  states: {
    deciding: {
      entry: ['select', 'clearRemovalReason', 'passPlace', 'tellPalette', 'clearOtherPlayground'],
      always: [
        { guard: 'isUnremembered', actions: ['remember', 'saveSelection'] },
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

/**
 * The only reader of the memberships after loading. A change during a read starts another, so that the last answer is
 * never older than the last change. A toast reports what others changed. If the route's place is gone, another opens.
 */
export const memberships = setupWorkspace.createStateConfig({
  initial: 'known',
  on: {
    'memberships.stale': { target: '.reading', actions: withEvent('noteChangedHere') },
    'memberships.outdated': '.reading',
    'push.received': {
      guard: withEvent('isAboutMemberships'),
      target: '.reading',
      actions: withEvent('hear'),
    },
  },
  states: {
    known: {
      // The person removed the place here, but the answer that opens another screen was lost.
      after: {
        answerLimit: {
          guard: 'isLeftBehind',
          actions: {
            type: 'sendToApp',
            params: ({ context: { route, memberships } }) => ({
              type: 'navigate.requested',
              to: fallbackOf(route, memberships),
              replace: true,
            }),
          },
        },
      },
    },
    reading: {
      invoke: {
        id: 'loadMemberships',
        src: 'loadMemberships',
        onDone: { target: 'deciding', actions: withOutput('setRead') },
        onError: { target: 'pausing', actions: withEvent('sayReadFailed') },
      },
    },
    deciding: {
      always: [
        {
          guard: 'hasMessage',
          actions: [
            {
              type: 'sendToApp',
              params: ({ context }) => ({ type: 'toast.requested', kind: 'notice', text: context.diff.message }),
            },
            'clearMessage',
          ],
        },
        // The person's own action is about to open another screen.
        {
          guard: and(['isPlaceRemoved', 'isOpening']),
          target: 'known',
          actions: ['setRemovalReason', 'passPlace', 'sayRead'],
        },
        {
          guard: 'hasFallback',
          target: 'known',
          // Forms with unsaved text learn of it before the guard asks.
          actions: [
            'setRemovalReason',
            'passPlace',
            {
              type: 'sendToApp',
              params: ({ context }) => ({
                type: 'navigate.requested',
                to: context.diff.fallback ?? { screen: 'home' },
                replace: true,
              }),
            },
            'sayRead',
          ],
        },
        // The person left or deleted the place here: its screen stays until the next one opens, instead of "missing".
        { guard: 'isPlaceRemoved', target: 'known', actions: 'sayRead' },
        { target: 'known', actions: ['sayRead', 'sayChanged'] },
      ],
    },
    pausing: { after: { pause: 'reading' } },
  },
});

/** Navigates below an open dialog, which stays with its input. */
const beneath = setupWorkspace.createStateConfig({
  on: {
    'memberships.stale': {
      guard: withEvent('leadsSomewhere'),
      actions: OPEN_ROUTE,
    },
  },
});

export const dialog = setupWorkspace.createStateConfig({
  initial: 'deciding',
  states: {
    // Opens a dialog again that had input when the session ended.
    deciding: {
      always: [
        { guard: 'hasOrganizationDraft', target: 'creatingOrganization' },
        { guard: 'hasProjectDraft', target: 'creatingProject' },
        { target: 'closed' },
      ],
    },
    closed: {
      on: {
        'organization.create.requested': 'creatingOrganization',
        'project.create.requested': { guard: 'mayCreateProject', target: 'creatingProject' },
        'memberships.stale': {
          guard: withEvent('leadsSomewhere'),
          target: 'opening',
          actions: withEvent('setCreated'),
        },
      },
    },
    creatingOrganization: {
      exit: 'clearDrafts',
      on: beneath.on,
      invoke: {
        id: 'organizationForm',
        src: 'organizationForm',
        input: ({ context }) => ({
          initial: { contact_email: context.user.email },
          draft: draftOf(context.drafts, 'organizationForm', {}),
        }),
        onDone: formEnds(
          {
            target: 'opening',
            actions: [givenAnswer('setOrganization'), 'sayOutdated'],
          },
          { target: 'closed' },
          // Closed before the server answered: read the memberships, in case it was created.
          { target: 'closed', actions: 'sayOutdated' },
        ),
      },
    },
    creatingProject: {
      exit: 'clearDrafts',
      on: beneath.on,
      invoke: {
        id: 'projectForm',
        src: 'projectForm',
        input: ({
          context: {
            selection: { orgUuid },
            drafts,
          },
        }) => ({
          about: { orgUuid: orgUuid ?? '' },
          draft: draftOf(drafts, 'projectForm', { orgUuid: orgUuid ?? '' }),
        }),
        onDone: formEnds(
          {
            target: 'opening',
            actions: [givenAccepted('setProject'), 'sayOutdated'],
          },
          { target: 'closed' },
          { target: 'closed', actions: 'sayOutdated' },
        ),
      },
    },
    // The new place's screen needs it in the memberships, so these are read first.
    opening: {
      tags: 'opening',
      on: {
        'memberships.read': 'opened',
        'memberships.readFailed': { target: 'openFailed', actions: withEvent('setKnownFailure') },
        'memberships.stale': { guard: withEvent('leadsSomewhere'), actions: withEvent('setCreated') },
      },
    },
    openFailed: {
      tags: 'openFailed',
      on: {
        'retry.requested': { target: 'opening', actions: 'sayOutdated' },
        'dialog.dismissed': 'closed',
        'memberships.read': 'opened',
        'memberships.stale': {
          guard: withEvent('leadsSomewhere'),
          target: 'opening',
          actions: withEvent('setCreated'),
        },
      },
    },
    opened: {
      entry: {
        type: 'sendToApp',
        params: ({ context }) => ({ type: 'navigate.requested', to: context.created ?? { screen: 'home' } }),
      },
      always: 'closed',
    },
  },
});
