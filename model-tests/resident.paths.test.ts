import { describe, expect } from 'vitest';
import { preferencesMachine } from '#machines/preferences/machine.ts';
import { toastsMachine } from '#machines/toasts/machine.ts';
import { describeWalk } from './walk.ts';

describe('toasts', () => {
  describeWalk(toastsMachine, {
    cases: {
      'toast.requested': ({ context }) => (context.made > 1 ? [] : [{ type: 'toast.requested', kind: 'success', text: 'Saved.' }, { type: 'toast.requested', kind: 'error', text: 'Lost.' }]),
      'toast.dismissed': ({ context }) => context.toasts.map(({ id }: { id: string }) => ({ type: 'toast.dismissed', id })),
      'toast.expired': ({ context }) => context.toasts.filter(({ kind }: { kind: string }) => kind === 'success').map(({ id }: { id: string }) => ({ type: 'toast.expired', id })),
    },
    distinguish: ({ context }) => context,
  });
});

describe('preferences', () => {
  describeWalk(preferencesMachine, {
    cases: {
      'preferences.loaded': [{ type: 'preferences.loaded', preferences: { theme: 'dark' } }],
      'theme.chosen': [{ type: 'theme.chosen', theme: 'light' }],
      'navGroup.toggled': [{ type: 'navGroup.toggled', link: '/usage/', open: true }],
    },
    states: { drawerOpen: (snapshot) => { expect(snapshot.hasTag('drawerOpen')).toBe(true); } },
  });
});
