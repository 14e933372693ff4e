import { describe, expect } from 'vitest';
import { playgroundMachine } from '#machines/playground/machine.ts';
import { logDetails, logRequest } from '#test/machines/logged.ts';
import { MODELS, playgroundRoute as route, transcription } from '#test/machines/playground-fixtures.ts';
import { describeWalk } from './walk.ts';

describe('ASY-01: every way through the playground', () => {
  describeWalk(playgroundMachine, {
    input: {
      orgUuid: 'o1',
      projectUuid: 'p1',
      route: route(),
      featureFlags: [],
      browserLanguages: ['en-GB'],
    },
    tags: {
      loading: ['loading'],
      failed: ['failed'],
      async: ['ready.mode.async'],
      realTime: ['ready.mode.realTime'],
    },
    refused: [
      {
        states: [''],
        event: { type: 'push.received', event: { type: 'members.changed', org_uuid: 'o1' } },
        why: 'It is about neither lists nor what may be used',
      },
      ...[
        { type: 'file.created', project_uuid: 'p2', file_id: 'f3' },
        { type: 'log.added', project_uuid: 'p2' },
        { type: 'limits.changed', organization_uuid: 'o2' },
      ].map((event) => ({ states: [''], event: { type: 'push.received', event }, why: 'It is about another place' })),
    ],
    ignored: {
      'The playground is not there yet: what it shows is read when it is':
        'mode.selected, panel.requested, push.received, request.dismissed, request.read, session.saved, use.changed, balance.read in failed, loading',
      'Nothing has failed': 'retry.requested in loading, ready',
      'The address names no request': 'request.dismissed at times in ready',
      'All of it is drawn': 'view.open.requested in failed, loading, ready.view.whole',
    },
    cases: {
      'route.changed': [
        { route: route() },
        { route: route({ mode: 'real-time' }) },
        { route: route({ panel: 'history' }) },
        { route: route({ log: 'r1' }) },
      ],
      'balance.read': [{ isExhausted: true }],
      'request.read': [
        { details: logDetails() },
        { details: logDetails({ id: 'r2', kind: 'real_time', request: logRequest() }) },
      ],
      'panel.requested': [{ by: 'person' }],
      'mode.selected': (['real-time', 'async'] as const).map((mode) => ({ mode })),
      'done loadPlayground': [
        {
          models: MODELS,
          maxUploadBytes: 100,
          isLiveSupported: true,
          addresses: { speech: 'https://speech.example', socket: 'wss://speech.example/transcribe-websocket' },
        },
      ],
      'push.received': [
        { type: 'resync' },
        { type: 'file.created', project_uuid: 'p1', file_id: 'f3' },
        { type: 'session.ended' },
        { type: 'log.added', project_uuid: 'p1' },
        { type: 'limits.changed', organization_uuid: 'o1' },
        { type: 'billing.changed', organization_uuid: 'o1' },
      ].map((event) => ({ event })),
      'session.saved': [{ transcription: transcription() }],
    },
    distinguish: ({ context }) => [
      context.route.mode,
      context.route.panel,
      context.route.log,
      context.openedLog,
      context.hasFailedEarly,
    ],
    states: {
      ready: (snapshot) => expect(snapshot.hasTag('realTime')).toBe(snapshot.context.route.mode === 'real-time'),
    },
  });
});
