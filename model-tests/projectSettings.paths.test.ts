import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import type { ProjectDetails } from '#contract/organizations.ts';
import { CallError } from '#machines/shared/failure.ts';
import { projectDeletionForm, projectDetailsForm } from '#machines/workspace/settings/project/forms.ts';
import { projectPeopleMachine } from '#machines/workspace/settings/projectPeople/machine.ts';
import { projectSettingsMachine } from '#machines/workspace/settings/project/machine.ts';
import { describeWalk, doneBy, failedBy } from './walk.ts';
import { alone } from '../test/machines/residents.ts';

const PROJECT: ProjectDetails = {
  uuid: 'p1',
  name: 'Interviews',
  description: 'Spoken.',
  created_at: '2026-01-01T00:00:00Z',
};
const person = (uuid: string, is_added: boolean) => ({
  uuid,
  email: `${uuid}@example.com`,
  name: '',
  role: 'member' as const,
  joined_at: '2026-01-01T00:00:00Z',
  is_added,
});
const { is_added: _, ...other } = person('u3', false);

describe('PRJ-02: the settings of a project', () => {
  describeWalk(projectSettingsMachine, {
    ignored: [
      { states: ['loading', 'ready'], events: ['retry.requested'], why: 'Nothing has failed' },
      {
        states: ['failed', 'loading', 'ready.deletion.asking', 'ready.deletion.deleted'],
        events: ['deletion.requested'],
        why: 'The settings are not there, or the dialog is open already',
      },
    ],
    input: { orgUuid: 'o1', projectUuid: 'p1', drafts: [] },
    cases: {
      'xstate.done.actor.loadProject': [doneBy('loadProject', PROJECT)],
      'xstate.done.actor.projectDetailsForm': [
        doneBy('projectDetailsForm', { outcome: 'done', answer: { ...PROJECT, name: 'Talks' }, values: {} }),
        doneBy('projectDetailsForm', { outcome: 'dismissed' }),
      ],
      'xstate.done.actor.projectDeletionForm': [
        doneBy('projectDeletionForm', { outcome: 'done', values: {} }),
        doneBy('projectDeletionForm', { outcome: 'dismissed' }),
      ],
    },
    distinguish: ({ context }) => context.project?.name,
    states: {
      failed: ({ context }) => {
        expect(context.failure).not.toBeNull();
      },
      'ready.details': ({ context }) => {
        expect(context.project).not.toBeNull();
      },
      'ready.deletion.deleted': (snapshot) => {
        expect(snapshot.hasTag('deleted')).toBe(true);
      },
    },
  });

  it('PRJ-02: name and description follow the rules of making a project, and a saved name is what the form starts from', async () => {
    const settings = createActor(
      alone(projectSettingsMachine).provide({
        actors: {
          loadProject: fromPromise<ProjectDetails, { projectUuid: string }>(async () => PROJECT),
          projectDetailsForm: projectDetailsForm.provide({
            actors: {
              submit: fromPromise(async ({ input: { values } }) => ({
                ...PROJECT,
                name: values.name,
                description: values.description,
              })),
            },
          }),
        },
      }),
      { input: { orgUuid: 'o1', projectUuid: 'p1', drafts: [] } },
    ).start();
    await waitFor(settings, (snapshot) => snapshot.matches('ready'));
    const form = settings.getSnapshot().children.projectDetailsForm;
    form?.send({ type: 'field.changed', field: 'name', value: ' ' });
    form?.send({ type: 'field.changed', field: 'description', value: 'x'.repeat(1025) });
    form?.send({ type: 'submit.requested' });
    expect(form?.getSnapshot().context.errors).toEqual({
      name: "Name can't be empty.",
      description: 'Description must be at most 1024 characters.',
    });
    form?.send({ type: 'field.changed', field: 'name', value: 'Talks' });
    form?.send({ type: 'field.changed', field: 'description', value: '' });
    form?.send({ type: 'submit.requested' });
    await waitFor(settings, ({ context }) => context.project?.name === 'Talks');
    expect(settings.getSnapshot().children.projectDetailsForm?.getSnapshot().context.initial).toEqual({
      projectUuid: 'p1',
      name: 'Talks',
      description: '',
    });
    settings.stop();
  });

  it.each([
    ['interviews', false],
    ['Interview', false],
    [' Interviews ', true],
  ])('PRJ-02: typing %j deletes it: %s', (typed, isEnough) => {
    const form = createActor(projectDeletionForm, {
      input: { initial: { projectUuid: 'p1', name: 'Interviews' } },
    }).start();
    form.send({ type: 'field.changed', field: 'typed', value: typed });
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().hasTag('submitting')).toBe(isEnough);
    expect(form.getSnapshot().context.errors).toEqual(
      isEnough ? {} : { typed: 'Type the name of the project exactly as it is.' },
    );
    form.stop();
  });
});

describe('PRJ-02: the people of a project', () => {
  describeWalk(projectPeopleMachine, {
    ignored: [
      {
        states: ['adding', 'confirming', 'listed', 'loading', 'removing'],
        events: ['retry.requested'],
        why: 'Nothing has failed',
      },
      {
        states: ['adding', 'confirming', 'failed', 'loading', 'removing'],
        events: ['person.chosen', 'person.add.requested', 'person.remove.requested'],
        why: 'The people are not there, or a change is under way',
      },
      { states: ['listed'], events: ['person.add.requested'], why: 'Nobody is chosen yet', sometimes: true },
    ],
    input: { orgUuid: 'o1', projectUuid: 'p1' },
    cases: {
      'xstate.done.actor.loadProjectPeople': [
        doneBy('loadProjectPeople', { people: [person('u1', false), person('u2', true)], others: [other] }),
      ],
      'xstate.error.actor.removePerson': [
        failedBy('removePerson'),
        failedBy('removePerson', new CallError({ kind: 'HTTP', status: 404, message: 'Not found.' })),
      ],
      'person.chosen': ['u3', 'u9', null].map((userUuid) => ({ type: 'person.chosen', userUuid })),
      'person.remove.requested': [person('u1', false), person('u2', true)].map((one) => ({
        type: 'person.remove.requested',
        person: one,
      })),
      'xstate.done.actor.memberRemoval': [
        { isConfirmed: true, revokesKeys: true },
        { isConfirmed: true, revokesKeys: false },
        { isConfirmed: false, revokesKeys: false },
      ].map((output) => doneBy('memberRemoval', output)),
    },
    distinguish: ({ context }) => [context.people.length, context.chosen, context.revokesKeys],
    states: {
      confirming: ({ context }) => {
        expect(context.removing.uuid).toBe('u2');
        // What was chosen for somebody before is not for this person.
        expect(context.revokesKeys).toBe(false);
      },
      adding: ({ context }) => {
        expect(context.chosen).toBe('u3');
      },
      listed: ({ context }) => {
        expect(context.removing).toBeNull();
      },
    },
  });
});
