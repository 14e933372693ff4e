import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import type { DeliveryState, SigningSecret, WebhookDetails } from '#contract/webhooks.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { ListPage, PageRequest } from '#machines/shared/pagedList/actors.ts';
import type { WebhooksView } from '#machines/shared/route.ts';
import type { BeginningRequest, WebhookItem } from '#machines/workspace/webhooks/actors.ts';
import type { DeliveryOf } from '#machines/workspace/webhooks/delivery/actors.ts';
import { deliveryMachine } from '#machines/workspace/webhooks/delivery/machine.ts';
import { deliveriesMachine } from '#machines/workspace/webhooks/list.ts';
import { webhooksMachine } from '#machines/workspace/webhooks/machine.ts';
import type { OfProject, SecretAction } from '#machines/workspace/webhooks/secret/actors.ts';
import { signingSecretMachine } from '#machines/workspace/webhooks/secret/machine.ts';
import { uuidOf } from '../people.ts';
import { delivery } from '../webhooks.ts';

const item = (n: number, state?: DeliveryState): WebhookItem => ({ ...delivery(n, state), id: uuidOf(n) });
const from = (first: number, last: number) =>
  Array.from({ length: first - last + 1 }, (_, index) => item(first - index));

/** The screen of somebody with 60 webhooks, and what it asked for. */
async function open({ view = {} }: { view?: WebhooksView } = {}) {
  const asked: (PageRequest | BeginningRequest)[] = [];
  let beginning: ListPage<WebhookItem> = { items: from(60, 1), nextCursor: null };
  const place = { orgUuid: 'o', projectUuid: 'p' };
  const actor = createActor(
    webhooksMachine.provide({
      actors: {
        list: deliveriesMachine.provide({
          actors: {
            fetchPage: fromPromise(async ({ input }) => {
              asked.push(input);
              if (input.cursor === null) return { items: from(60, 11), nextCursor: 'c' };
              return { items: from(10, 1), nextCursor: null };
            }),
          },
        }),
        loadBeginning: fromPromise(async ({ input }) => {
          asked.push(input);
          return beginning;
        }),
        delivery: deliveryMachine.provide({
          actors: {
            loadDelivery: fromPromise<WebhookDetails, DeliveryOf>(async () => ({ delivery: delivery(3), tries: [] })),
            sendAgain: fromPromise(async () => delivery(3, 'waiting')),
          },
        }),
        secret: signingSecretMachine.provide({
          actors: {
            loadSecret: fromPromise<SigningSecret, OfProject>(async () => ({
              created_at: null,
              was_shown: false,
              old_until: null,
            })),
          },
        }),
      },
      delays: { pause: 0 },
    }),
    { input: { ...place, role: 'owner', view } },
  ).start();
  const list = () => actor.getSnapshot().children.list!;
  const rows = () => list().getSnapshot().context.items;
  await waitFor(list(), (snapshot) => snapshot.context.items.length > 0);
  return {
    actor,
    asked,
    list,
    rows,
    answerWith: (items: WebhookItem[]) => (beginning = { items, nextCursor: null }),
    goTo: (to: WebhooksView) => actor.send({ type: 'route.changed', route: { screen: 'webhooks', ...place, ...to } }),
  };
}

describe('WHK-10: the list of webhooks follows what is sent', () => {
  it('reads as many rows again as were read, so that one far down shows what became of it', async () => {
    const { actor, asked, list, rows, answerWith } = await open();
    list().send({ type: 'more.requested' });
    await waitFor(list(), ({ context }) => context.items.length === 60);
    answerWith([item(61, 'waiting'), ...from(60, 3), item(2, 'delivered'), item(1)]);
    actor.send({ type: 'screen.stale' });
    await waitFor(list(), ({ context }) => context.items.length === 61);
    expect(asked.at(-1)).toEqual({ projectUuid: 'p', state: undefined, limit: 60 });
    expect([rows()[0]?.id, rows()[59]?.state]).toEqual([uuidOf(61), 'delivered']);
  });

  it('what happens while it is being read is read afterwards', async () => {
    const { actor, asked } = await open();
    for (let n = 0; n < 5; n += 1) actor.send({ type: 'screen.stale' });
    await expect.poll(() => asked.length).toBe(3);
    await waitFor(actor, (snapshot) => snapshot.matches({ deliveries: { listed: 'current' } }));
    expect(asked.length).toBe(3);
  });

  it('another state is another list; what was asked for the one before is not put into it', async () => {
    const { actor, asked, list, rows, answerWith } = await open();
    const before = list();
    answerWith([item(99)]);
    actor.send({ type: 'screen.stale' });
    actor.send({ type: 'state.chosen', state: 'waiting' });
    expect(list()).not.toBe(before);
    await waitFor(list(), ({ context }) => context.items.length > 0);
    expect(asked.at(-1)).toEqual({ of: 'p', only: 'waiting', cursor: null });
    expect(rows().map(({ id }) => id)).not.toContain(uuidOf(99));
  });

  it('opening and closing one leaves the list as it is', async () => {
    const { actor, asked, list, goTo } = await open({ view: { webhook: uuidOf(3) } });
    const before = list();
    expect(actor.getSnapshot().hasTag('opened')).toBe(true);
    goTo({});
    expect([actor.getSnapshot().hasTag('opened'), list() === before, asked.length]).toEqual([false, true, 1]);
  });
});

describe('WHK-09: who may manage webhooks', () => {
  it('sends one again: its row and itself show that it waits', async () => {
    const { actor, rows, list } = await open({ view: { webhook: uuidOf(3) } });
    const opened = actor.getSnapshot().children.delivery!;
    list().send({ type: 'more.requested' });
    await waitFor(list(), ({ context }) => context.items.length === 60);
    await waitFor(opened, (snapshot) => snapshot.can({ type: 'send.requested' }));
    opened.send({ type: 'send.requested' });
    await waitFor(opened, ({ context }) => context.delivery?.state === 'waiting');
    expect(rows().find(({ id }) => id === uuidOf(3))?.state).toBe('waiting');
  });

  it.each([
    ['owner', true],
    ['admin', true],
    ['member', false],
    ['billing', false],
  ] as const)('%s: %s', (role, mayManage) => {
    const actor = createActor(webhooksMachine, {
      input: { orgUuid: 'o', projectUuid: 'p', role, view: { webhook: uuidOf(3) } },
    }).start();
    const { delivery: opened, secret } = actor.getSnapshot().children;
    expect([opened, secret].map((child) => child?.getSnapshot().context.mayManage)).toEqual([mayManage, mayManage]);
  });
});

describe('WHK-11: a secret that somebody else was shown meanwhile', () => {
  it('is told of, and can be rolled', async () => {
    const asked: SecretAction[] = [];
    let wasShown = false;
    const actor = createActor(
      signingSecretMachine.provide({
        actors: {
          loadSecret: fromPromise<SigningSecret, OfProject>(() =>
            Promise.resolve({ created_at: '2026-05-04T10:00:00Z', was_shown: wasShown, old_until: null }),
          ),
          requestSecret: fromPromise(({ input: { wanted } }) => {
            asked.push(wanted);
            wasShown = true;
            return Promise.reject(new CallError({ kind: 'HTTP', status: 409, message: 'It was shown before.' }));
          }),
        },
      }),
      { input: { projectUuid: 'p', mayManage: true } },
    ).start();
    await waitFor(actor, (snapshot) => snapshot.can({ type: 'show.requested' }));
    actor.send({ type: 'show.requested' });
    const { context } = await waitFor(actor, (snapshot) => snapshot.can({ type: 'roll.requested' }));
    expect([context.refusal?.message, context.secret]).toEqual(['It was shown before.', '']);
    actor.send({ type: 'roll.requested' });
    expect(asked).toEqual(['show']);
    actor.send({ type: 'roll.confirmed' });
    await waitFor(actor, (snapshot) => snapshot.matches('known'));
    expect(asked).toEqual(['show', 'roll']);
  });

  it('is offered no longer, once that was heard; what was shown is not read again', async () => {
    const answers = [false, false, true];
    let asked = 0;
    const actor = createActor(
      signingSecretMachine.provide({
        actors: {
          loadSecret: fromPromise<SigningSecret, OfProject>(async () => ({
            ...{ created_at: '2026-05-04T10:00:00Z', old_until: null },
            was_shown: answers[asked++] ?? true,
          })),
        },
      }),
      { input: { projectUuid: 'p', mayManage: true } },
    ).start();
    await waitFor(actor, (snapshot) => snapshot.can({ type: 'show.requested' }));
    // Something else has happened: it is offered all the while.
    actor.send({ type: 'secret.stale' });
    expect(actor.getSnapshot().can({ type: 'show.requested' })).toBe(true);
    await waitFor(actor, (snapshot) => snapshot.matches({ known: 'current' }));
    actor.send({ type: 'secret.stale' });
    await waitFor(actor, (snapshot) => snapshot.can({ type: 'roll.requested' }));
    actor.send({ type: 'secret.stale' });
    expect([asked, actor.getSnapshot().value]).toEqual([3, { known: 'current' }]);
  });
});
