import { describe, expect, it } from 'vitest';
import { createActor, fromCallback } from 'xstate';
import type { SoundCommand, SoundEvent } from '#machines/playground/player/actors.ts';
import { playerMachine } from '#machines/playground/player/machine.ts';

function start() {
  const asked: SoundCommand[] = [];
  let say: (event: SoundEvent) => void = () => undefined;
  const player = createActor(
    playerMachine.provide({
      actors: {
        sound: fromCallback(({ receive, sendBack }) => {
          say = sendBack;
          receive((command) => asked.push(command));
        }),
      },
    }),
    { input: { url: '/recording' } },
  ).start();
  return { player, asked, say: (event: SoundEvent) => say(event), context: () => player.getSnapshot().context };
}

describe('a player', () => {
  it('plays from a word that is chosen', () => {
    const { player, asked, say } = start();
    say({ type: 'sound.loaded', durationMs: 9000 });
    player.send({ type: 'word.chosen', startMs: 1200 });
    expect(asked).toEqual([{ type: 'sound.seek', positionMs: 1200 }, { type: 'sound.play' }]);
    expect(player.getSnapshot().hasTag('playing')).toBe(true);
  });

  it('skips no further than the recording goes', () => {
    const { player, asked, say, context } = start();
    say({ type: 'sound.loaded', durationMs: 7000 });
    player.send({ type: 'skip.requested', byMs: -5000 });
    expect(context().positionMs).toBe(0);
    player.send({ type: 'skip.requested', byMs: 5000 });
    player.send({ type: 'skip.requested', byMs: 5000 });
    expect(context().positionMs).toBe(7000);
    expect(asked.at(-1)).toEqual({ type: 'sound.seek', positionMs: 7000 });
  });

  it('steps through its speeds and stays at the last', () => {
    const { player, asked, context } = start();
    for (const _ of [1, 2, 3, 4]) player.send({ type: 'rate.stepped', by: 1 });
    expect(context().rate).toBe(2);
    player.send({ type: 'rate.selected', rate: 0.5 });
    player.send({ type: 'rate.stepped', by: -1 });
    expect(context().rate).toBe(0.5);
    expect(asked.at(-1)).toEqual({ type: 'sound.rate', rate: 0.5 });
  });

  it('ends where the recording ends, and goes on where it was paused', () => {
    const { player, say, context } = start();
    say({ type: 'sound.loaded', durationMs: 7000 });
    player.send({ type: 'toggle.requested' });
    say({ type: 'sound.started' });
    say({ type: 'sound.progressed', positionMs: 6950 });
    player.send({ type: 'toggle.requested' });
    expect(context().positionMs).toBe(6950);
    player.send({ type: 'toggle.requested' });
    say({ type: 'sound.started' });
    say({ type: 'sound.ended' });
    expect(context().positionMs).toBe(7000);
    expect(player.getSnapshot().hasTag('playing')).toBe(false);
  });
});
