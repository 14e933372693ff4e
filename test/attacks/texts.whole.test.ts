/** Texts that are made to break something: in every call that takes one, at every place where one can stand. */
import { connect } from 'node:net';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiRoute } from '#contract/api/route.ts';
import { ApiError } from '#contract/errors.ts';
import { hashPassword } from '#server/identity/accounts/passwords.ts';
import { colleague, outcomeOf } from '../server/people.ts';
import { publicCall } from '../server/browser.ts';
import { bearer, connectLive, liveKey, startSpeechServer, type SpeechServer } from '../server/speech-api/harness.ts';
import { START } from '../server/speech-api/live/live-harness.ts';
import { bodyOf, createWorld, linkTokens, pathOf, ROUTES, send, type World } from './calls.ts';

let server: SpeechServer;
let world: World;
let links: Record<string, string>;
beforeAll(async () => {
  // The provider is never asked: what is wrong with a text is told before.
  server = await startSpeechServer({
    engine: { auto: true },
    server: { env: { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: 'secret' } },
  });
  world = await createWorld(server);
  await server.services.db
    .updateTable('users')
    .set({ password_hash: await hashPassword('quartz lantern orbit 71') })
    .where('id', '=', world.owner.userId)
    .execute();
  links = await linkTokens(server, world.owner);
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.services.db.deleteFrom('rate_limits').execute();
});

/** Nothing of what it brings is read before its signature is right. */
const SIGNED = 'receivePaymentEvent';
const JSON_ROUTES = ROUTES.filter(({ id, body }) => body !== undefined && 'json' in body && id !== SIGNED).map(
  (route) => [route.id, route] as const,
);
const addressOf = (route: ApiRoute): string =>
  pathOf(route, { ...world.ids, ...(links[route.id] !== undefined && { token: links[route.id] ?? '' }) });
const attempt = (route: ApiRoute, body: unknown): Promise<Response> =>
  send(server, route, world.ids, world.owner.access, {
    path: addressOf(route),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const refusalOf = async (answer: Response): Promise<[number, string, unknown]> => {
  const { error_type, validation_errors } = v.parse(ApiError, await answer.json());
  return [answer.status, error_type, validation_errors];
};

/** The body with another text at each place where it has one, in turn; and with fields that nobody asked for. */
function* poisoned(body: Record<string, unknown>, poison: (text: string) => string): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(body))
    if (typeof value === 'string') yield [name, { ...body, [name]: poison(value) }];
  yield ['unknown', { ...body, unknown: poison('x') }];
  yield ['unknown.0.deep', { ...body, unknown: [{ deep: poison('x') }] }];
}

describe.each(JSON_ROUTES)('%s', (_id, route) => {
  it('SEC-10: U+0000 in any text, however deep, and in any name of a field, is a 400 that says where', async () => {
    const body = bodyOf(route, world.ids) ?? {};
    for (const [place, wrong] of poisoned(body, (text) => `${text}\0`)) {
      expect([place, await refusalOf(await attempt(route, wrong))]).toEqual([
        place,
        [
          400,
          'invalid_request',
          [
            {
              error_type: 'invalid_text',
              location: expect.stringMatching(/^body(\.payload)?\./),
              message: 'Must not contain the character U+0000.',
            },
          ],
        ],
      ]);
    }
    expect((await refusalOf(await attempt(route, { ...body, 'un\0known': 1 }))).slice(0, 2)).toEqual([
      400,
      'invalid_request',
    ]);
    // As bytes, it is no JSON at all.
    expect((await refusalOf(await attempt(route, JSON.stringify(body).replace('"', '"\0')))).slice(0, 2)).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('SEC-10: half a character is a 400, too', async () => {
    for (const [place, wrong] of poisoned(bodyOf(route, world.ids) ?? {}, (text) => `${text}\ud800`))
      expect([place, (await refusalOf(await attempt(route, wrong))).slice(0, 2)]).toEqual([
        place,
        [400, 'invalid_request'],
      ]);
  });

  it('SEC-10: what is huge, deep, or of another kind is refused or ignored, and breaks nothing', async () => {
    const body = bodyOf(route, world.ids) ?? {};
    const texts = Object.keys(body).filter((name) => typeof body[name] === 'string');
    const hostile: unknown[] = [
      ...texts.map((name) => ({ ...body, [name]: 'x'.repeat(200_000) })),
      ...texts.flatMap((name) => [null, 7, [], { x: 'x' }].map((other) => ({ ...body, [name]: other }))),
      'null',
      '7',
      '[]',
      '""',
      '{',
      '',
      '['.repeat(100_000),
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
      '{"__proto__":{"isAdmin":true}}',
      '{"constructor":{"prototype":{}}}',
    ];
    for (const wrong of hostile) {
      const answer = await attempt(route, wrong);
      expect([JSON.stringify(wrong).slice(0, 60), answer.status !== 500]).toEqual([
        JSON.stringify(wrong).slice(0, 60),
        true,
      ]);
      await answer.body?.cancel();
    }
    expect(Object(Object.prototype)).not.toHaveProperty('isAdmin');
  });
});

describe.each(ROUTES.map((route) => [route.id, route] as const))('%s', (_id, route) => {
  it('SEC-10: U+0000 in its path or query is a 400', async () => {
    const path = addressOf(route);
    const wrong = [
      `${path}${path.includes('?') ? '&' : '?'}x=%00`,
      `${path}${path.includes('?') ? '&' : '?'}%00=x`,
      ...(route.path.includes('{') ? [route.path.replaceAll(/\{\w+\}/g, 'a%00b')] : []),
    ];
    for (const address of wrong)
      expect([
        address,
        await outcomeOf(await send(server, route, world.ids, world.owner.access, { path: address })),
      ]).toEqual([address, '400 invalid_request']);
  });
});

describe('a form', () => {
  const post = (parts: string[]): Promise<Response> =>
    fetch(`${server.url}/v1/files`, {
      method: 'POST',
      headers: { ...bearer(world.owner), 'content-type': 'multipart/form-data; boundary=x' },
      body: `${parts.map((part) => `--x\r\n${part}\r\n`).join('')}--x--\r\n`,
    });
  const file = (disposition: string): string =>
    `Content-Disposition: form-data; ${disposition}\r\nContent-Type: audio/wav\r\n\r\nRIFF`;
  const field = (name: string, value: string): string =>
    `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;

  it.each([
    ['the name of the file', [file('name="file"; filename="a\0.wav"')]],
    ['the name of the file, encoded', [file('name="file"; filename*=UTF-8\'\'a%00.wav')]],
    ['the name of another file', [file('name="file"; filename="a.wav"'), file('name="other"; filename="b\0.wav"')]],
    ['the reference', [field('client_reference_id', 'a\0b'), file('name="file"; filename="a.wav"')]],
    ['another field', [field('other', '\0'), file('name="file"; filename="a.wav"')]],
    ['the name of a field', [field('o\0ther', 'x'), file('name="file"; filename="a.wav"')]],
    ['the reference, after the file', [file('name="file"; filename="a.wav"'), field('client_reference_id', '\0')]],
  ])('SEC-10: U+0000 in %s is a 400, and nothing is kept', async (_place, parts) => {
    const before = await (await fetch(`${server.url}/v1/files/count`, { headers: bearer(world.owner) })).json();
    expect(await outcomeOf(await post(parts))).toBe('400 invalid_request');
    expect(await (await fetch(`${server.url}/v1/files/count`, { headers: bearer(world.owner) })).json()).toEqual(
      before,
    );
  });
});

describe('the start request of the live socket', () => {
  const begin = async (frame: object): Promise<unknown> => {
    const client = connectLive(server);
    await client.opened;
    client.socket.send(JSON.stringify(frame));
    await client.closed;
    return client.frames;
  };

  it.each([
    ['key', { api_key: 'prl_\0' }],
    ['model', { model: 'parlance\0' }],
    ['format', { audio_format: 'wav\0' }],
    ['reference', { client_reference_id: 'a\0' }],
    ['context', { context: 'a\0' }],
    ['terms of the context', { context: { terms: ['a\0'] } }],
    ['language hints', { language_hints: ['en\0'] }],
    ['unknown field', { unknown: [{ deep: '\0' }] }],
    ['name of a field', { 'a\0': 1 }],
    ['half a character', { client_reference_id: '\ud800' }],
  ])('SEC-10: U+0000 in the %s is told as 400', async (_place, extra) => {
    expect(await begin({ ...START, api_key: await liveKey(server, world.owner), ...extra })).toEqual([
      expect.objectContaining({
        error_code: 400,
        error_type: 'invalid_request',
        error_message: expect.stringContaining('Start request is malformed.'),
      }),
    ]);
  });
});

const MARKUP = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&';
const TURNED = '\u202Egpj.exe\u202C\u2066x\u2069\u200F';

describe('markup and characters that turn the direction of writing', () => {
  it.each([MARKUP, TURNED, '{{7*7}}${7*7}', "'; drop table users; --", '%s%n%x', '=cmd|calc', 'a'.repeat(100)])(
    'SEC-10: the name %j comes back as it was written, as JSON that no browser takes for a page',
    async (name) => {
      const { owner } = world;
      const answer = await server.call(owner, 'PUT', '/api/v2/user/', { name });
      expect(await answer.json()).toMatchObject({ name });
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(
        (
          await server.call(owner, 'PUT', `/api/v2/organizations/${owner.organizationId}/`, {
            name,
            contact_email: 'a@example.com',
          })
        ).status,
      ).toBe(200);
      expect(
        await (await server.call(owner, 'GET', `/api/v2/organizations/${owner.organizationId}/`)).json(),
      ).toMatchObject({ name });
    },
  );

  it('SEC-10: a refusal repeats nothing of the request as markup', async () => {
    const answer = await fetch(`${server.url}/v1/${encodeURIComponent(MARKUP)}`, {
      headers: { accept: 'text/html', ...bearer(world.owner) },
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      404,
      expect.stringContaining('application/json'),
    ]);
    expect(await answer.text()).not.toContain('<script');
  });
});

describe('length, and bytes that are no text', () => {
  it('SEC-10: an e-mail address of 200 kB signs nobody in, and is no failure of the server', async () => {
    const answer = await publicCall(server, 'POST', '/api/v2/token/', {
      email: `${'x'.repeat(200_000)}@example.com`,
      password: 'x',
    });
    expect(await outcomeOf(answer)).toBe('400 invalid_credentials');
  });

  it('SEC-10: bytes that are no UTF-8 are no failure of the server', async () => {
    const member = await colleague(server, world.owner, 'member');
    for (const route of ROUTES.filter(({ body }) => body && 'json' in body)) {
      const answer = await send(server, route, world.ids, member.access, {
        path: addressOf(route),
        body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x22, 0xc0, 0x80, 0x22, 0x7d]),
      });
      expect([route.id, answer.status !== 500]).toEqual([route.id, true]);
      await answer.body?.cancel();
    }
  });

  it('SEC-10: addresses that no browser would send are no failure of the server', async () => {
    const { port } = new URL(server.url);
    const raw = (target: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(Number(port), '127.0.0.1', () =>
          socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
        );
        let text = '';
        socket.on('data', (chunk) => {
          text += String(chunk);
        });
        socket.on('end', () => resolve(text.split(' ')[1] ?? ''));
        socket.on('error', reject);
      });
    for (const target of [
      '/%',
      '/%zz',
      '/%ff',
      '/%c0%80',
      '/api/v2/signup/%ff/',
      '/v1/files/%e0%80%80',
      '//evil.example',
      '///',
      '/\\evil',
      '/.%2e/',
      '/api/v2/../../etc/passwd',
      'http://evil.example/x',
      '*',
      '/api/v2/signup/%2500/',
      `/${'a/'.repeat(4000)}`,
    ]) {
      expect([target.slice(0, 40), Number(await raw(target)) !== 500]).toEqual([target.slice(0, 40), true]);
    }
  });
});
