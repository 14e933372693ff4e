import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import type { LimitName } from '#contract/limits.ts';
import type { LimitSubject, LimitsRead } from '#machines/workspace/limits/actors.ts';
import { fromTyped, toTyped } from '#machines/workspace/limits/amounts.ts';
import { increaseForm, limitForm } from '#machines/workspace/limits/forms.ts';
import {
  organizationLimitsMachine,
  projectLimitsMachine,
  type LimitsContext,
} from '#machines/workspace/limits/machine.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import { CallError } from '#machines/shared/failure.ts';
import { increase, limit } from '../test/machines/limits.ts';
import { describeWalks, FAILURE, type Listed, type WalkOptions } from './walk.ts';

const STREAMS = limit('concurrent_streams');
const JOBS = limit('waiting_jobs', { own: 5, value: 5, maximum: null });
const READ = { limits: [STREAMS, JOBS], increases: [] };
const RAISED = { limits: [limit('concurrent_streams', { own: 12, value: 12 }), JOBS], increases: [] };

const ended = (answer: unknown) => [{ outcome: 'done', answer, values: {} }, { outcome: 'dismissed' }];

const DIALOG = 'ready.dialog.manageable';

/** What both have; `event` opens a dialog that only one of them has, in the states `open`. */
const walked = (open: string, event: string, more: Listed<WalkOptions>) => ({
  tags: {
    loading: ['loading'],
    failed: ['failed'],
    outdated: ['ready.source.outdated'],
    manageable: [DIALOG],
    ...more.tags,
  },
  refused: [
    { states: [''], event: { type: 'change.requested', limit: 'budget_micros' }, why: 'There is no such limit' },
  ],
  ignored: {
    'Nothing has failed': 'retry.requested in loading, ready.source.{known, due, reading}',
    'What is read then is new': 'screen.stale, limits.changed in failed, loading',
    'It is about to be read': 'screen.stale in ready.source.due',
    'There are no limits yet, the person may not change them, or a dialog is open': `change.requested, ${event} in failed, loading, ready.dialog.forbidden, ${open}`,
    'The dialog is open': `change.requested in ${DIALOG}.changing`,
    ...more.ignored,
  },
  cases: {
    'done loadLimits': [READ],
    'done limitForm': ended(RAISED),
    // Raised by the chart itself.
    'limits.changed': [],
    'change.requested': [{ limit: 'concurrent_streams' }],
    ...more.cases,
  },
  distinguish: ({ context }: { context: LimitsContext }) => [
    context.limits.map(({ own }) => own),
    context.increases.length,
    context.isStale,
  ],
  states: {
    failed: ({ context }: { context: LimitsContext }) => expect(context.failure).not.toBeNull(),
    'ready.source.outdated': ({ context }: { context: LimitsContext }) => {
      expect(context.failure).not.toBeNull();
      expect(context.limits).not.toEqual([]);
    },
    [DIALOG]: ({ context }: { context: LimitsContext }) => expect(['owner', 'admin']).toContain(context.role),
    [`${DIALOG}.closed`]: ({ context }: { context: LimitsContext }) => expect(context.chosen).toBeNull(),
    [`${DIALOG}.changing`]: ({ context }: { context: LimitsContext }) =>
      expect(context.chosen).toBe('concurrent_streams'),
    ...more.states,
  },
});

describe('ORG-07: the limits of an organization', () => {
  describeWalks(
    organizationLimitsMachine,
    walked(`${DIALOG}.asking`, 'increase.requested', {
      ignored: { 'One wish waits already': `increase.requested at times in ${DIALOG}.{closed, changing}` },
      cases: {
        'done increaseForm': [...ended(increase()), { outcome: 'left' }],
        'increase.requested': [{ limit: 'concurrent_streams' }],
      },
      states: {
        [`${DIALOG}.asking`]: ({ context }) => expect(context.increases).toEqual([]),
      },
    }),
    {
      owner: { input: { orgUuid: 'o1', projectUuid: '', role: 'owner' } },
      member: { input: { orgUuid: 'o1', projectUuid: '', role: 'member' } },
    },
  );
});

describe('PRJ-07: the limits of a project', () => {
  describeWalks(
    projectLimitsMachine,
    walked(`${DIALOG}.{confirming, clearing}`, 'clearing.requested', {
      tags: { confirming: [`${DIALOG}.confirming`], clearing: [`${DIALOG}.clearing`] },
      ignored: {
        'One dialog at a time': `clearing.requested in ${DIALOG}.changing`,
        'There is none of its own': `clearing.requested at times in ${DIALOG}.closed`,
        'Nothing was asked': `clearing.confirmed, clearing.dismissed in failed, loading, ready.dialog.forbidden, ${DIALOG}.{closed, changing, clearing}`,
      },
      cases: {
        'done clearLimits': [{ limits: [STREAMS], increases: [] }],
        'failed clearLimits': [FAILURE],
      },
    }),
    {
      admin: { input: { orgUuid: 'o1', projectUuid: 'p1', role: 'admin' } },
      billing: { input: { orgUuid: 'o1', projectUuid: 'p1', role: 'billing' } },
    },
  );
});

describe('ORG-07 PRJ-07: limits as people type them', () => {
  it.each<[LimitName, string, number]>([
    ['concurrent_streams', '10', 10],
    ['stored_bytes', '10', 10 * 2 ** 30],
    ['stored_bytes', '0.5', 2 ** 29],
    ['budget_micros', '50', 50_000_000],
    ['budget_micros', '0.000001', 1],
    ['budget_micros', '12.4', 12_400_000],
    ['audio_minutes', '0', 0],
  ])('%s: %s is %d on the wire, and back', (name, typed, value) => {
    expect(fromTyped(name, typed)).toBe(value);
    expect(toTyped(name, value)).toBe(typed);
  });

  it.each<[LimitName, string]>([
    ['concurrent_streams', ''],
    ['concurrent_streams', '-1'],
    ['concurrent_streams', '1.5'],
    ['concurrent_streams', '1e3'],
    ['concurrent_streams', '1,000'],
    ['concurrent_streams', '9007199254740993'],
    ['stored_bytes', '0.1234'],
    ['stored_bytes', '9007199254740993'],
    ['budget_micros', '0.0000001'],
  ])('%s: %j is none', (name, typed) => {
    expect(fromTyped(name, typed)).toBeNull();
  });

  it('what is finer than can be typed is never rounded up past a maximum', () => {
    expect(toTyped('stored_bytes', 10_000_000_000)).toBe('9.313');
    expect(fromTyped('stored_bytes', '9.313')).toBeLessThanOrEqual(10_000_000_000);
  });
});

describe('the forms of limits', () => {
  const about = { orgUuid: 'o1', projectUuid: '', limit: 'concurrent_streams', maximum: '20' } as const;

  const fill = (value: string, limit: LimitName = 'concurrent_streams', maximum = '20', logic = limitForm) => {
    const form = createActor(logic, { input: { about: { ...about, limit, maximum } } }).start();
    form.send({ type: 'field.changed', field: 'value', value });
    form.send({ type: 'submit.requested' });
    return form;
  };

  it.each([
    ['21', 'This is more than can be set here.'],
    ['ten', 'Enter a whole number.'],
    ['2.5', 'Enter a whole number.'],
  ])('ORG-07: %s is told at the field: %s', (value, error) => {
    expect(fill(value).getSnapshot().context.errors).toEqual({ value: error });
  });

  it('ORG-07: sizes and amounts may have decimals', () => {
    expect(fill('2.5', 'stored_bytes', '').getSnapshot().hasTag('submitting')).toBe(true);
    expect(fill('x', 'budget_micros').getSnapshot().context.errors).toEqual({
      value: 'Enter a number such as 10 or 2.5.',
    });
  });

  it.each(['20', '', ' '])('PRJ-07: %j can be set: up to the maximum, and nothing for what is above', (value) => {
    expect(fill(value).getSnapshot().hasTag('submitting')).toBe(true);
  });

  it('ORG-07: what the server finds too high is told at the field', async () => {
    const refused = limitForm.provide({
      actors: {
        submit: fromPromise<LimitsRead, Submitted<{ value: number | null }, LimitSubject>>(async () => {
          throw new CallError({
            kind: 'HTTP',
            status: 409,
            errorType: 'limit_too_high',
            message: 'At most 12 can be set here.',
          });
        }),
      },
    });
    const form = fill('15', about.limit, about.maximum, refused);
    await waitFor(form, (snapshot) => !snapshot.hasTag('submitting'));
    expect(form.getSnapshot().context).toMatchObject({
      errors: { value: 'At most 12 can be set here.' },
      refusal: null,
      values: { value: '15' },
    });
  });

  it('ORG-07: more is asked for with a reason, and only what can not be set anyway', () => {
    const form = createActor(increaseForm, { input: { about } }).start();
    form.send({ type: 'field.changed', field: 'value', value: '20' });
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().context.errors).toEqual({
      value: 'You can set this much yourself. Enter a higher number.',
      reason: 'Say what it is for.',
    });
    form.send({ type: 'field.changed', field: 'value', value: '50' });
    form.send({ type: 'field.changed', field: 'reason', value: 'A call center.' });
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().hasTag('submitting')).toBe(true);
  });
});
