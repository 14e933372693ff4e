/**
 * As much of Stripe's API as the server calls, on this machine: keys are remembered, and a call can be made to go wrong
 * before or after it has had its effect.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';

/** A call that goes wrong: with which status, or with no answer at all. */
export interface Mishap {
  /** Method and path begin with it, as `POST /v1/payment_intents`. */
  call: string;
  goes: 'silent' | 'reset' | 401 | 403 | 409 | 429 | 500;
  /** Whether it is done all the same. */
  isDone: boolean;
  times: number;
}

export interface Hit {
  call: string;
  params: URLSearchParams;
  key: string | undefined;
  version: string | undefined;
}

type Intent = Pick<
  Stripe.PaymentIntent,
  'id' | 'object' | 'amount' | 'amount_received' | 'currency' | 'status' | 'created' | 'metadata' | 'customer'
> & {
  last_payment_error: Pick<Stripe.PaymentIntent.LastPaymentError, 'type' | 'code' | 'param' | 'message'> | null;
  latest_charge?: string;
};
type Session = Pick<Stripe.Checkout.Session, 'id' | 'object' | 'mode' | 'status' | 'payment_status' | 'metadata'> & {
  amount_total: number | null;
  currency: string | null;
  url: string;
  setup_intent: string | null;
  payment_intent: Intent | null;
};
/** Money that went back. */
type Back = { id: string; created: number; payment_intent: string; [more: string]: unknown };
type Answer = { status: number; body: unknown };

const ok = (body: object): Answer => ({ status: 200, body });
const list = (url: string, data: readonly object[], has_more = false): Answer =>
  ok({ object: 'list', url: `/v1/${url}`, has_more, data });

const FORBIDDEN: Answer = {
  status: 403,
  body: { error: { type: 'invalid_request_error', message: 'The key may not read this.' } },
};

const notFound = (what: string): Answer => ({
  status: 404,
  body: {
    error: { type: 'invalid_request_error', code: 'resource_missing', param: what, message: `No such ${what}` },
  },
});

/** What a call puts on what it makes, or on what is `within` that. */
function metadataOf(params: URLSearchParams, within?: string): Record<string, string> {
  const begin = within === undefined ? 'metadata[' : `${within}[metadata][`;
  const own = [...params].filter(([name]) => name.startsWith(begin));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(begin.length, -1), value]));
}

/** What a charge is like that a card did not pay. */
export const declined = (message: string, code = 'card_declined') => ({
  status: 'requires_payment_method' as const,
  amount_received: 0,
  last_payment_error: { type: 'card_error' as const, code, message },
});
/** What becomes of charges, by payment method. */
const REFUSALS: Readonly<Record<string, ReturnType<typeof declined>>> = {
  pm_declined: declined('Your card was declined.'),
  pm_confirm: declined('authentication_required', 'authentication_required'),
};
/** A charge that waits for its owner, who may still pay it. */
const WAITS = { status: 'requires_action', amount_received: 0 } as const;

export class StripeServer {
  readonly hits: Hit[] = [];
  readonly mishaps: Mishap[] = [];
  readonly intents: Intent[] = [];
  readonly sessions: Session[] = [];
  /** What pages put on what is paid on them, by payment. */
  readonly #pageMetadata = new Map<string, Record<string, string>>();
  /** What charges were paid with, by their ids. */
  charges: Record<string, object> = {};
  readonly refunds: Back[] = [];
  readonly disputes: Back[] = [];
  /** What it tells to whom; undefined where the key may not ask. */
  endpoints:
    | { id: string; status: string; url: string; enabled_events: string[]; api_version: string | null }[]
    | undefined;
  /** What the key may not read. */
  readonly forbidden = new Set<string>();
  readonly customers = new Map<string, Record<string, string>>();
  /** Of customers that somebody has deleted in Stripe's dashboard. */
  readonly deleted = new Set<string>();
  /** Whether it says of a customer that was deleted that there are no charges, instead of that there is no such customer. */
  listsDeleted = false;
  /** Of whoever has visited the page of a setup; the method that it stores. */
  stores = 'pm_ok';
  /** What happens to a charge just before it is canceled. */
  onCancel: ((intent: Intent) => void) | undefined;
  /** Why it takes no charge at all, though cards are good. */
  refuses: { code?: string; message: string; status?: 401 | 403 } | undefined;
  readonly #answers = new Map<string, { asked: string; answer: Answer }>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  /** For signatures only. */
  readonly #library = new Stripe('sk_test_none');

  async listen(): Promise<{ host: string; port: number; protocol: 'http' }> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port, protocol: 'http' };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  reset(): void {
    this.hits.length = 0;
    this.mishaps.length = 0;
    this.charges = {};
    this.stores = 'pm_ok';
    this.refuses = undefined;
    this.endpoints = undefined;
    this.forbidden.clear();
    this.onCancel = undefined;
    this.listsDeleted = false;
    this.refunds.length = 0;
    this.disputes.length = 0;
  }

  /** An event, as bytes, and its signature. @param at when it is signed, seconds since the epoch */
  event(
    type: Stripe.Event.Type,
    object: object,
    {
      secret,
      at = Math.floor(Date.now() / 1000),
      id = `evt_${randomUUID()}`,
      livemode = false,
    }: { secret: string; at?: number; id?: string; livemode?: boolean },
  ): { body: string; signature: string } {
    const body = JSON.stringify({ id, object: 'event', type, created: at, livemode, data: { object } });
    return {
      body,
      signature: this.#library.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: at }),
    };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stripe');
    const call = `${request.method} ${url.pathname}`;
    const body = await text(request);
    const params = new URLSearchParams(body === '' ? url.search : body);
    const header = (name: string): string | undefined => request.headers[name]?.toString();
    const key = request.method === 'POST' ? header('idempotency-key') : undefined;
    this.hits.push({ call, params, key, version: header('stripe-version') });
    const mishap = this.mishaps.find((one) => call.startsWith(one.call) && one.times > 0);
    if (mishap !== undefined) mishap.times -= 1;
    const answer = mishap?.isDone === false ? undefined : this.#once(call, params, key);
    if (mishap?.goes === 'silent') return;
    if (mishap?.goes === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    const { status, body: told } =
      mishap === undefined && answer !== undefined
        ? answer
        : { status: mishap?.goes ?? 500, body: { error: { type: 'api_error', message: 'Something went wrong.' } } };
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': `req_${this.hits.length}` });
    response.end(JSON.stringify(told));
  }

  /** The same key is the same call; with other parameters it is refused. */
  #once(call: string, params: URLSearchParams, key: string | undefined): Answer {
    if (key === undefined) return this.#do(call, params);
    const asked = `${call}?${params.toString()}`;
    const known = this.#answers.get(key);
    if (known !== undefined)
      return known.asked === asked
        ? known.answer
        : { status: 400, body: { error: { type: 'idempotency_error', message: 'Keys are for one call.' } } };
    const answer = this.#do(call, params);
    this.#answers.set(key, { asked, answer });
    return answer;
  }

  #do(call: string, params: URLSearchParams): Answer {
    const [method, , ...path] = call.replace(' ', '').replace('/checkout/sessions', '/sessions').split('/');
    const [resource = '', id = '', action = ''] = path;
    const name = [method, resource, id === '' ? '' : ':id', action].filter(Boolean).join(' ');
    switch (name) {
      case 'POST customers': {
        const customer = `cus_${randomUUID()}`;
        this.customers.set(customer, Object.fromEntries(params));
        return ok({ id: customer, object: 'customer' });
      }
      case 'POST customers :id':
        Object.assign(this.customers.get(id) ?? {}, Object.fromEntries(params));
        return ok({ id, object: 'customer' });
      case 'GET customers :id':
        if (this.deleted.has(id)) return ok({ id, object: 'customer', deleted: true });
        return this.#has(id) ? ok({ id, object: 'customer' }) : notFound('id');
      case 'DELETE customers :id':
        if (!this.#has(id)) return notFound('customer');
        this.deleted.add(id);
        return ok({ id, object: 'customer', deleted: true });
      case 'GET webhook_endpoints':
        return this.endpoints === undefined ? FORBIDDEN : list('webhook_endpoints', this.endpoints);
      case 'GET refunds':
      case 'GET disputes':
        return this.forbidden.has(resource) ? FORBIDDEN : this.#listBack(resource, params);
      case 'GET disputes :id': {
        const dispute = this.disputes.find((one) => one.id === id);
        if (this.forbidden.has(resource)) return FORBIDDEN;
        return dispute ? ok(dispute) : notFound('dispute');
      }
      case 'POST sessions': {
        if (!this.#has(params.get('customer'))) return notFound('customer');
        const session = `cs_${randomUUID()}`;
        const body: Session = {
          id: session,
          object: 'checkout.session',
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion
          mode: params.get('mode') as Session['mode'],
          status: 'open',
          payment_status: 'unpaid',
          amount_total: Number(params.get('line_items[0][price_data][unit_amount]')),
          currency: 'usd',
          url: `https://checkout.stripe.com/${session}`,
          setup_intent: null,
          payment_intent: null,
          metadata: { payment_id: params.get('metadata[payment_id]') ?? '' },
        };
        this.sessions.push(body);
        this.#pageMetadata.set(params.get('metadata[payment_id]') ?? '', metadataOf(params, 'payment_intent_data'));
        return ok(structuredClone(body));
      }
      case 'POST sessions :id expire': {
        const session = this.sessions.find((one) => one.id === id);
        if (session?.status !== 'open') return notFound('session');
        return ok(Object.assign(session, { status: 'expired' }));
      }
      case 'GET sessions :id': {
        const session = this.sessions.find((one) => one.id === id);
        if (session === undefined) return notFound('session');
        const { payment_intent: intent } = session;
        const isExpanded = params.get('expand[0]') === 'payment_intent';
        return ok({ ...session, payment_intent: isExpanded ? intent : (intent?.id ?? null) });
      }
      case 'GET setup_intents :id':
        return ok({ id, object: 'setup_intent', payment_method: this.stores });
      case 'GET charges :id':
        return this.charges[id]
          ? ok({ id, object: 'charge', payment_method_details: this.charges[id] })
          : notFound('charge');
      case 'GET payment_methods :id': {
        const card = { brand: 'visa', last4: '4242', exp_month: 11, exp_year: 2031 };
        return ok({
          id,
          object: 'payment_method',
          ...(id === 'pm_bank'
            ? { type: 'us_bank_account', us_bank_account: { last4: '6789' } }
            : { type: 'card', card }),
          customer: id === 'pm_detached' ? null : 'cus_1',
        });
      }
      case 'POST payment_methods :id detach':
        return ok({ id, object: 'payment_method' });
      case 'POST payment_intents':
        return this.#charge(params);
      case 'POST payment_intents :id cancel': {
        const intent = this.intents.find((one) => one.id === id);
        if (intent) this.onCancel?.(intent);
        if (intent?.status === 'requires_action') return ok(Object.assign(intent, { status: 'canceled' }));
        const error = {
          type: 'invalid_request_error',
          code: 'payment_intent_unexpected_state',
          message: 'It has ended.',
        };
        return { status: 400, body: { error } };
      }
      case 'GET payment_intents': {
        const since = Number(params.get('created[gte]') ?? Infinity);
        if (!params.has('customer'))
          return list(
            'payment_intents',
            this.intents.filter(({ created }) => created >= since),
          );
        const isThere = this.#has(params.get('customer'));
        if (!isThere && !this.listsDeleted) return notFound('customer');
        const data = this.intents.filter(
          ({ customer, created }) => isThere && customer === params.get('customer') && created >= since,
        );
        return list('payment_intents', data);
      }
      case 'GET payment_intents :id': {
        if (id === 'search') return this.#search(params.get('query') ?? '');
        const intent = this.intents.find((one) => one.id === id);
        return intent ? ok(intent) : notFound('intent');
      }
      default:
        return { status: 404, body: { error: { type: 'invalid_request_error', message: `Not here: ${name}` } } };
    }
  }

  /** Newest first, two on a page. */
  #listBack(resource: string, params: URLSearchParams): Answer {
    const all = (resource === 'refunds' ? this.refunds : this.disputes).filter(
      ({ created, charge }) =>
        created >= Number(params.get('created[gte]')) && (!params.has('charge') || charge === params.get('charge')),
    );
    const from = all.findIndex(({ id }) => id === params.get('starting_after')) + 1;
    const data = all.slice(from, from + 2).map((one) => ({
      ...one,
      payment_intent: this.intents.find(({ id }) => id === one.payment_intent) ?? one.payment_intent,
    }));
    return list(resource, data, from + 2 < all.length);
  }

  #has(customer: string | null): boolean {
    return customer !== null && this.customers.has(customer) && !this.deleted.has(customer);
  }

  #search(query: string): Answer {
    const data = this.intents.filter(({ metadata }) => query === `metadata['payment_id']:'${metadata['payment_id']}'`);
    return ok({ object: 'search_result', url: '/v1/payment_intents/search', has_more: false, data });
  }

  /** Somebody is done with the page of a payment, or it has expired. @returns what an event tells of it */
  endPage(paymentId: string, end: Partial<Session>): Session {
    const session = this.sessions.find(({ metadata }) => metadata?.['payment_id'] === paymentId);
    if (session === undefined) throw new Error('There is no such page.');
    return Object.assign(session, { status: 'complete', ...end });
  }

  #charge(params: URLSearchParams): Answer {
    const method = params.get('payment_method') ?? '';
    if (!this.#has(params.get('customer'))) return notFound('customer');
    if (method === 'pm_gone') return notFound('payment_method');
    if (method === 'pm_detached')
      return { status: 400, body: { error: { type: 'invalid_request_error', message: 'It may not be used again.' } } };
    if (this.refuses !== undefined) {
      const { status: refusal = 400, ...error } = this.refuses;
      return { status: refusal, body: { error: { type: 'invalid_request_error', ...error } } };
    }
    const refusal = REFUSALS[method];
    const waits = method.startsWith('pm_action') ? WAITS : undefined;
    const intent = this.addIntent(params.get('metadata[payment_id]') ?? '', Number(params.get('amount')), {
      customer: params.get('customer'),
      metadata: metadataOf(params),
      ...refusal,
      ...waits,
    });
    if (refusal === undefined) return ok(intent);
    return { status: 402, body: { error: { ...refusal.last_payment_error, payment_intent: intent } } };
  }

  /** A charge that has succeeded, unless it is said otherwise, with what its page has put on it; cents. */
  addIntent(paymentId: string, cents: number, other: Partial<Intent> = {}): Intent {
    const intent: Intent = {
      id: `pi_${randomUUID()}`,
      object: 'payment_intent',
      amount: cents,
      amount_received: cents,
      currency: 'usd',
      status: 'succeeded',
      created: Math.floor(Date.now() / 1000),
      metadata: this.#pageMetadata.get(paymentId) ?? { payment_id: paymentId },
      customer: null,
      last_payment_error: null,
      ...other,
    };
    this.intents.push(intent);
    return intent;
  }
}
