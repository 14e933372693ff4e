// Models the toasts: successes expire, errors and notices stay until dismissed.
// Owned by the root, for as long as the page lives.
import { assign, cancel, enqueueActions, setup, type ActorRefFrom } from 'xstate';
import type { ToastRequested } from '../../shared/appServices.ts';
import { withEvent } from '../../shared/withEvent.ts';

export type Toast = { id: string } & Omit<ToastRequested, 'type'>;

export const toastsMachine = setup({
  types: {} as {
    context: { toasts: readonly Toast[]; made: number };
    events: ToastRequested | { type: 'toast.dismissed'; id: string } | { type: 'toast.expired'; id: string };
  },
  delays: { expiry: 5000 },
  guards: { isSuccess: (_, { kind }: { kind: Toast['kind'] }) => kind === 'success' },
  actions: {
    add: assign(({ context }, { kind, text }: { kind: Toast['kind']; text: string }) => ({
      made: context.made + 1,
      toasts: [...context.toasts, { id: `toast-${context.made + 1}`, kind, text }],
    })),
    remove: assign(({ context }, { id }: { id: string }) => ({
      toasts: context.toasts.filter((toast) => toast.id !== id),
    })),
    startExpiry: enqueueActions(({ context, enqueue }) => {
      const id = `toast-${context.made}`;
      enqueue.raise({ type: 'toast.expired', id }, { id, delay: 'expiry' });
    }),
    stopExpiry: cancel((_, { id }: { id: string }) => id),
  },
}).createMachine({
  id: 'toasts',
  context: { toasts: [], made: 0 },
  on: {
    'toast.requested': [
      { guard: withEvent('isSuccess'), actions: [withEvent('add'), 'startExpiry'] },
      { actions: withEvent('add') },
    ],
    'toast.dismissed': { actions: [withEvent('stopExpiry'), withEvent('remove')] },
    'toast.expired': { actions: withEvent('remove') },
  },
});

export type ToastsActor = ActorRefFrom<typeof toastsMachine>;
