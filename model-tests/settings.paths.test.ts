import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import { CallError } from '#machines/shared/failure.ts';
import { organizationSettings } from '#machines/workspace/settings/organization.ts';
import type { PlaceDetails, PlaceFields } from '#machines/workspace/settings/place/actors.ts';
import { projectSettings } from '#machines/workspace/settings/project.ts';
import { later } from '../test/machines/people.ts';
import { alone } from '../test/machines/residents.ts';
import { describeWalks } from './walk.ts';

const ORGANIZATION: PlaceDetails = { uuid: 'o1', fields: { name: 'Acme', contact_email: 'ann@example.com' } };
const PROJECT: PlaceDetails = { uuid: 'p1', fields: { name: 'Interviews', description: 'Spoken.' } };
const IN_PROJECT = { orgUuid: 'o1', projectUuid: 'p1', drafts: [] };
const IN_ORGANIZATION = { ...IN_PROJECT, projectUuid: '' };

const walked = (details: PlaceDetails) => ({
  tags: {
    loading: ['loading'],
    failed: ['failed'],
    outdated: ['ready.source.outdated'],
    deletable: ['ready.deletion.closed', 'ready.deletion.asking', 'ready.deletion.deleted'],
    deleted: ['ready.deletion.deleted'],
  },
  ignored: {
    'Nothing has failed': 'retry.requested in loading, ready.source.{known, reading}',
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
    'done deletionForm': [{ outcome: 'done', values: {} }, { outcome: 'dismissed' }],
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
  },
});

describe('ORG-06: the settings of an organization', () => {
  describeWalks(organizationSettings.machine, walked(ORGANIZATION), {
    owner: { input: { ...IN_ORGANIZATION, role: 'owner' } },
    admin: { input: { ...IN_ORGANIZATION, role: 'admin' } },
  });
});

describe('PRJ-02: the settings of a project', () => {
  describeWalks(projectSettings.machine, walked(PROJECT), {
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

  it('CON-30: news while it is read have it read again; where that fails, it says so, keeps what is typed, and can be tried again', async () => {
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
      input: { about: { orgUuid: 'o1', projectUuid: 'p1', name: 'Interviews' } },
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
