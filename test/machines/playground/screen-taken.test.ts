// What takes the screen away from a live session: the microphone and the connection end with it, whatever it is.
import { describe, expect, it, vi } from 'vitest';
import { createActor, fromCallback, waitFor, type AnyActorRef, type AnyEventObject } from 'xstate';
import { liveMachine } from '#machines/playground/live/machine.ts';
import { playgroundMachine } from '#machines/playground/machine.ts';
import { streamMachine } from '#machines/playground/stream/machine.ts';
import { stopDevicesAndConnections } from '#machines/shared/holding.ts';
import { sessionOf, workspaceOf } from '#machines/root/select.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { pageWith, playgroundData, reading } from '../page.ts';
import { pair } from '../people.ts';
import { playgroundRoute } from '../playground-fixtures.ts';
import { silenced } from '../silenced.ts';

/** A page whose microphone is heard in the playground: `ended` are the effects of the session that are over, `told` what they were told. */
async function hearing() {
  const ended: string[] = [];
  const told: string[] = [];
  const answer: Record<string, (event: AnyEventObject) => void> = {};
  const played = (name: string) =>
    fromCallback(({ sendBack, receive }) => {
      answer[name] = sendBack;
      receive(({ type }) => void told.push(type));
      return () => void ended.push(name);
    });
  const root = pageWith(pair('a'), {
    workspace: silenced(workspaceMachine, {
      ...reading(),
      playground: silenced(playgroundMachine, {
        loadPlayground: playgroundData(),
        live: silenced(liveMachine, {
          stream: silenced(streamMachine, { capture: played('capture'), socket: played('socket') } as never),
          clock: fromCallback(({ receive }) =>
            receive(() => {
              throw new Error('A defect.');
            }),
          ),
        } as never),
      }),
    }),
  }).start();
  root.send({ type: 'route.changed', route: playgroundRoute({ mode: 'real-time' }) });
  const workspace = await vi.waitUntil(() => workspaceOf(root.getSnapshot()));
  const playground = await vi.waitUntil(() => workspace.getSnapshot().children.playground);
  const live = await vi.waitUntil(() => playground.getSnapshot().children.live);
  const [capture, socket] = ['capture', 'socket'].map((name) => (event: AnyEventObject) => answer[name]?.(event));
  if (!capture || !socket) throw new Error('Nothing is heard.');
  live.send({ type: 'run.requested' });
  capture({ type: 'media.granted', sampleRate: 44_100, channels: 1 });
  socket({ type: 'socket.opened' });
  expect(live.getSnapshot().hasTag('running')).toBe(true);
  expect(ended).toEqual([]);
  return { root, live, workspace, playground, ended, told, capture, socket };
}

/** Has a chart throw: an event that lacks what it is to bring. */
const trip = (actor: AnyActorRef | undefined, type: string) => actor?.send({ type });

describe('LIV-25: the microphone and the connection of a live session end', () => {
  type Heard = Awaited<ReturnType<typeof hearing>>;
  it.each<[string, (heard: Heard) => unknown]>([
    ['signing out', ({ root }) => sessionOf(root).send({ type: 'signOut.requested' })],
    [
      'a session that the server has ended',
      ({ root }) => sessionOf(root).send({ type: 'call.refused', access: 'access-a', from: '/' }),
    ],
    ['an account that is gone', ({ root }) => sessionOf(root).send({ type: 'account.deleted' })],
    ['loading the page anew', ({ root }) => root.send({ type: 'reload.confirmed' })],
    ['a page that cannot be drawn', ({ root }) => root.send({ type: 'view.failed' })],
    ['a defect of an effect', ({ live }) => trip(live?.getSnapshot().children.clock, 'tick')],
    [
      'a defect of a chart beside it',
      ({ playground }) => trip(playground.getSnapshot().children.async?.getSnapshot().children.upload, 'file.chosen'),
    ],
    ['a defect of its own chart', ({ socket }) => socket({ type: 'socket.received', result: { tokens: null } })],
    [
      'a defect of the side beside it',
      ({ playground }) => trip(playground.getSnapshot().children.async, 'sample.added'),
    ],
    ['a defect of the playground', ({ playground }) => trip(playground, 'push.received')],
    ['a defect of the workspace', ({ workspace }) => trip(workspace, 'push.received')],
  ])('with the screen that is taken away by %s', async (_name, take) => {
    const heard = await hearing();
    take(heard);
    expect(heard.ended.toSorted()).toEqual(['capture', 'socket']);
  });

  it('with the root, where that is what fails', async () => {
    const { root, ended } = await hearing();
    root.subscribe({ error: () => stopDevicesAndConnections(root) });
    trip(root, 'route.changed');
    expect(ended.toSorted()).toEqual(['capture', 'socket']);
  });

  it.each<[string, (heard: Heard) => unknown]>([
    ['a part of it cannot be drawn', ({ workspace }) => workspace.send({ type: 'part.failed' })],
    ['somebody else takes its controls out', ({ live }) => live.send({ type: 'controls.gone' })],
    [
      'the other tab is opened',
      ({ workspace }) => workspace.send({ type: 'route.changed', route: playgroundRoute({ mode: 'async' }) }),
    ],
  ])('in order where the screen stays: %s', async (_name, take) => {
    const heard = await hearing();
    take(heard);
    expect(heard.told).toContain('capture.stop');
    heard.capture({ type: 'capture.stopped' });
    heard.socket({ type: 'socket.closed', code: 1000, reason: '' });
    expect(heard.live?.getSnapshot().hasTag('stopped')).toBe(true);
    expect(heard.ended.toSorted()).toEqual(['capture', 'socket']);
    expect(heard.root.getSnapshot().matches('running')).toBe(true);
  });

  it.each<[string, (heard: Heard) => unknown, (heard: Heard) => unknown]>([
    [
      'until the failed parts are opened again',
      ({ workspace }) => workspace.send({ type: 'part.failed' }),
      ({ playground }) => playground.send({ type: 'view.open.requested' }),
    ],
    [
      'until another address draws the failed parts anew',
      ({ workspace }) => workspace.send({ type: 'part.failed' }),
      ({ workspace }) =>
        workspace.send({ type: 'route.changed', route: playgroundRoute({ mode: 'real-time', show: 'original' }) }),
    ],
    [
      'until its controls are back, whatever else was opened again',
      ({ live, playground }) => {
        live.send({ type: 'controls.gone' });
        playground.send({ type: 'part.failed' });
        playground.send({ type: 'view.open.requested' });
      },
      ({ live }) => live.send({ type: 'controls.restored' }),
    ],
    [
      'until failed parts are opened again, though its controls are back',
      ({ live, playground }) => {
        playground.send({ type: 'part.failed' });
        live.send({ type: 'controls.gone' });
        live.send({ type: 'controls.restored' });
      },
      ({ playground }) => playground.send({ type: 'view.open.requested' }),
    ],
    [
      'until its tab is opened, with all of its parts',
      ({ workspace, playground }) => {
        workspace.send({ type: 'route.changed', route: playgroundRoute({ mode: 'async' }) });
        playground.send({ type: 'part.failed' });
        playground.send({ type: 'view.open.requested' });
      },
      ({ workspace }) => workspace.send({ type: 'route.changed', route: playgroundRoute({ mode: 'real-time' }) }),
    ],
  ])('and none begins %s', async (_name, take, giveBack) => {
    const heard = await hearing();
    const { live, capture, socket } = heard;
    take(heard);
    capture({ type: 'capture.stopped' });
    socket({ type: 'socket.closed', code: 1000, reason: '' });
    const beginnings = () => [
      live.getSnapshot().can({ type: 'run.requested' }),
      live.getSnapshot().can({ type: 'sample.requested' }),
    ];
    expect(beginnings()).toEqual([false, false]);
    giveBack(heard);
    expect(beginnings()).toEqual([true, true]);
  });

  it('and none begins behind a screen that failed while it was still loading, until it is opened again', async () => {
    const input = { orgUuid: 'o1', projectUuid: 'p1', featureFlags: [], browserLanguages: [] };
    const playground = createActor(silenced(playgroundMachine, { loadPlayground: playgroundData() }), {
      input: { ...input, route: playgroundRoute({ mode: 'real-time' }) },
    }).start();
    playground.send({ type: 'part.failed' });
    const { live } = (await waitFor(playground, (snapshot) => snapshot.matches('ready'))).children;
    expect(live?.getSnapshot().can({ type: 'run.requested' })).toBe(false);
    playground.send({ type: 'view.open.requested' });
    expect(live?.getSnapshot().can({ type: 'run.requested' })).toBe(true);
  });

  it.each<[string, (heard: Heard) => unknown]>([
    [
      'with its tab',
      ({ workspace }) => workspace.send({ type: 'route.changed', route: playgroundRoute({ mode: 'async' }) }),
    ],
    ['where another part fails', ({ playground }) => playground.send({ type: 'part.failed' })],
    ['where somebody else takes the controls out', ({ live }) => live.send({ type: 'controls.gone' })],
  ])('and so does the trial of a microphone %s', async (_name, take) => {
    const heard = await hearing();
    const { live, workspace, capture, socket } = heard;
    workspace.send({ type: 'part.failed' });
    capture({ type: 'capture.stopped' });
    socket({ type: 'socket.closed', code: 1000, reason: '' });
    const microphone = live.getSnapshot().children.microphone;
    microphone?.send({ type: 'trial.requested' });
    expect(microphone?.getSnapshot().hasTag('trying')).toBe(true);
    take(heard);
    expect(microphone?.getSnapshot().hasTag('trying')).toBe(false);
  });
});
