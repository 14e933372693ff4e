import { fromCallback } from 'xstate';
import type { SoundCommand, SoundEvent } from '#machines/playground/player/actors.ts';

const MS_PER_SECOND = 1000;
/** Time between reports of the position: short enough to mark words as they are spoken. */
const PROGRESS_MS = 50;

/** The `sound` actor: plays a recording from an address, with an audio element outside of the page. */
export function createSound(createElement: () => HTMLAudioElement = () => new Audio()) {
  return fromCallback<SoundCommand, { url: string }>(({ input, receive, sendBack }) => {
    const element = createElement();
    const say = (event: SoundEvent) => sendBack(event);
    const progress = () => say({ type: 'sound.progressed', positionMs: element.currentTime * MS_PER_SECOND });
    let timer: ReturnType<typeof setInterval> | undefined;
    const rest = () => {
      clearInterval(timer);
      timer = undefined;
    };
    const listeners: Partial<Record<keyof HTMLMediaElementEventMap, () => void>> = {
      durationchange: () =>
        say({
          type: 'sound.loaded',
          durationMs: Number.isFinite(element.duration) ? element.duration * MS_PER_SECOND : null,
        }),
      playing: () => {
        timer ??= setInterval(progress, PROGRESS_MS);
        say({ type: 'sound.started' });
      },
      pause: () => {
        rest();
        // The end fires `pause` as well as `ended`.
        if (!element.ended) say({ type: 'sound.paused' });
      },
      ended: () => {
        rest();
        say({ type: 'sound.ended' });
      },
      error: () => say({ type: 'sound.failed' }),
    };
    for (const [type, listener] of Object.entries(listeners)) element.addEventListener(type, listener);
    receive((command) => {
      switch (command.type) {
        case 'sound.play':
          // The browser refused to start. If it cannot play the file, it fires `error`.
          element.play().catch(() => say({ type: 'sound.paused' }));
          return;
        case 'sound.pause':
          return element.pause();
        case 'sound.seek':
          element.currentTime = command.positionMs / MS_PER_SECOND;
          return;
        case 'sound.rate':
          element.playbackRate = command.rate;
      }
    });
    element.preload = 'metadata';
    element.src = input.url;
    return () => {
      rest();
      for (const [type, listener] of Object.entries(listeners)) element.removeEventListener(type, listener);
      element.pause();
      // Closes the connection.
      element.removeAttribute('src');
      element.load();
    };
  });
}
