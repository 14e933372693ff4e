import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { CallError } from '#machines/shared/failure.ts';
import { lookupMachine } from '#machines/workspace/palette/lookup.ts';
import { paletteMachine } from '#machines/workspace/palette/machine.ts';
import { silenced } from '#test/machines/silenced.ts';
import { describeWalk, describeWalks } from './walk.ts';

const ID = '6f1e4a52-8a3b-4c0d-9a56-0d6c3f1b2a10';
const PLACE = { orgUuid: 'o1', projectUuid: 'p1', mayOpen: true };
const gone = new CallError({ message: 'Not found.', kind: 'HTTP', status: 404 });
const away = new CallError({ message: 'Away.', kind: 'FETCH_ERROR' });

describe('UXP-112: what has an id', () => {
  describeWalks(
    lookupMachine,
    {
      tags: {
        looking: ['askingLog', 'askingTranscription', 'askingFile'],
        unknown: ['unknown'],
        failed: ['failed'],
      },
      ignored: {},
      cases: {
        'done loadLog': [{ id: 'log', transcription_id: 'one' }],
        'failed loadLog': [gone, away],
        'done readListed': [
          null,
          { kind: 'file', item: { id: 'one' } },
          { kind: 'transcription', item: { id: 'one' } },
        ],
        'failed readListed': [away],
      },
      states: {
        found: ({ context }) => expect(Object.values(context.found).some((id) => id !== null)).toBe(true),
        unknown: ({ context }) => expect(Object.values(context.found)).toEqual([null, null, null]),
      },
    },
    {
      'for who may open the playground': { input: { place: PLACE, id: ID } },
      'for who may not': {
        input: { place: { ...PLACE, mayOpen: false }, id: ID },
      },
    },
  );
});

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
      'query.changed': [{ query: 'go' }, { query: ` ${ID.toUpperCase()} ` }],
      'place.selected': [{ place: PLACE }, { place: null }],
      'row.stepped': [
        { by: 1, count: 2 },
        { by: -1, count: 2 },
      ],
      'row.pointed': [{ index: 1 }],
    },
    distinguish: ({ context }) => [context.query, context.active, context.place !== null],
    states: {
      closed: ({ context }) => expect(context).toMatchObject({ query: '', active: 0 }),
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
