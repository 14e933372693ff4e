import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { paletteMachine } from '#machines/workspace/palette/machine.ts';
import { silenced } from '#test/machines/silenced.ts';
import { describeWalk } from './walk.ts';

describe('palette', () => {
  describeWalk(paletteMachine, {
    tags: { paletteOpen: ['commands'], sheetOpen: ['shortcuts'] },
    ignored: {
      'It is open already': 'palette.requested in commands',
      'They are shown already': 'shortcuts.requested in shortcuts',
      'There is no list of commands': 'query.changed, row.stepped, row.pointed in closed, shortcuts',
      'Nothing is open': 'palette.dismissed in closed',
    },
    cases: {
      'query.changed': [{ query: 'go' }],
      'row.stepped': [
        { by: 1, count: 2 },
        { by: -1, count: 2 },
      ],
      'row.pointed': [{ index: 1 }],
    },
    distinguish: ({ context }) => [context.query, context.active],
    states: {
      closed: ({ context }) => expect(context).toEqual({ query: '', active: 0 }),
    },
  });

  it('steps round its rows, from the last one where there are fewer now, and begins anew with each query', () => {
    const palette = createActor(silenced(paletteMachine)).start();
    const active = () => palette.getSnapshot().context.active;
    palette.send({ type: 'palette.requested' });
    palette.send({ type: 'row.stepped', by: -1, count: 5 });
    expect(active()).toBe(4);
    palette.send({ type: 'row.stepped', by: 1, count: 3 });
    expect(active()).toBe(0);
    palette.send({ type: 'row.stepped', by: 1, count: 0 });
    expect(active()).toBe(0);
    palette.send({ type: 'row.pointed', index: 2 });
    palette.send({ type: 'query.changed', query: 'keys' });
    expect(active()).toBe(0);
  });
});
