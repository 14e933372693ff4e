// Who is reached by name, wherever in the tree one is: typed, never silent in the page, and quiet for a chart that runs alone.
import { describe, expect, it } from 'vitest';
import { createActor, fromCallback, setup, type AnyEventObject } from 'xstate';
import { rootMachine } from '#machines/root/machine.ts';
import { toastsOf } from '#machines/root/select.ts';
import { notifyParent } from '#machines/shared/notifyParent.ts';
import {
  sendToApp,
  sendToAppFrom,
  APP_SERVICE_OF,
  type NavigateRequested,
  type ToastRequested,
} from '#machines/shared/appServices.ts';
import { alone, APP_SERVICES, appServiceHearing } from '../appServices.ts';

type ChildReady = { type: 'child.ready'; count: number };
const SAVED = { type: 'toast.requested', kind: 'success', text: 'Saved.' } as const;

const child = setup({
  types: {} as { events: { type: 'save.requested' } | { type: 'tell.requested' } },
  actions: { sendToApp: sendToApp<ToastRequested | NavigateRequested>(), notifyParent: notifyParent<ChildReady>() },
}).createMachine({
  id: 'child',
  on: {
    'save.requested': { actions: { type: 'sendToApp', params: SAVED } },
    'tell.requested': { actions: { type: 'notifyParent', params: { type: 'child.ready', count: 1 } } },
  },
});

/** The child three levels beneath a parent with these app services. */
function beneath(appServices: readonly (typeof APP_SERVICES)[number][], actor = child) {
  const told: AnyEventObject[] = [];
  const inner = setup({ actors: { child: actor } }).createMachine({ invoke: { id: 'child', src: 'child' } });
  const middle = setup({ actors: { inner } }).createMachine({ invoke: { id: 'inner', src: 'inner' } });
  const root = createActor(
    setup({ actors: { middle, appService: appServiceHearing((event) => told.push(event)) } }).createMachine({
      invoke: [...appServices, { id: 'middle', src: 'middle' }],
    }),
  );
  const errors: unknown[] = [];
  root.subscribe({ error: (error) => errors.push(error) });
  root.start();
  const deep = root.getSnapshot().children['middle']?.getSnapshot().children['inner']?.getSnapshot().children['child'];
  return { deep, told, errors };
}

describe('CON-28: app services by name', () => {
  it('the root keeps each of them', () => {
    const root = createActor(
      rootMachine.provide({
        actors: { session: fromCallback(() => {}), preferences: fromCallback(() => {}) } as never,
      }),
      { input: { settings: {} as never, browserLanguages: [] } },
    ).start();
    expect(Object.values(APP_SERVICE_OF).filter((name) => root.system.get(name) === undefined)).toEqual([]);
    sendToAppFrom(root, SAVED);
    expect(toastsOf(root).getSnapshot().context.toasts).toMatchObject([{ text: 'Saved.' }]);
    root.stop();
  });

  it('what a chart announces reaches its app service past everybody between', () => {
    const { deep, told, errors } = beneath(APP_SERVICES);
    deep?.send({ type: 'save.requested' });
    expect([told, errors]).toEqual([[SAVED], []]);
  });

  it('an absent one is an error of the chart that speaks to it, which climbs to the root', () => {
    const { deep, errors } = beneath(APP_SERVICES.slice(1));
    deep?.send({ type: 'save.requested' });
    expect(errors).toEqual([new Error("The page has no 'toasts'.")]);
    const { deep: other } = beneath(APP_SERVICES.slice(1));
    expect(() => other && sendToAppFrom(other, SAVED)).toThrow("The page has no 'toasts'.");
  });

  it('a chart that runs alone needs none, and no parent where its test says so', () => {
    const actor = createActor(alone(child)).start();
    actor.send({ type: 'save.requested' });
    actor.send({ type: 'tell.requested' });
    expect(actor.getSnapshot().status).toBe('active');
  });

  it('what is told to nobody is an error', () => {
    const actor = createActor(child);
    const errors: unknown[] = [];
    actor.subscribe({ error: (error) => errors.push(error) });
    actor.start().send({ type: 'tell.requested' });
    expect(errors).toHaveLength(1);
  });

  it('another event, payload or app service is an error of types', () => {
    const typed = setup({
      actions: { sendToApp: sendToApp<ToastRequested>(), notifyParent: notifyParent<ChildReady>() },
    });
    typed.createMachine({ entry: { type: 'sendToApp', params: SAVED } });
    // @ts-expect-error - nobody of that name is asked for by this event
    sendToApp<{ type: 'toast.needed' }>();
    // @ts-expect-error - a toast has a text
    typed.createMachine({ entry: { type: 'sendToApp', params: { type: 'toast.requested', kind: 'success' } } });
    const away = { type: 'navigate.requested', to: { screen: 'home' } } as const;
    // @ts-expect-error - the chart does not navigate
    typed.createMachine({ entry: { type: 'sendToApp', params: away } });
    // @ts-expect-error - the parent is told a number
    typed.createMachine({ entry: { type: 'notifyParent', params: { type: 'child.ready', count: '1' } } });
    // @ts-expect-error - announced, not told
    typed.createMachine({ entry: { type: 'notifyParent', params: SAVED } });
    expect(APP_SERVICE_OF['toast.requested']).toBe('toasts');
  });
});
