import { describe, expect } from 'vitest';
import { apiKeysMachine } from '#machines/workspace/apiKeys/machine.ts';
import { firstCallMachine } from '#machines/workspace/apiKeys/firstCall/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { apiKey, AT } from '../test/machines/people.ts';
import { describeWalk, describeWalks, FAILURE } from './walk.ts';

const KEY = apiKey('k1', 'CI');
const made = {
  outcome: 'done',
  answer: { api_key: KEY, key: 'prl_0123456789', baseUrl: 'https://api.example' },
  values: {},
};

describe('PRJ-03: API keys', () => {
  describeWalks(
    apiKeysMachine,
    {
      tags: {
        loading: ['keys.loading'],
        failed: ['keys.failed'],
        empty: ['keys.ready.empty'],
        confirming: ['keys.ready.confirming'],
        revoking: ['revocation.revoking'],
      },
      ignored: {
        'Nothing has failed': 'retry.requested in keys.{loading, ready}',
        'The keys are not there, or a dialog lies over them':
          'key.create.requested in keys.{failed, loading, ready.{making, revealing}}',
        'One dialog and one revocation at a time':
          'revoke.requested in keys.{failed, loading, ready.{confirming, empty, making, revealing}}, revocation.revoking',
        'The keys are read anew anyhow, or are not shown as a list':
          'key.revoked in keys.{failed, loading, ready.{confirming, empty, making, revealing}}',
        'No dialog asks':
          'revoke.confirmed, revoke.dismissed in keys.{failed, loading, ready.{empty, listed, making, revealing}}',
      },
      cases: {
        'done loadKeys': [[KEY], []],
        'done keyForm': [made, { outcome: 'dismissed' }, { outcome: 'left' }],
        'failed revokeKey': [FAILURE, new CallError({ kind: 'HTTP', status: 404, message: 'Not found.' })],
        // Raised by the chart itself.
        'key.revoked': [],
        'revoke.requested': [{ key: KEY }],
        'column.chosen': [{ column: 'name' }],
      },
      distinguish: ({ context }) => [
        context.keys.length,
        context.drafts.length,
        context.isAsked,
        context.revoking === null,
      ],
      states: {
        'keys.ready.revealing': ({ context }) =>
          expect(context.made).toEqual({
            secret: 'prl_0123456789',
            name: 'CI',
            keyUuid: 'k1',
            baseUrl: 'https://api.example',
          }),
        'keys.loading': ({ context }) => expect(context.made).toBeNull(),
        'keys.ready.listed': ({ context }) => expect(context.drafts).toEqual([]),
        'revocation.revoking': ({ context }) => expect(context.revoking).toEqual(KEY),
      },
    },
    {
      "a project's keys": { input: { orgUuid: 'o1', projectUuid: 'p1', drafts: [], isAsked: false } },
      'asked for a new one': {
        input: { orgUuid: 'o1', projectUuid: 'p1', drafts: [], isAsked: true },
        without: ['revoke', 'xstate.done.actor.revoke', 'xstate.done.actor.secret', 'xstate.error', 'retry'],
      },
      'with a name typed before': {
        input: {
          orgUuid: 'o1',
          projectUuid: 'p1',
          isAsked: false,
          drafts: [{ form: 'keyForm', about: { projectUuid: 'p1' }, values: { name: 'CI', expiresInDays: '30' } }],
        },
        without: ['revoke', 'xstate.done.actor.revoke', 'xstate.done.actor.secret', 'xstate.error', 'retry'],
      },
    },
  );
});

describe('ONB-22: the first call with a new key', () => {
  describeWalk(firstCallMachine, {
    tags: { unknown: ['waiting.missed'], called: ['called'] },
    ignored: {},
    input: { projectUuid: 'p1', keyUuid: 'k1' },
    cases: {
      'done readKey': [KEY, { ...KEY, last_used_at: AT }],
    },
    states: {
      called: ({ context }) => expect(context.failure).toBeNull(),
      'waiting.pausing': ({ context }) => expect(context.failure).toBeNull(),
      'waiting.missed': ({ context }) => expect(context.failure).not.toBeNull(),
    },
  });
});
