import { describe, expect, it } from 'vitest';
import { CallError } from '#machines/shared/failure.ts';
import { toMessage } from '#src/effects/inspect/inspectMessage.ts';
import { redact } from '#src/effects/inspect/redact.ts';

const pair = { access: 'access-secret', refresh: 'refresh-secret', access_expires_at: 1 };
const session = (event: object) => ({
  sessionId: 'x:1',
  _version: '1',
  createdAt: '0',
  id: '',
  rootId: 'x:0',
  ...event,
});

/** Every way in which a chart is told or holds something, each with a secret inside. */
const carriers: [string, object][] = [
  ['an initial input', { type: 'xstate.init', input: { tokens: pair } }],
  ['an answered promise', { type: 'xstate.promise.resolve', data: pair }],
  ['a failed promise', { type: 'xstate.promise.reject', data: { error: { authorization: 'Bearer access-secret' } } }],
  ['a done actor', { type: 'xstate.done.actor.signIn', output: pair }],
  [
    'a failed actor',
    {
      type: 'xstate.error.actor.signIn',
      error: new CallError({ message: 'Bearer access-secret is no good', kind: 'HTTP' }),
    },
  ],
  ['a form field', { type: 'field.changed', name: 'password', value: 'access-secret' }],
  ['form values', { type: 'submit.requested', values: { email: 'a@b.c', newPassword: 'access-secret' } }],
  ['headers', { headers: { Authorization: 'access-secret', 'X-CSRFToken': 'refresh-secret' } }],
  ['a speech credential', { header: 'Bearer {"type":"jwt","project_id":"p","token":"access-secret"}' }],
  ['the key of a live session', { type: 'xstate.done.actor.fetchKey', output: { api_key: 'access-secret' } }],
  ['a live config', { config: { api_key: 'access-secret', apiKey: 'refresh-secret' } }],
  ['a signed token in a text', { message: 'got eyJhbGciOiJIUzI1NiJ9.access-secret.refresh-secret' }],
  ['temporary keys in a text', { message: 'The keys temp:access-secret and prl_temp_access-secret are used up.' }],
  ['a signing secret that is copied', { type: 'copy.requested', text: 'whsec_access-secret/+refresh-secret=' }],
  ['a one-time link', { href: 'https://console.example.com/signup/access-secret/?a=1' }],
  [
    'the links of e-mails',
    { links: ['password', 'invite', 'signup'].map((kind) => `https://console.example.com/${kind}/access-secret/`) },
  ],
  ['a way back to a link', { href: '/signin/?from=%2Finvite%2Faccess-secret%2F' }],
  [
    'routes of links',
    {
      routes: [
        { screen: 'invite', token: 'access-secret' },
        { screen: 'passwordReset', token: 'refresh-secret' },
        { screen: 'signUp', from: '/invite/access-secret/' },
      ],
    },
  ],
  [
    'the flows of links',
    {
      input: { purpose: 'activation', token: 'access-secret' },
      values: { password: 'refresh-secret', token: 'access-secret' },
    },
  ],
  [
    'the answer of an identity provider',
    {
      route: { screen: 'ssoCallback', query: '?code=access-secret&state=refresh-secret&iss=https%3A%2F%2Fidp.example' },
    },
  ],
  [
    'the page of an identity provider',
    {
      url: 'https://idp.example/auth?client_id=console&state=access-secret&nonce=refresh-secret&code_challenge=access-secret',
    },
  ],
  ['a newcomer', { signup_token: 'access-secret', newcomer: { signupToken: 'refresh-secret', email: 'a@b.c' } }],
  ['a map', { kept: new Map([['jwt', { jwt: 'access-secret' }]]) }],
];

describe('what an inspector may see', () => {
  it.each(carriers)('SES-01 LIV-14: no secret of %s, alone and in any message to an inspector', (_, carrier) => {
    expect(JSON.stringify(redact(carrier))).not.toMatch(/access-secret|refresh-secret/);
    const event = { type: 'e', ...carrier };
    const snapshot = { status: 'done', output: carrier, context: carrier, input: carrier, error: carrier };
    for (const inspected of [
      { type: '@xstate.actor', name: 'a', definition: '{}', parentId: undefined, snapshot },
      { type: '@xstate.event', event, sourceId: undefined },
      { type: '@xstate.snapshot', event, snapshot },
    ]) {
      // A done and failed snapshot at once is no snapshot of the library's; it holds a secret in every place.
      const sent = toMessage(session(inspected) as unknown as Parameters<typeof toMessage>[0]);
      expect(JSON.stringify(sent)).not.toMatch(/access-secret|refresh-secret/);
      expect(sent.type).toBe(inspected.type);
    }
  });

  it('keeps what is no secret', () => {
    const telling = [
      { email: 'a@b.c', tokens: [{ text: ' word', is_final: true }], route: { screen: 'playground' } },
      '/password/recover/',
      '/signup/resend-activation-email/',
      '/sso/callback/?error=access_denied',
      '/signin/?from=%2Fuser%2F',
    ];
    expect(redact(telling)).toEqual(telling);
  });

  it('describes files, buffers, actors and loops instead of copying them', () => {
    const loop: Record<string, unknown> = { name: 'loop' };
    loop['self'] = loop;
    expect(
      redact({
        file: new File(['abc'], 'a.wav', { type: 'audio/wav' }),
        pcm: new ArrayBuffer(8),
        view: new Int16Array(3),
        actor: { sessionId: 'x:4', send: () => undefined },
        loop,
      }),
    ).toEqual({
      file: { name: 'a.wav', size: 3, type: 'audio/wav' },
      pcm: { byteLength: 8 },
      view: { byteLength: 6 },
      actor: { actor: 'x:4' },
      loop: { name: 'loop', self: '[circular]' },
    });
  });

  it('cuts long lists and texts, and survives unreadable values', () => {
    const list = redact({ list: Array.from({ length: 60 }, (_, i) => i) });
    expect(list).toMatchObject({ list: expect.arrayContaining(['… 10 more']) });
    expect(redact('a'.repeat(3000))).toEqual(expect.stringContaining('1000 more characters'));
    const ownKeys = () => {
      throw new Error('no');
    };
    expect(redact(new Proxy({}, { ownKeys }))).toBe('[unreadable]');
  });
});
