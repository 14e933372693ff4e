import { describe, expect, it } from 'vitest';
import { switcherMachine, type SwitcherEntry, type SwitcherEvent } from '#machines/root/switcher/machine.ts';
import { foundIn } from '#machines/root/switcher/select.ts';
import { describeWalk } from './walk.ts';
import { underParent } from '../test/machines/playground-fixtures.ts';

const entries: readonly SwitcherEntry[] = ['Archive', 'Field notes', 'Field recordings'].map((name, index) => ({
  uuid: `${index}a`,
  name,
  to: { screen: 'project', orgUuid: 'o', projectUuid: `${index}a` },
}));

describe('switcher', () => {
  describeWalk(switcherMachine, {
    tags: { organizationOpen: ['open.organization'], projectOpen: ['open.project'], accountOpen: ['account'] },
    ignored: {
      'Nothing is open': 'switcher.dismissed in closed',
      'No list is open': 'search.changed, row.stepped, row.pointed, entry.chosen in account, closed',
    },
    cases: {
      'switcher.requested': [
        { switcher: 'organization' },
        { switcher: 'project', at: 2 },
        { switcher: 'project', at: -1 },
        { switcher: 'account' },
      ],
      'switcher.dismissed': [{}, { switcher: 'organization' }, { switcher: 'project' }, { switcher: 'account' }],
      'search.changed': [{ query: 'field' }],
      'row.stepped': [
        { by: 1, count: 3 },
        { by: 1, count: 0 },
      ],
      'row.pointed': [{ index: 1 }],
      'entry.chosen': [{ found: entries }, { found: [] }],
    },
    distinguish: ({ context }) => context,
    states: {
      closed: ({ context }) => expect(context).toEqual({ query: '', active: 0 }),
    },
  });

  /** The switcher of the projects, open at an entry, with what is announced. */
  function opened(at: number) {
    const { child: switcher, told: heard } = underParent(switcherMachine, undefined);
    const send = (...events: readonly SwitcherEvent[]) => {
      for (const event of events) switcher.send(event);
    };
    send({ type: 'switcher.requested', switcher: 'project', at });
    const enter = () => send({ type: 'entry.chosen', found: foundIn(entries, switcher.getSnapshot().context.query) });
    return { switcher, heard, send, enter };
  }

  it('CON-06: Enter opens the entry that is marked: the current one, the first that is found, or where the arrow keys led', () => {
    const atOnce = opened(1);
    atOnce.enter();
    expect(atOnce.heard).toEqual([{ type: 'navigate.requested', to: entries[1]?.to }]);
    expect(atOnce.switcher.getSnapshot().value).toBe('closed');

    const searched = opened(0);
    searched.send({ type: 'search.changed', query: ' RECORD ' });
    searched.enter();
    expect(searched.heard.map(({ to }) => to)).toEqual([entries[2]?.to]);

    const stepped = opened(0);
    stepped.send({ type: 'search.changed', query: 'field' }, { type: 'row.stepped', by: -1, count: 2 });
    stepped.enter();
    expect(stepped.heard.map(({ to }) => to)).toEqual([entries[2]?.to]);
  });

  it('CON-06: a list that says late that it closes leaves the one that has opened since', () => {
    const { switcher, send } = opened(0);
    send({ type: 'search.changed', query: 'field' }, { type: 'switcher.requested', switcher: 'organization', at: 2 });
    send({ type: 'switcher.dismissed', switcher: 'project' }, { type: 'switcher.dismissed', switcher: 'account' });
    expect(switcher.getSnapshot().hasTag('organizationOpen')).toBe(true);
    expect(switcher.getSnapshot().context).toEqual({ query: '', active: 2 });
    send({ type: 'switcher.requested', switcher: 'account' }, { type: 'switcher.dismissed', switcher: 'organization' });
    expect(switcher.getSnapshot().hasTag('accountOpen')).toBe(true);
    send({ type: 'switcher.dismissed' });
    expect(switcher.getSnapshot().value).toBe('closed');
  });

  it('CON-06: Enter where nothing is found stays where it is', () => {
    const { switcher, heard, send, enter } = opened(0);
    send({ type: 'search.changed', query: 'nothing of that name' });
    enter();
    expect(heard).toEqual([]);
    expect(switcher.getSnapshot().hasTag('projectOpen')).toBe(true);
  });

  it('CON-06: a search finds a part of a name, or the beginning of a UUID', () => {
    const found = (query: string) => foundIn(entries, query).map(({ name }) => name);
    expect(found('')).toHaveLength(3);
    expect(found('ield R')).toEqual(['Field recordings']);
    expect(found('0a')).toEqual(['Archive']);
    expect(found('a')).toEqual(['Archive']);
  });
});
