import * as v from 'valibot';
import { expect, it } from 'vitest';
import { createActor, fromPromise, toPromise, waitFor } from 'xstate';
import type { OrganizationCreate, OrganizationCreated } from '#contract/organizations.ts';
import { CallError } from '#machines/shared/failure.ts';
import { createForm } from '#machines/shared/form/machine.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import { organizationForm } from '#machines/workspace/forms.ts';
import { later } from '../../people.ts';

const answering = (answer: (values: OrganizationCreate) => Promise<OrganizationCreated>) =>
  createActor(
    organizationForm.provide({
      actors: { submit: fromPromise(({ input }) => answer(input.values)) },
    }),
    { input: {} },
  ).start();
const refusal = new CallError({
  message: 'Not like this.',
  kind: 'HTTP',
  status: 400,
  problems: [
    { location: 'body.contact_email', message: 'No such domain.' },
    { location: 'body.other', message: 'Odd.' },
  ],
});

it('ORG-01 ORG-02: checks on submit, in the words of the requirements; an error goes as its field changes', () => {
  const form = answering(async () => ({ organization: { uuid: 'o1' } }));
  expect(form.getSnapshot().context.errors).toEqual({});
  form.send({ type: 'submit.requested' });
  expect(form.getSnapshot().context.errors).toEqual({
    name: "Name can't be empty.",
    contact_email: 'Please enter a email address.',
  });
  form.send({ type: 'field.changed', field: 'name', value: 'x' });
  expect(form.getSnapshot().context.errors).toEqual({ contact_email: 'Please enter a email address.' });
});

it("ORG-03: a refusal keeps the values, shows the server's text and names the field; the next submit clears it", async () => {
  let tries = 0;
  const form = answering(async () => {
    tries++;
    if (tries === 1) throw refusal;
    return { organization: { uuid: 'o1' } };
  });
  form.send({ type: 'field.changed', field: 'name', value: '  Acme  ' });
  form.send({ type: 'field.changed', field: 'contact_email', value: 'ann@nowhere.example' });
  form.send({ type: 'submit.requested' });
  const { context } = await waitFor(form, (snapshot) => snapshot.context.refusal !== null);
  expect(context.refusal?.message).toBe('Not like this.');
  expect(context.errors).toEqual({ contact_email: 'No such domain.' });
  expect(context.values.name).toBe('  Acme  ');
  form.send({ type: 'submit.requested' });
  expect(form.getSnapshot().context.refusal).toBeNull();
  expect(form.getSnapshot().hasTag('submitting')).toBe(true);
  const output = await toPromise(form);
  expect(output).toEqual({
    outcome: 'done',
    answer: { organization: { uuid: 'o1' } },
    about: {},
    values: { name: 'Acme', contact_email: 'ann@nowhere.example' },
  });
});

it('ORG-02: typed values are given up only after a question, untouched ones at once', async () => {
  const untouched = answering(async () => ({ organization: { uuid: 'o1' } }));
  untouched.send({ type: 'dismiss.requested' });
  expect(untouched.getSnapshot().output).toEqual({ outcome: 'dismissed' });

  const form = answering(async () => ({ organization: { uuid: 'o1' } }));
  form.send({ type: 'field.changed', field: 'name', value: 'Acme' });
  form.send({ type: 'dismiss.requested' });
  expect(form.getSnapshot().hasTag('asking')).toBe(true);
  form.send({ type: 'discard.declined' });
  expect(form.getSnapshot().hasTag('asking')).toBe(false);
  expect(form.getSnapshot().context.values.name).toBe('Acme');
  form.send({ type: 'dismiss.requested' });
  form.send({ type: 'discard.confirmed' });
  expect(form.getSnapshot().output).toEqual({ outcome: 'dismissed' });
});

it('ORG-03: an answer that comes while it asks is not lost; leaving before it tells that nobody knows', async () => {
  const { promise, resolve } = later<OrganizationCreated>();
  const sent = () => {
    const form = answering(() => promise);
    form.send({ type: 'field.changed', field: 'name', value: 'Acme' });
    form.send({ type: 'field.changed', field: 'contact_email', value: 'ann@example.com' });
    form.send({ type: 'submit.requested' });
    form.send({ type: 'dismiss.requested' });
    expect(form.getSnapshot().hasTag('asking')).toBe(true);
    expect(form.getSnapshot().hasTag('submitting')).toBe(true);
    return form;
  };
  const left = sent();
  left.send({ type: 'discard.confirmed' });
  expect(left.getSnapshot().output).toEqual({ outcome: 'left' });
  const waiting = sent();
  resolve({ organization: { uuid: 'o1' } });
  expect(await toPromise(waiting)).toMatchObject({ outcome: 'done', answer: { organization: { uuid: 'o1' } } });
});

it('CON-19: a refusal goes as soon as a field is edited; what the server found wrong in other fields stays', async () => {
  const refused = new CallError({
    message: 'Not like this.',
    kind: 'HTTP',
    status: 400,
    problems: [{ location: 'body.name', message: 'Taken.' }],
  });
  const form = createActor(
    createForm({
      id: 'refused',
      schema: v.object({ name: v.string(), about: v.string() }),
      initial: { name: 'Acme', about: '' },
      submit: fromPromise<null, Submitted<{ name: string; about: string }, {}>>(() => Promise.reject(refused)),
    }),
    { input: {} },
  ).start();
  form.send({ type: 'submit.requested' });
  await waitFor(form, (snapshot) => snapshot.context.refusal !== null);
  form.send({ type: 'field.changed', field: 'about', value: 'x' });
  expect(form.getSnapshot().context).toMatchObject({ refusal: null, errors: { name: 'Taken.' } });
});

it('ORG-02: each refused submit counts, by the schema or by the server, also with the same error; a sent one does not', async () => {
  const form = createActor(
    createForm({
      id: 'counted',
      schema: v.object({ name: v.pipe(v.string(), v.nonEmpty('Please enter a name.')) }),
      initial: { name: '' },
      submit: fromPromise<null, Submitted<{ name: string }, {}>>(() => Promise.reject(refusal)),
    }),
    { input: {} },
  ).start();
  expect(form.getSnapshot().context.refusedSubmits).toBe(0);
  form.send({ type: 'submit.requested' });
  form.send({ type: 'submit.requested' });
  expect(form.getSnapshot().context).toMatchObject({ refusedSubmits: 2, errors: { name: 'Please enter a name.' } });
  form.send({ type: 'field.changed', field: 'name', value: 'Acme' });
  form.send({ type: 'submit.requested' });
  expect(form.getSnapshot().context.refusedSubmits).toBe(2);
  await waitFor(form, (snapshot) => snapshot.context.refusal !== null);
  expect(form.getSnapshot().context.refusedSubmits).toBe(3);
});
