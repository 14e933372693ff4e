import { expect, it, vi } from 'vitest';
import type { SoundCommand, SoundEvent } from '#machines/playground/player/actors.ts';
import { createSound } from '#src/effects/audio/sound.ts';
import { noted } from '../../noted.ts';

/** A parent that owns the sound of an element which does nothing by itself. */
function open() {
  const element = Object.assign(new EventTarget(), {
    duration: Number.NaN,
    currentTime: 0,
    playbackRate: 1,
    ended: false,
    src: '',
    play: vi.fn(() => Promise.resolve()),
    pause: vi.fn(),
    load: vi.fn(),
    removeAttribute: vi.fn(),
  });
  const { said, actor, stop } = noted<SoundEvent>(
    createSound(() => element as unknown as HTMLAudioElement),
    { url: 'blob:1' },
  );
  return {
    element,
    heard: said,
    close: stop,
    fire: (type: string) => element.dispatchEvent(new Event(type)),
    command: (command: SoundCommand) => actor.send(command),
  };
}

it.each([
  [12.5, 12_500],
  [Number.POSITIVE_INFINITY, null],
])('a sound of %d s says its length in milliseconds, none where it has no end', (duration, durationMs) => {
  const { element, fire, heard } = open();
  element.duration = duration;
  fire('durationchange');
  expect(heard).toEqual([{ type: 'sound.loaded', durationMs }]);
});

it('a sound that plays says its place twenty times a second, until it pauses', () => {
  vi.useFakeTimers();
  const { element, fire, heard } = open();
  fire('playing');
  element.currentTime = 0.1;
  vi.advanceTimersByTime(100);
  fire('pause');
  vi.advanceTimersByTime(1000);
  const progressed = { type: 'sound.progressed', positionMs: 100 };
  expect(heard).toEqual([{ type: 'sound.started' }, progressed, progressed, { type: 'sound.paused' }]);
});

it('a sound that has ended says so once, not that it paused as well', () => {
  const { element, fire, heard } = open();
  element.ended = true;
  fire('pause');
  fire('ended');
  expect(heard).toEqual([{ type: 'sound.ended' }]);
});

it('a sound that the browser refuses to play has paused', async () => {
  const { element, command, heard } = open();
  element.play.mockRejectedValue(new DOMException('no', 'NotAllowedError'));
  command({ type: 'sound.play' });
  await vi.waitFor(() => expect(heard).toEqual([{ type: 'sound.paused' }]));
});

it('a sound that is closed stops, lets go of its connection and says nothing more', () => {
  const { element, fire, close, heard } = open();
  close();
  expect(element.pause).toHaveBeenCalledOnce();
  expect(element.removeAttribute).toHaveBeenCalledExactlyOnceWith('src');
  expect(element.load).toHaveBeenCalledOnce();
  fire('error');
  expect(heard).toEqual([]);
});
