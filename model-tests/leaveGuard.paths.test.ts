import { describe, expect } from 'vitest';
import { leaveGuardMachine } from '#machines/workspace/leaveGuard/machine.ts';
import { questionOf } from '#machines/workspace/leaveGuard/texts.ts';
import { playgroundRoute } from '../test/machines/playground-fixtures.ts';
import { describeWalk } from './walk.ts';

const playground = playgroundRoute({ mode: 'real-time' });

describe('CON-01: every way past the leave guard', () => {
  describeWalk(leaveGuardMachine, {
    tags: { asking: ['blocking.asking', 'warning'] },
    ignored: {
      'Nothing would be lost; or the person leaves already': 'departure.tried in free, warning, blocking.leaving',
      'Only what would be lost is asked about': 'departure.tried at times in blocking',
      'Nothing is asked': 'stay.chosen, leave.chosen in free, blocking.{leaving, watching}',
      'No departure waits for its address': 'route.changed in free, warning, blocking.{asking, watching}',
      'It is asked about already': 'reload.requested in warning',
    },
    cases: {
      'unsavedWork.added': ({ context }) =>
        context.unsavedWork.length > 1
          ? []
          : [
              { id: String(context.unsavedWork.length), work: { kind: 'live', scope: 'screen' } },
              { id: String(context.unsavedWork.length), work: { kind: 'form', scope: 'session' } },
            ],
      'place.removed': [{ reason: 'Project Tapes was deleted.' }],
      'unsavedWork.removed': ({ context }) => context.unsavedWork.slice(0, 1).map(({ id }: { id: string }) => ({ id })),
      'reload.requested': [{ hasTranscript: false }, { hasTranscript: true }],
      'departure.tried': [
        { from: playground, to: { screen: 'organization', orgUuid: 'o1' } },
        { from: playground, to: { ...playground, mode: 'async' } },
      ],
    },
    limit: 20_000,
    distinguish: ({ context }) => [
      context.unsavedWork.map(({ scope }: { scope: string }) => scope),
      context.departure?.way,
      context.removalReason,
    ],
    states: {
      free: ({ context }) => expect(context).toMatchObject({ unsavedWork: [], departure: null }),
      blocking: ({ context }) => expect(context.unsavedWork).not.toEqual([]),
      'blocking.asking': (snapshot) => {
        // The walk knows the chart's snapshot by its shape only.
        const question = questionOf(snapshot as never, {
          memberships: [],
          remembered: {},
          selection: { orgUuid: 'o1', projectUuid: 'p1' },
        });
        expect(question?.consequences.length).toBeGreaterThan(0);
        // Why one is led away comes before what is lost by it.
        const isTold = snapshot.context.removalReason !== null && snapshot.context.departure?.way === 'route';
        expect(question?.consequences[0] === 'Project Tapes was deleted.').toBe(isTold);
      },
    },
  });
});
