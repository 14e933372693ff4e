import { describe, expect } from 'vitest';
import type { WebhookDelivery, WebhookDetails } from '#contract/webhooks.ts';
import { CallError } from '#machines/shared/failure.ts';
import { deliveryMachine } from '#machines/workspace/webhooks/delivery/machine.ts';
import { webhooksMachine } from '#machines/workspace/webhooks/machine.ts';
import { signingSecretMachine } from '#machines/workspace/webhooks/secret/machine.ts';
import { uuidOf } from '../test/machines/people.ts';
import { delivery } from '../test/machines/webhooks.ts';
import { describeWalks, FAILURE } from './walk.ts';

const details = (state: WebhookDelivery['state']): WebhookDetails => ({ delivery: delivery(1, state), tries: [] });
const refusal = (status: number) => new CallError({ kind: 'HTTP', status, message: 'No.' });

const place = { orgUuid: 'o1', projectUuid: 'p1' };
const at = (view: object) => ({ type: 'route.changed', route: { screen: 'webhooks', ...place, ...view } });

describe('WHK-08 WHK-10: webhooks', () => {
  describeWalks(
    webhooksMachine,
    {
      tags: { outdated: ['deliveries.listed.readFailed'], opened: ['opened.open'] },
      refused: [
        {
          states: [''],
          event: { type: 'state.chosen', state: null },
          when: ({ context }) => context.view.state !== 'failed',
          why: 'All show already',
        },
      ],
      ignored: {
        'Nothing is open': 'webhook.closed in opened.closed',
        'Nothing has failed here: the list retries by itself':
          'retry.requested in deliveries.listed.{current, reading, pausing}',
      },
      cases: {
        'done beginning': [{ items: [], nextCursor: null }],
        'done list': [],
        'delivery.changed': [{ delivery: delivery(1, 'waiting') }],
        'state.chosen': [{ state: 'failed' }, { state: null }],
        'route.changed': [
          at({}),
          at({ state: 'failed' }),
          at({ webhook: uuidOf(1) }),
          at({ webhook: 'that one' }),
          { route: { screen: 'home' } },
        ],
      },
      merge: true,
      distinguish: ({ context: { view, isStale } }) => [view.state, view.webhook, isStale],
      states: {
        '': ({ children }) => expect(Object.keys(children)).toEqual(expect.arrayContaining(['list', 'secret'])),
        'deliveries.listed.readFailed': ({ context }) => expect(context.failure).not.toBeNull(),
        'deliveries.listed.reading': ({ children }) => expect(Object.keys(children)).toContain('beginning'),
        'opened.open': ({ context, children }) => {
          expect(context.view.webhook).toBe(uuidOf(1));
          expect(Object.keys(children)).toContain('delivery');
        },
        'opened.closed': ({ children }) => expect(Object.keys(children)).not.toContain('delivery'),
      },
    },
    {
      'what the address asks for': {
        input: { ...place, role: 'owner', view: {} },
        without: ['screen.', 'retry.', 'delivery.'],
      },
      'one that is open, in an address that asks for a state there is not': {
        input: { ...place, role: 'member', view: { webhook: uuidOf(1), state: 'lost' } },
        without: ['state.', 'retry.'],
        cases: {
          'route.changed': [at({}), at({ webhook: uuidOf(1) })],
          'done beginning': [],
          'failed beginning': [],
        },
      },
      'what happens meanwhile': {
        input: { ...place, role: 'billing', view: {} },
        without: ['route.', 'state.', 'webhook.'],
      },
    },
  );
});

describe('WHK-08 WHK-09: a webhook, opened', () => {
  const input = { projectUuid: 'p1', id: uuidOf(1) };
  describeWalks(
    deliveryMachine,
    {
      tags: {
        loading: ['reading.loading'],
        failed: ['reading.failed'],
        missing: ['reading.missing'],
        outdated: ['reading.shown.outdated'],
        sending: ['sending.sending'],
      },
      ignored: {
        'Nothing has failed': 'retry.requested in reading.{loading, missing, shown.{current, rereading, pausing}}',
        'It is being sent again': 'send.requested in sending.sending',
        'It is on its way, or the person may not': 'send.requested at times in sending.idle',
      },
      cases: {
        'done loadDelivery': [details('failed')],
        'failed loadDelivery': [FAILURE, refusal(404)],
        'done rereadDelivery': [details('failed'), details('waiting')],
        'failed rereadDelivery': [FAILURE, refusal(404)],
        'done sendAgain': [delivery(1, 'waiting')],
        'failed sendAgain': [refusal(409)],
      },
      merge: true,
      distinguish: ({ context: { delivery: known, isStale, refusal: why } }) => [known?.state, isStale, why === null],
      states: {
        'sending.idle': (snapshot) => {
          const { mayManage, delivery: known } = snapshot.context;
          expect(snapshot.can({ type: 'send.requested' })).toBe(mayManage && known?.state === 'failed');
        },
        'sending.sending': ({ context }) => expect([context.mayManage, context.refusal]).toEqual([true, null]),
        'reading.shown': ({ context }) => expect([context.delivery !== null, context.tries]).toEqual([true, []]),
        'reading.failed': ({ context }) => expect(context.failure).not.toBeNull(),
      },
    },
    {
      'by who may send it again': { input: { ...input, mayManage: true } },
      'by who may not': { input: { ...input, mayManage: false } },
    },
  );
});

describe('WHK-09 WHK-11: a signing secret', () => {
  const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const known = (was_shown: boolean) => ({
    created_at: '2026-05-04T10:00:00Z',
    was_shown,
    old_until: null,
  });
  const tags = {
    loading: ['loading'],
    failed: ['failed'],
    confirming: ['confirming'],
    requesting: ['showing', 'rolling'],
  };

  describeWalks(
    signingSecretMachine,
    {
      tags,
      ignored: {
        'No dialog asks': 'roll.confirmed, roll.dismissed in loading, failed, known, showing, rolling, revealing',
        'Nothing has failed': 'retry.requested in known, loading, confirming, showing, rolling, revealing',
        'It is asked for, or was shown': [
          'secret.stale in loading, failed, confirming, showing, rolling, revealing',
          'secret.stale at times in known',
        ],
        'It is not known, or being asked for':
          'show.requested, roll.requested in loading, failed, confirming, showing, rolling, revealing',
        'It is shown once; what nobody has seen needs no other in its place; the person may not':
          'show.requested, roll.requested at times in known',
      },
      cases: {
        'done loadSecret': [known(false), known(true)],
        'done rereadSecret': [known(true)],
        'done requestSecret': [{ secret: SECRET, signing_secret: known(true) }],
        'failed requestSecret': [refusal(409)],
      },
      distinguish: ({ context: { known: told, refusal: why } }) => [told?.was_shown, why === null],
      states: {
        known: (snapshot) => {
          const { known: told, secret, mayManage } = snapshot.context;
          expect(secret).toBe('');
          expect(snapshot.can({ type: 'show.requested' })).toBe(mayManage && told?.was_shown === false);
          expect(snapshot.can({ type: 'roll.requested' })).toBe(mayManage && told?.was_shown === true);
        },
        revealing: ({ context, children }) => {
          expect([context.secret, context.known?.was_shown, context.refusal]).toEqual([SECRET, true, null]);
          expect(Object.keys(children)).toContain('secretReveal');
        },
        loading: ({ context }) => expect(context.secret).toBe(''),
        // Who leaves meanwhile is asked.
        showing: ({ children }) => expect(Object.keys(children)).toContain('unsavedWork'),
        rolling: ({ children }) => expect(Object.keys(children)).toContain('unsavedWork'),
        failed: ({ context }) => expect(context.failure).not.toBeNull(),
      },
    },
    {
      'for who may': { input: { projectUuid: 'p1', mayManage: true } },
      'for who may not': { input: { projectUuid: 'p1', mayManage: false } },
    },
  );
});
