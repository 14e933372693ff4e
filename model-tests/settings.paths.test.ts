import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import { CallError } from '#machines/shared/failure.ts';
import { organizationSettings } from '#machines/workspace/settings/organization.ts';
import type { PlaceDetails, PlaceFields } from '#machines/workspace/settings/place/actors.ts';
import { projectSettings } from '#machines/workspace/settings/project.ts';
import { later } from '../test/machines/people.ts';
import { alone } from '../test/machines/appServices.ts';
import { describeWalks, type Listed, type WalkOptions } from './walk.ts';

const ORGANIZATION: PlaceDetails = { uuid: 'o1', fields: { name: 'Acme', contact_email: 'ann@example.com' } };
const PROJECT: PlaceDetails = { uuid: 'p1', fields: { name: 'Interviews', description: 'Spoken.' } };
const IN_PROJECT = { orgUuid: 'o1', projectUuid: 'p1', drafts: [] };
const IN_ORGANIZATION = { ...IN_PROJECT, projectUuid: '' };

/** Balances, micro-USD. */
const [LEFT, OWED] = [12_500_000, -3_200_000];
/** What is different where there is a balance. */
type Own = Pick<Listed<WalkOptions>, 'tags' | 'ignored' | 'states'> & { cases: WalkOptions['cases'] };

const WITHOUT_BALANCE: Own = {
  tags: { dialog: ['ready.deletion.asking'] },
  ignored: { 'Nothing has failed': 'retry.requested in loading, ready.source.{known, reading}' },
  cases: { 'done deletionForm': [{ outcome: 'done', values: {} }, { outcome: 'dismissed' }] },
};

const WITH_BALANCE: Own = {
  tags: {
    dialog: ['readingBalance', 'balanceUnread', 'owing', 'asking'].map((state) => `ready.deletion.${state}`),
    readingBalance: ['ready.deletion.readingBalance'],
    balanceUnread: ['ready.deletion.balanceUnread'],
    owing: ['ready.deletion.owing'],
    forfeiting: ['ready.deletion.asking.forfeiting'],
  },
  ignored: {
    'Nothing has failed': ['retry.requested in loading', 'retry.requested at times in ready.source.{known, reading}'],
    'The dialog is open already': 'deletion.requested in ready.deletion.{readingBalance, balanceUnread, owing}',
    'The form is dismissed itself, or there is no dialog':
      'deletion.dismissed in failed, loading, ready.deletion.{asking, closed, deleted, forbidden}',
  },
  cases: {
    'done loadBalance': [0, LEFT, OWED],
    'done deletionForm': [
      { outcome: 'done', values: {} },
      { outcome: 'refused', failure: {}, typed: {} },
      { outcome: 'dismissed' },
    ],
  },
  states: {
    'ready.deletion.balanceUnread': ({ context }) => expect(context.balanceFailure).not.toBeNull(),
    'ready.deletion.owing': ({ context }) => expect(context.balanceMicros).toBe(OWED),
    'ready.deletion.asking.nothing': ({ context }) => expect(context.balanceMicros).toBe(0),
    'ready.deletion.asking.forfeiting': ({ context }) => expect(context.balanceMicros).toBe(LEFT),
  },
};

const walked = (details: PlaceDetails, own: Own) => ({
  tags: {
    loading: ['loading'],
    failed: ['failed'],
    outdated: ['ready.source.outdated'],
    deletable: ['ready.deletion.closed', ...(own.tags?.['dialog'] ?? []), 'ready.deletion.deleted'],
    deleted: ['ready.deletion.deleted'],
    ...own.tags,
  },
  ignored: {
    ...own.ignored,
    'The settings are not there, the dialog is open already, or the person may not':
      'deletion.requested in failed, loading, ready.deletion.{asking, deleted, forbidden}',
    'What is read then is new': 'screen.stale, details.saved in failed, loading',
  },
  cases: {
    'done loadDetails': [details],
    'done detailsForm': [
      {
        outcome: 'done',
        answer: { ...details, fields: { ...details.fields, name: 'Talks' } },
        values: {},
      },
      { outcome: 'dismissed' },
    ],
    ...own.cases,
  },
  distinguish: ({ context }: { context: { details: PlaceDetails | null } }) => context.details?.fields.name,
  states: {
    failed: ({ context }: { context: { failure: unknown } }) => expect(context.failure).not.toBeNull(),
    'ready.source.outdated': ({ context }: { context: { failure: unknown; details: PlaceDetails | null } }) => {
      expect(context.failure).not.toBeNull();
      expect(context.details).not.toBeNull();
    },
    'ready.deletion.asking': ({ context }: { context: { role: string } }) =>
      expect(['owner', 'admin']).toContain(context.role),
    ...own.states,
  },
});

describe('ORG-06: the settings of an organization', () => {
  describeWalks(organizationSettings.machine, walked(ORGANIZATION, WITH_BALANCE), {
    owner: { input: { ...IN_ORGANIZATION, role: 'owner' } },
    admin: { input: { ...IN_ORGANIZATION, role: 'admin' } },
  });
});

describe('ORG-06 PAY-18: what becomes of the balance of an organization that is deleted', () => {
  const refused = (errorType: string) => new CallError({ kind: 'HTTP', status: 409, errorType, message: 'No.' });

  /** The dialog over a server that tells these balances, one after the other, and refuses deletions for these reasons, then none. */
  const ask = async (balances: readonly (number | CallError)[], refusals: readonly CallError[] = []) => {
    const [left, errors] = [[...balances], [...refusals]];
    const agreed: string[] = [];
    const settings = createActor(
      alone(organizationSettings.machine).provide({
        actors: {
          loadDetails: fromPromise(async () => ORGANIZATION),
          loadBalance: fromPromise(async ({ input }) => {
            expect(input).toEqual({ orgUuid: 'o1', projectUuid: '' });
            const balance = left.shift();
            if (typeof balance !== 'number') throw balance;
            return balance;
          }),
          deletionForm: organizationSettings.deletionForm.provide({
            actors: {
              submit: fromPromise(async ({ input }) => {
                agreed.push(input.about.forfeitedMicros);
                const error = errors.shift();
                if (error) throw error;
              }),
            },
          }),
        },
      }),
      { input: { ...IN_ORGANIZATION, role: 'owner' } },
    ).start();
    onTestFinished(() => void settings.stop());
    await waitFor(settings, (snapshot) => snapshot.matches('ready'));
    const balanceRead = () =>
      waitFor(settings, (snapshot) => snapshot.hasTag('dialog') && !snapshot.hasTag('readingBalance'));
    const open = () => {
      settings.send({ type: 'deletion.requested' });
      return balanceRead();
    };
    const form = () => settings.getSnapshot().children.deletionForm;
    const submit = () => {
      form()?.send({ type: 'field.changed', field: 'typed', value: 'Acme' });
      form()?.send({ type: 'submit.requested' });
    };
    /** What the dialog says by now. */
    const told = () => {
      const snapshot = settings.getSnapshot();
      const { balanceMicros, hasBalanceChanged } = snapshot.context;
      return {
        balanceMicros,
        hasBalanceChanged,
        isForfeiting: snapshot.hasTag('forfeiting'),
        isOwing: snapshot.hasTag('owing'),
        typed: form()?.getSnapshot().context.values.typed,
      };
    };
    return { settings, agreed, open, balanceRead, form, submit, told };
  };

  it.each([
    [LEFT, true],
    [0, false],
  ])('of %d micro-USD just as much is said to be lost, which is shown: %s', async (balanceMicros, isForfeiting) => {
    const { settings, agreed, open, submit, told } = await ask([balanceMicros]);
    await open();
    expect(told()).toEqual({ balanceMicros, isForfeiting, isOwing: false, hasBalanceChanged: false, typed: '' });
    submit();
    await waitFor(settings, (snapshot) => snapshot.hasTag('deleted'));
    expect(agreed).toEqual([String(balanceMicros)]);
  });

  it('one that owes is not asked for its name; the dialog only closes, and the balance is read anew the next time', async () => {
    const { settings, open, told } = await ask([OWED, 0]);
    await open();
    expect(told()).toEqual({
      balanceMicros: OWED,
      isForfeiting: false,
      isOwing: true,
      hasBalanceChanged: false,
      typed: undefined,
    });
    settings.send({ type: 'deletion.dismissed' });
    expect(settings.getSnapshot().hasTag('dialog')).toBe(false);
    await open();
    expect(told()).toMatchObject({ balanceMicros: 0, isOwing: false, typed: '' });
  });

  it.each([
    ['balance_positive', LEFT, { isForfeiting: true, isOwing: false, typed: '' }],
    ['balance_negative', OWED, { isForfeiting: false, isOwing: true, typed: undefined }],
  ])('a balance that is another one meanwhile is read, and asked about, again: %s', async (errorType, now, shown) => {
    const { settings, agreed, open, balanceRead, submit, told } = await ask([0, now, now], [refused(errorType)]);
    await open();
    submit();
    await waitFor(settings, (snapshot) => snapshot.hasTag('readingBalance'));
    await balanceRead();
    expect(told()).toEqual({ balanceMicros: now, hasBalanceChanged: true, ...shown });
    expect([agreed, settings.getSnapshot().hasTag('deleted')]).toEqual([['0'], false]);
    // Opened anew, the dialog has nothing to tell of that.
    settings.send({ type: 'deletion.dismissed' });
    settings.getSnapshot().children.deletionForm?.send({ type: 'dismiss.requested' });
    await waitFor(settings, (snapshot) => !snapshot.hasTag('dialog'));
    await open();
    expect(told().hasBalanceChanged).toBe(false);
  });

  it('PAY-11: a payment that is under way is told in the form, which stays as it is', async () => {
    const { open, form, submit, told } = await ask([LEFT], [refused('payment_under_way')]);
    await open();
    submit();
    await expect.poll(() => form()?.getSnapshot().context.refusal?.errorType).toBe('payment_under_way');
    expect(told()).toMatchObject({ isForfeiting: true, hasBalanceChanged: false, typed: 'Acme' });
  });

  it('a balance that could not be read is read again by Retry, whatever is read beside it; until then nothing is asked', async () => {
    const away = new CallError({ kind: 'HTTP', status: 503, message: 'Away.' });
    const { settings, open, balanceRead, form, told } = await ask([away, LEFT]);
    await open();
    settings.send({ type: 'screen.stale' });
    await waitFor(settings, ({ children }) => children.loadDetails === undefined);
    const { context } = settings.getSnapshot();
    expect([form(), context.balanceFailure?.message, context.failure]).toEqual([undefined, 'Away.', null]);
    settings.send({ type: 'retry.requested' });
    await balanceRead();
    expect(told()).toMatchObject({ balanceMicros: LEFT, isForfeiting: true });
    expect(settings.getSnapshot().context.balanceFailure).toBeNull();
  });

  it('the dialog can be given up while the balance is read', async () => {
    const { settings, form } = await ask([LEFT]);
    settings.send({ type: 'deletion.requested' });
    expect(settings.getSnapshot().hasTag('readingBalance')).toBe(true);
    settings.send({ type: 'deletion.dismissed' });
    expect([settings.getSnapshot().hasTag('dialog'), form()]).toEqual([false, undefined]);
  });
});

describe('PRJ-02: the settings of a project', () => {
  describeWalks(projectSettings.machine, walked(PROJECT, WITHOUT_BALANCE), {
    admin: { input: { ...IN_PROJECT, role: 'admin' } },
    member: { input: { ...IN_PROJECT, role: 'member' } },
  });

  /** The settings over a server whose answers to reading are given by hand, and that saves what it is sent. */
  const open = async () => {
    const reads: ReturnType<typeof later<PlaceDetails>>[] = [];
    const sent: PlaceFields[] = [];
    const settings = createActor(
      alone(projectSettings.machine).provide({
        actors: {
          loadDetails: fromPromise(() => {
            const read = later<PlaceDetails>();
            reads.push(read);
            return read.promise;
          }),
          detailsForm: projectSettings.detailsForm.provide({
            actors: {
              submit: fromPromise(async ({ input }) => {
                expect(input.about).toEqual({ orgUuid: 'o1', projectUuid: 'p1' });
                sent.push(input.values);
                return { uuid: 'p1', fields: input.values };
              }),
            },
          }),
        },
      }),
      { input: { ...IN_PROJECT, role: 'admin' } },
    ).start();
    onTestFinished(() => void settings.stop());
    reads[0]?.resolve(PROJECT);
    await waitFor(settings, (snapshot) => snapshot.matches('ready'));
    const form = () => {
      const actor = settings.getSnapshot().children.detailsForm;
      if (!actor) throw new Error('There is no form.');
      return actor;
    };
    const type = (field: string, value: string) => form().send({ type: 'field.changed', field, value });
    const save = async () => {
      const before = form();
      before.send({ type: 'submit.requested' });
      await waitFor(settings, () => form() !== before);
    };
    const values = () => form().getSnapshot().context.values;
    const renamed = (name: string): PlaceDetails => ({ ...PROJECT, fields: { ...PROJECT.fields, name } });
    return { settings, reads, sent, form, type, save, values, renamed };
  };

  it('name and description follow the rules of making a project, and a saved name is what the form starts from', async () => {
    const { settings, form, type, save } = await open();
    type('name', ' ');
    type('description', 'x'.repeat(1025));
    form().send({ type: 'submit.requested' });
    expect(form().getSnapshot().context.errors).toEqual({
      name: "Name can't be empty.",
      description: 'Description must be at most 1024 characters.',
    });
    type('name', 'Talks');
    type('description', '');
    await save();
    expect(settings.getSnapshot().context.details?.fields.name).toBe('Talks');
    expect(form().getSnapshot().context.initial).toEqual({ name: 'Talks', description: '' });
  });

  it('CON-30: saving does not undo what somebody else has changed meanwhile', async () => {
    const { settings, reads, sent, type, save, values, renamed } = await open();
    type('description', 'Spoken and sung.');
    settings.send({ type: 'screen.stale' });
    reads[1]?.resolve(renamed('Talks'));
    await waitFor(settings, () => values().name === 'Talks');
    await save();
    expect(sent).toEqual([{ name: 'Talks', description: 'Spoken and sung.' }]);
  });

  it('CON-30: an answer that is older than what was saved does not come back into the fields', async () => {
    const { settings, reads, type, save, values } = await open();
    settings.send({ type: 'screen.stale' });
    type('name', 'Talks');
    await save();
    reads[1]?.resolve(PROJECT);
    await expect.poll(() => settings.getSnapshot().children.loadDetails).toBeUndefined();
    expect([values().name, settings.getSnapshot().context.details?.fields.name]).toEqual(['Talks', 'Talks']);
  });

  it('CON-30: news while it is read make it read again; a failure says so, keeps what is typed, and can be tried again', async () => {
    const { settings, reads, type, values, renamed } = await open();
    type('description', 'Half a sen');
    settings.send({ type: 'screen.stale' });
    settings.send({ type: 'screen.stale' });
    expect(reads).toHaveLength(3);
    reads[1]?.resolve(renamed('Older'));
    reads[2]?.reject(new CallError({ kind: 'HTTP', status: 503, message: 'Away.' }));
    await waitFor(settings, (snapshot) => snapshot.hasTag('outdated'));
    expect(values()).toEqual({ name: 'Interviews', description: 'Half a sen' });
    settings.send({ type: 'retry.requested' });
    reads[3]?.resolve(renamed('Newest'));
    await waitFor(settings, () => values().name === 'Newest');
    expect(settings.getSnapshot().hasTag('outdated')).toBe(false);
    expect(settings.getSnapshot().context.failure).toBeNull();
  });

  it('giving up the dialog deletes nothing, and it can be opened again', async () => {
    const { settings } = await open();
    settings.send({ type: 'deletion.requested' });
    settings.getSnapshot().children.deletionForm?.send({ type: 'dismiss.requested' });
    await waitFor(settings, ({ children }) => children.deletionForm === undefined);
    expect(settings.getSnapshot().hasTag('deleted')).toBe(false);
    expect(settings.getSnapshot().can({ type: 'deletion.requested' })).toBe(true);
  });
});

describe.each([
  ['organization', organizationSettings.deletionForm],
  ['project', projectSettings.deletionForm],
] as const)('ORG-06 PRJ-02: the %s is deleted only by its name, typed', (what, deletionForm) => {
  it.each([
    ['', false],
    ['interviews', false],
    ['Interview', false],
    [' Interviews ', true],
  ])('typing %j deletes it: %s', (typed, isEnough) => {
    const form = createActor(deletionForm, {
      input: { about: { orgUuid: 'o1', projectUuid: 'p1', name: 'Interviews', forfeitedMicros: '0' } },
    }).start();
    form.send({ type: 'field.changed', field: 'typed', value: typed });
    form.send({ type: 'submit.requested' });
    expect(form.getSnapshot().hasTag('submitting')).toBe(isEnough);
    expect(form.getSnapshot().context.errors).toEqual(
      isEnough ? {} : { typed: `Type the name of the ${what} exactly as it is.` },
    );
    form.stop();
  });
});
