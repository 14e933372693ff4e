import { describe, expect } from 'vitest';
import { CallError } from '#machines/shared/failure.ts';
import { projectPeopleMachine } from '#machines/workspace/settings/projectPeople/machine.ts';
import { member } from '../test/machines/people.ts';
import { describeWalk, FAILURE } from './walk.ts';

const person = (uuid: string, is_added: boolean) => ({ ...member(uuid, 'member'), is_added });

describe('PRJ-02: the people of a project', () => {
  describeWalk(projectPeopleMachine, {
    tags: {
      loading: ['loading'],
      failed: ['failed'],
      busy: ['adding', 'removing'],
      confirming: ['confirming'],
      removing: ['removing'],
    },
    ignored: {
      'Nothing has failed': 'retry.requested in adding, confirming, listed, loading, removing',
      'The people are not there, or a change is under way':
        'person.chosen, person.add.requested, person.remove.requested in adding, confirming, failed, loading, removing',
      'Nobody is chosen yet': 'person.add.requested at times in listed',
    },
    input: { orgUuid: 'o1', projectUuid: 'p1' },
    cases: {
      'done loadProjectPeople': [
        { people: [person('u1', false), person('u2', true)], others: [member('u3', 'member')] },
      ],
      'failed removePerson': [FAILURE, new CallError({ kind: 'HTTP', status: 404, message: 'Not found.' })],
      'person.chosen': ['u3', 'u9', null].map((userUuid) => ({ userUuid })),
      'person.remove.requested': [person('u1', false), person('u2', true)].map((one) => ({ person: one })),
      'done memberRemoval': [
        { isConfirmed: true, revokesKeys: true },
        { isConfirmed: true, revokesKeys: false },
        { isConfirmed: false, revokesKeys: false },
      ],
    },
    distinguish: ({ context }) => [context.people.length, context.chosen, context.revokesKeys],
    states: {
      confirming: ({ context }) => {
        expect(context.removing.uuid).toBe('u2');
        // What was chosen for somebody before is not for this person.
        expect(context.revokesKeys).toBe(false);
      },
      adding: ({ context }) => expect(context.chosen).toBe('u3'),
      listed: ({ context }) => expect(context.removing).toBeNull(),
    },
  });
});
