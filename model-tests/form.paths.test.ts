import * as v from 'valibot';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor, type AnyEventObject } from 'xstate';
import { CallError } from '#machines/shared/failure.ts';
import { createForm } from '#machines/shared/form/machine.ts';
import type { AdviceRequest, Submitted } from '#machines/shared/form/types.ts';
import { callbackPlaceholder, promisePlaceholder } from '#machines/shared/placeholder.ts';
import { organizationForm } from '#machines/workspace/forms.ts';
import { signInMachine } from '#machines/visitor/signIn/machine.ts';
import { describeWalk, FAILURE, walk } from './walk.ts';

/** What only forms have that ask first. */
const ASKING = [
  'unsaved.changed —dismiss.requested if isAsking→ unsaved.asking',
  'unsaved.asking —discard.confirmed→ ended',
  'unsaved.asking —discard.declined→ unsaved.changed',
  'unsaved.submitting.waiting —dismiss.requested if isAsking→ unsaved.submitting.asking',
  'unsaved.submitting.asking —discard.confirmed→ ended',
  'unsaved.submitting.asking —discard.declined→ unsaved.submitting.waiting',
];
/** What only forms have that can be dismissed. */
const DISMISSAL = ['unchanged', 'unsaved.changed'].map((at) => `${at} —dismiss.requested if isDismissible→ ended`);
/** What only forms have that may be sent as they are found. */
const AT_ONCE = 'unchanged —submit.requested if isValid→ unsaved.submitting';
const FATAL = 'unsaved.submitting —xstate.error.actor.submit if isFatal→ ended';
/** The names of transitions within a chart, as the walk tells them. */
const of = (id: string, names: readonly string[]) =>
  names.map((name) => `${id}.${name.replace('→ ', `→ ${id}.`)}`).toSorted();

describe('a dialog', () => {
  describeWalk(organizationForm, {
    input: { initial: { contact_email: 'ann@example.com' } },
    cases: {
      'place.removed': [{ reason: 'Project Tapes was deleted.' }],
      'field.changed': ['', 'Acme'].map((value) => ({ field: 'name', value })),
      'source.changed': [{ initial: { name: 'Acme' } }],
      'done submit': [{ organization: { uuid: 'o1' } }],
    },
    distinguish: ({ context }) => [context.values.name, Object.keys(context.errors), context.detached],
    ignored: {
      'What was sent, or is asked about, stays': 'submit.requested, field.changed in unsaved.{submitting, asking}',
      'What the form belongs to is gone: what was typed can only be read':
        'submit.requested, field.changed at times in unchanged, unsaved.changed',
      'The dialog asks already': 'dismiss.requested in unsaved.{submitting.asking, asking}',
      'No dialog asks': 'discard.confirmed, discard.declined in unchanged, unsaved.{changed, submitting.waiting}',
    },
    tags: { submitting: ['unsaved.submitting'], asking: ['unsaved.asking', 'unsaved.submitting.asking'] },
    never: of('organizationForm', ['unsaved.changed —dismiss.requested if isDismissible→ ended', FATAL]),
  });
});

describe('a sign-in that can not be dismissed', () => {
  it('walks every transition but dismissal, its question and the refusal for good', () => {
    const { unwalked } = walk(signInMachine, {
      input: {},
      cases: {
        'place.removed': [{ reason: 'Gone.' }],
        'field.changed': ['', 'a'].flatMap((value) => ['email', 'password'].map((field) => ({ field, value }))),
        'source.changed': [{ initial: { email: 'a' } }],
      },
      distinguish: ({ context }) => [context.values, context.detached],
    });
    expect(unwalked().toSorted()).toEqual(of('signIn', [...DISMISSAL, ...ASKING, AT_ONCE, FATAL]));
  });
});

describe('a form that a refusal can end', () => {
  const linkForm = createForm({
    id: 'linkForm',
    schema: v.object({ password: v.pipe(v.string(), v.minLength(8)) }),
    initial: { password: '' },
    submit: promisePlaceholder<null, Submitted<{ password: string }, { token: string }>>('submit'),
    endsOn: ({ errorType }) => errorType === 'token_used',
  });
  const dead = new CallError({ message: 'Used.', kind: 'HTTP', status: 400, errorType: 'token_used' });
  const { unwalked } = walk(linkForm, {
    input: { about: { token: 't' } },
    cases: {
      'place.removed': [{ reason: 'Gone.' }],
      'field.changed': ['', 'short', 'long enough'].map((value) => ({ field: 'password', value })),
      'source.changed': [{ initial: {} }],
      'failed submit': [dead, FAILURE],
    },
    distinguish: ({ context }) => [context.values, context.detached],
  });
  it('walks the refusal too', () => {
    expect(unwalked().toSorted()).toEqual(of('linkForm', [...DISMISSAL, ...ASKING, AT_ONCE]));
  });
});

describe('a form with nothing to lose', () => {
  it('CON-01: registers nothing with the guard, however much is typed', () => {
    const plain = createForm({
      id: 'plain',
      schema: v.object({ name: v.string() }),
      initial: { name: '' },
      discardedWith: null,
      submit: promisePlaceholder<null, Submitted<{ name: string }, {}>>('submit'),
    });
    const form = createActor(plain, { input: {} }).start();
    form.send({ type: 'field.changed', field: 'name', value: 'Acme' });
    expect(form.getSnapshot().context.values).toEqual({ name: 'Acme' });
    expect(form.getSnapshot().children).toEqual({});
  });
});

describe('a form whose place has gone', () => {
  it('CON-04: keeps what was typed, sends and takes nothing more, says why, and works again where the place is back', () => {
    const form = createActor(organizationForm, { input: {} }).start();
    form.send({ type: 'field.changed', field: 'name', value: 'Acme' });
    form.send({ type: 'field.changed', field: 'contact_email', value: 'ann@example.com' });
    form.send({ type: 'place.removed', reason: 'Project Tapes was deleted.' });
    form.send({ type: 'field.changed', field: 'name', value: 'Other' });
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().hasTag('submitting')).toBe(false);
    expect(form.getSnapshot().context).toMatchObject({
      detached: 'Project Tapes was deleted.',
      values: { name: 'Acme' },
      errors: {},
    });
    form.send({ type: 'place.back' });
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().hasTag('submitting')).toBe(true);
    form.stop();
  });
});

describe('a form whose source is changed elsewhere', () => {
  const open = () => {
    const form = createActor(organizationForm, {
      input: { initial: { name: 'Acme', contact_email: 'ann@example.com' } },
    }).start();
    onTestFinished(() => void form.stop());
    const change = (initial: { name?: string; contact_email?: string }) =>
      form.send({ type: 'source.changed', initial });
    const type = (field: 'name' | 'contact_email', value: string) => form.send({ type: 'field.changed', field, value });
    return { form, change, type, context: () => form.getSnapshot().context };
  };

  it('CON-30: fields that were left alone follow, and nothing counts as typed for it', () => {
    const { form, change, type, context } = open();
    change({ name: 'Apex' });
    expect(context()).toMatchObject({
      values: { name: 'Apex', contact_email: 'ann@example.com' },
      changedElsewhere: {},
    });
    expect(form.getSnapshot().matches('unchanged')).toBe(true);
    type('contact_email', 'bob@example.com');
    change({ name: 'Apogee', contact_email: 'ann@example.com' });
    expect(context()).toMatchObject({
      initial: { name: 'Apogee', contact_email: 'ann@example.com' },
      values: { name: 'Apogee', contact_email: 'bob@example.com' },
      changedElsewhere: {},
    });
  });

  it('CON-30: what is typed stays, and what it replaces is told until they are the same', () => {
    const { form, change, type, context } = open();
    type('name', 'Acme Ltd');
    change({ name: 'Apex', contact_email: 'bob@example.com' });
    expect(context()).toMatchObject({
      values: { name: 'Acme Ltd', contact_email: 'bob@example.com' },
      changedElsewhere: { name: 'Apex' },
    });
    // Read again without another change.
    change({ name: 'Apex', contact_email: 'bob@example.com' });
    expect(context().changedElsewhere).toEqual({ name: 'Apex' });
    type('name', 'Ap');
    expect(context().changedElsewhere).toEqual({ name: 'Apex' });
    type('name', 'Apex');
    expect(context().changedElsewhere).toEqual({});
    expect(form.getSnapshot().matches('unchanged')).toBe(true);
    type('name', 'Apex 2');
    change({ name: 'Other' });
    change({ name: 'Apex 2' });
    expect(context()).toMatchObject({ values: { name: 'Apex 2' }, changedElsewhere: {} });
    expect(form.getSnapshot().matches('unchanged')).toBe(true);
  });

  it('CON-30: an error goes with the value that it was about', () => {
    const { form, change, type, context } = open();
    change({ name: '' });
    type('contact_email', 'nobody');
    form.send({ type: 'submit.requested' });
    expect(Object.keys(context().errors)).toEqual(['name', 'contact_email']);
    change({ name: 'Acme' });
    expect(Object.keys(context().errors)).toEqual(['contact_email']);
  });

  it('CON-30: a refusal comes back to a form that has followed', async () => {
    const { form, change, type, context } = open();
    form.subscribe({ error: () => undefined });
    type('name', 'Acme Ltd');
    form.send({ type: 'submit.requested' });
    change({ contact_email: 'bob@example.com' });
    await waitFor(form, (snapshot) => !snapshot.hasTag('submitting'));
    expect(context()).toMatchObject({
      values: { name: 'Acme Ltd', contact_email: 'bob@example.com' },
      changedElsewhere: {},
    });
    expect(context().refusal).not.toBeNull();
  });
});

describe('a form with a draft', () => {
  it('ORG-02: starts with what was typed before, which counts as typed', () => {
    const form = createActor(organizationForm, {
      input: { initial: { contact_email: 'ann@example.com' }, draft: { name: 'Acme' } },
    }).start();
    expect(form.getSnapshot().context).toMatchObject({
      initial: { name: '', contact_email: 'ann@example.com' },
      values: { name: 'Acme', contact_email: 'ann@example.com' },
    });
    form.send({ type: 'dismiss.requested' });
    expect(form.getSnapshot().hasTag('asking')).toBe(true);
  });
});

describe('a form that advises while one types', () => {
  const away = { isRefused: false, title: '', text: 'No advice now.' };
  const advised = createForm({
    id: 'advised',
    schema: v.object({ password: v.pipe(v.string(), v.minLength(3, 'Longer.')) }),
    initial: { password: '' },
    submit: promisePlaceholder<null, Submitted<{ password: string }, {}>>('submit'),
    advice: {
      field: 'password',
      passwordCheck: callbackPlaceholder<AdviceRequest>('passwordCheck'),
      error: 'Not this one.',
      away,
    },
  });
  const weak = { isRefused: true, title: 'Weak', text: 'Known to all.' };
  const { unwalked } = walk(advised, {
    input: {},
    cases: {
      'place.removed': [{ reason: 'Gone.' }],
      'field.changed': ['', 'abc'].map((value) => ({ field: 'password', value })),
      'source.changed': [{ initial: {} }],
      'advice.given': [{ advice: weak }, { advice: null }],
      'failed passwordCheck': [FAILURE],
      'done submit': [null],
      'failed submit': [FAILURE],
    },
    distinguish: ({ context }) => [
      context.values,
      context.advice?.title,
      Object.keys(context.errors),
      context.detached,
    ],
    states: {
      submitting: ({ context }) => expect(context.values.password).toBe('abc'),
    },
  });
  it('SEC-06: walks the advice, given and failed', () => {
    expect(unwalked().toSorted()).toEqual(of('advised', [...DISMISSAL, ...ASKING, AT_ONCE, FATAL]));
  });

  const open = (answer: (values: Readonly<Record<string, string>>) => AnyEventObject) =>
    createActor(
      advised.provide({
        actors: {
          submit: fromPromise(() => new Promise(() => {})),
          passwordCheck: fromCallback(({ receive, sendBack }) => receive(({ values }) => sendBack(answer(values)))),
        },
      }),
      { input: {} },
    ).start();

  it('SEC-06: does not send what is refused, and says so at its field; better advice lets it through', () => {
    const form = open(({ password }) => ({
      type: 'advice.given',
      advice: password === 'abc' ? weak : { isRefused: false, title: 'Good', text: '' },
    }));
    form.send({ type: 'field.changed', field: 'password', value: 'abc' });
    expect(form.getSnapshot().context.advice).toEqual(weak);
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().context.errors).toEqual({ password: 'Not this one.' });
    form.send({ type: 'field.changed', field: 'password', value: 'abcd' });
    expect(form.getSnapshot().context).toMatchObject({ errors: {}, advice: { title: 'Good' } });
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().hasTag('submitting')).toBe(true);
  });

  it('SEC-06: works without advice, and says that there is none', () => {
    const form = open(() => ({ type: 'advice.failed' }));
    form.send({ type: 'field.changed', field: 'password', value: 'abc' });
    expect(form.getSnapshot().context.advice).toEqual(away);
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().hasTag('submitting')).toBe(true);
  });
});
