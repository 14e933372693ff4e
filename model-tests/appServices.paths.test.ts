import { describe, expect, it } from 'vitest';
import { createActor, fromCallback } from 'xstate';
import { preferencesMachine } from '#machines/root/preferences/machine.ts';
import { SIDEBAR_FROM_PX, type ViewportInput } from '#machines/shared/viewport.ts';
import { toastsMachine } from '#machines/root/toasts/machine.ts';
import { describeWalk } from './walk.ts';

describe('toasts', () => {
  describeWalk(toastsMachine, {
    ignored: {},
    cases: {
      'toast.requested': ({ context }) =>
        context.made > 1
          ? []
          : [
              { kind: 'success', text: 'Saved.' },
              { kind: 'error', text: 'Lost.' },
            ],
      'toast.dismissed': ({ context }) => context.toasts.map(({ id }: { id: string }) => ({ id })),
      'toast.expired': ({ context }) =>
        context.toasts
          .filter(({ kind }: { kind: string }) => kind === 'success')
          .map(({ id }: { id: string }) => ({ id })),
    },
    distinguish: ({ context }) => context,
  });
});

describe('preferences', () => {
  describeWalk(preferencesMachine, {
    tags: { drawerOpen: ['drawerOpen'] },
    ignored: {
      'It is open already': 'drawer.open.requested in drawerOpen',
      'It is closed already': 'drawer.close.requested, viewport.widened in drawerClosed',
    },
    cases: {
      'preferences.loaded': [{ preferences: { theme: 'dark' } }],
      'theme.chosen': [{ theme: 'light' }],
      'zone.chosen': [{ zone: 'local' }],
      'navGroup.toggled': [{ link: '/usage/', open: true }],
    },
  });

  it('ASY-20: the panel that is asked for is unfolded, and stays so', () => {
    const saved: unknown[] = [];
    const preferencesStore = fromCallback(({ receive }) => receive((event) => void saved.push(event)));
    const preferences = createActor(preferencesMachine.provide({ actors: { preferencesStore } as never })).start();
    const isFolded = () => preferences.getSnapshot().context.panelCollapsed;
    preferences.send({ type: 'panel.toggled' });
    expect(isFolded()).toBe(true);
    for (const _ of ['folded', 'open']) preferences.send({ type: 'panel.unfold.requested' });
    expect(isFolded()).toBe(false);
    expect(saved.at(-1)).toMatchObject({ preferences: { panelCollapsed: false } });
  });

  it('SHL-01: the drawer closes as the window gets wide, and watches it no longer than it is open', () => {
    const watched: ViewportInput[] = [];
    const viewport = fromCallback<never, ViewportInput>(({ input }) => {
      watched.push(input);
      return () => void watched.pop();
    });
    const preferences = createActor(
      preferencesMachine.provide({ actors: { viewport, preferencesStore: fromCallback(() => undefined) } as never }),
    ).start();
    preferences.send({ type: 'drawer.open.requested' });
    expect(watched).toEqual([{ wideFromPx: SIDEBAR_FROM_PX }]);
    preferences.send({ type: 'viewport.narrowed' });
    expect(preferences.getSnapshot().hasTag('drawerOpen')).toBe(true);
    preferences.send({ type: 'viewport.widened' });
    expect(preferences.getSnapshot().hasTag('drawerOpen')).toBe(false);
    expect(watched).toEqual([]);
  });
});
