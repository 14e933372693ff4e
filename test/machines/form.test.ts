import { expect, it } from 'vitest';
import { createActor, fromPromise, toPromise, waitFor } from 'xstate';
import type { OrganizationCreate, OrganizationCreated } from '#contract/organizations.ts';
import { CallError } from '#machines/failure.ts';
import { organizationForm } from '#machines/workspace/forms.ts';

const answering = (answer: (values: OrganizationCreate) => Promise<OrganizationCreated>) =>
  createActor(
    organizationForm.provide({ actors: { submit: fromPromise<OrganizationCreated, { values: OrganizationCreate }>(({ input }) => answer(input.values)) } }),
    { input: {} },
  ).start();
const refusal = new CallError({
  message: 'Not like this.', kind: 'HTTP', status: 400,
  problems: [{ location: 'body.contact_email', message: 'No such domain.' }, { location: 'body.other', message: 'Odd.' }],
});

it('ORG-01 ORG-02: checks on submit, in the words of the spec; an error goes as its field changes', () => {
  const form = answering(async () => ({ organization: { uuid: 'o1' } }));
  expect(form.getSnapshot().context.errors).toEqual({});
  form.send({ type: 'submit.requested' });
  expect(form.getSnapshot().context.errors).toEqual({ name: "Name can't be empty.", contact_email: 'Please enter a email address.' });
  form.send({ type: 'field.changed', field: 'name', value: 'x' });
  expect(form.getSnapshot().context.errors).toEqual({ contact_email: 'Please enter a email address.' });
});

it('ORG-03: a refusal keeps the values, shows the server\'s text and names the field; the next submit clears it', async () => {
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
  expect(output).toEqual({ outcome: 'done', answer: { organization: { uuid: 'o1' } }, values: { name: 'Acme', contact_email: 'ann@nowhere.example' } });
});
