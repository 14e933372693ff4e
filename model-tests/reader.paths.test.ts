import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { readerMachine } from '#machines/playground/reader/machine.ts';
import { playgroundRoute as route } from '../test/machines/playground-fixtures.ts';
import { alone } from '../test/machines/appServices.ts';
import { describeWalk } from './walk.ts';

describe('reading the transcript on screen', () => {
  describeWalk(readerMachine, {
    ignored: {},
    input: { route: route() },
    cases: {
      'route.changed': [{ route: route({ show: 'original', lines: true }) }],
      'display.changed': [{ display: { option: 'translation', isSplit: null } }],
    },
    distinguish: ({ context }) => context.route,
  });

  const start = () => {
    const said: unknown[] = [];
    const reader = createActor(
      alone(readerMachine).provide({ actions: { sendToApp: (_: unknown, told: unknown) => said.push(told) } as never }),
      { input: { route: route({ mode: 'real-time', show: 'original' }) } },
    ).start();
    const { display, exporter, search, selection } = reader.getSnapshot().children;
    if (!display || !exporter || !search || !selection) throw new Error('A child is missing.');
    return { reader, said, display, exporter, search, selection };
  };

  it('TRN-03: displays the transcript as the address says, at the start and after each change', () => {
    const { reader, display, said } = start();
    expect(display.getSnapshot().context).toEqual({ option: 'original', isSplit: null });
    reader.send({ type: 'route.changed', route: route({ show: 'translation', lines: false }) });
    expect(display.getSnapshot().context).toEqual({ option: 'translation', isSplit: false });
    expect(said).toEqual([]);
  });

  it('TRN-03: puts each choice into the address that is current, without a step in the history', () => {
    const { reader, display, said } = start();
    reader.send({ type: 'route.changed', route: route({ transcriptionId: 't1', show: 'original' }) });
    display.send({ type: 'split.chosen', isSplit: true });
    display.send({ type: 'option.selected', option: 'everything' });
    expect(said).toEqual([
      {
        type: 'navigate.requested',
        replace: true,
        to: route({ transcriptionId: 't1', show: 'original', lines: true }),
      },
      { type: 'navigate.requested', replace: true, to: route({ transcriptionId: 't1', lines: true }) },
    ]);
  });

  it('CON-26: forgets with the address that the browser refused to save a file', async () => {
    const { reader, exporter } = start();
    // Alone, the effect is a placeholder, which fails.
    exporter.send({ type: 'download.requested', name: 'talk.mp3', tokens: [], side: 'everything' });
    await expect.poll(() => exporter.getSnapshot().hasTag('refused')).toBe(true);
    reader.send({ type: 'route.changed', route: route() });
    expect(exporter.getSnapshot().hasTag('refused')).toBe(false);
  });

  it('TRN-05: keeps search and selection where only the address changes', () => {
    const { reader, search, selection } = start();
    search.send({ type: 'search.requested' });
    selection.send({ type: 'selection.made', rows: [3] });
    reader.send({ type: 'route.changed', route: route({ panel: 'history' }) });
    expect(search.getSnapshot().hasTag('open')).toBe(true);
    expect(selection.getSnapshot().context.rows).toEqual([3]);
  });
});
