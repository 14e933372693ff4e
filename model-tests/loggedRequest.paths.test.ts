import { describe, expect } from 'vitest';
import { loggedRequestMachine } from '#machines/playground/loggedRequest/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { playgroundRoute as route } from '#test/machines/playground-fixtures.ts';
import { logDetails } from '#test/machines/logged.ts';
import { describeWalk, FAILURE } from './walk.ts';

describe('LOG-15: every way of the request of the logs', () => {
  describeWalk(loggedRequestMachine, {
    tags: { loading: ['loading'], shown: ['shown'], failed: ['failed'], missing: ['missing'] },
    ignored: {
      'Nothing has failed': 'retry.requested in loading, missing, none, shown',
    },
    input: { projectUuid: 'p1', id: 'r1' },
    cases: {
      'route.changed': [{ route: route() }, { route: route({ log: 'r1' }) }],
      'done loadLog': [logDetails()],
      'failed loadLog': [FAILURE, new CallError({ kind: 'HTTP', status: 404, message: 'Not found.' })],
    },
    distinguish: ({ context }) => [context.id],
    states: {
      none: ({ context }) => expect(context.id).toBeNull(),
      shown: ({ context }) => expect(context.details).not.toBeNull(),
    },
  });
});
