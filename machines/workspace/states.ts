// What goes on side by side in a loaded workspace.
import { and } from 'xstate';
import { draftOf } from '../shared/form/drafts.ts';
import { formEnds, givenAccepted, givenAnswer } from '../shared/form/ends.ts';
import { setupWorkspace } from './setup.ts';
import { withEvent, withOutput } from '../shared/withEvent.ts';

/** Decides anew on every change of route or memberships; the resting state tells what the screen is about. */
export const selection = setupWorkspace.createStateConfig({
  initial: 'deciding',
  on: {
    'route.changed': [
      { guard: withEvent('staysOnRemovedPlace'), actions: [withEvent('adoptRoute'), 'closePalette', 'passToGuard'] },
      { target: '.deciding', actions: [withEvent('adoptRoute'), 'closePalette', 'passToGuard'] },
    ],
    // Who has stayed where their place went keeps the screen until they leave it.
    'memberships.changed': [{ guard: 'isOnRemovedPlace' }, { target: '.deciding' }],
  },
  states: {
    deciding: {
      entry: ['select', 'clearRemovalReason', 'passPlace', 'clearOtherPlayground'],
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
 * The only reader of the memberships once they are there: what is told while they are read has them read again, so that the
 * last answer is never older than the last word. What has changed elsewhere is said, and where the place of the address is
 * gone, the next one opens.
 */
export const memberships = setupWorkspace.createStateConfig({
  initial: 'known',
  on: {
    'memberships.stale': '.reading',
    'memberships.outdated': '.reading',
    'push.received': {
      guard: withEvent('isAboutMemberships'),
      target: '.reading',
      actions: withEvent('setRemovalCause'),
    },
  },
  states: {
    known: {},
    reading: {
      invoke: {
        id: 'loadMemberships',
        src: 'loadMemberships',
        onDone: { target: 'deciding', actions: withOutput('setRead') },
        onError: { target: 'pausing', actions: withEvent('sayUnread') },
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
        // Something of one's own leads on already.
        {
          guard: and(['isPlaceRemoved', 'isOpening']),
          target: 'known',
          actions: ['setRemovalReason', 'passPlace', 'sayRead'],
        },
        {
          guard: 'hasFallback',
          target: 'known',
          // Forms with unsaved text hear of it before anybody is asked to leave.
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
        // What was left or deleted stays on the screen until the next one is there, rather than being called missing.
        { guard: 'isPlaceRemoved', target: 'known', actions: 'sayRead' },
        { target: 'known', actions: ['sayRead', 'sayChanged'] },
      ],
    },
    pausing: { after: { pause: 'reading' } },
  },
});

/** What leads on beneath an open dialog: the dialog stays, with what is typed in it. */
const beneath = setupWorkspace.createStateConfig({
  on: {
    'memberships.stale': {
      guard: withEvent('leadsSomewhere'),
      actions: {
        type: 'sendToApp',
        params: ({ event }) => ({ type: 'navigate.requested', to: event.route ?? { screen: 'home' } }),
      },
    },
  },
});

export const dialog = setupWorkspace.createStateConfig({
  initial: 'deciding',
  states: {
    // A dialog that was open with something typed when the session ended is open again.
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
          // Left before the server answered: what it made all the same belongs among the memberships.
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
    // The screen of what was created needs it among the memberships; so they come first.
    opening: {
      tags: 'opening',
      on: {
        'memberships.read': 'opened',
        'memberships.unread': { target: 'openFailed', actions: withEvent('setKnownFailure') },
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
