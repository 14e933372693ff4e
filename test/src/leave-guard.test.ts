import { expect, it } from 'vitest';
import { createActor } from 'xstate';
import { createLeaveGuard } from '#src/effects/leaveGuard.ts';

it('UPL-01: the page asks before it goes as long as the guard runs, and listens no longer', () => {
  const port = new EventTarget();
  const leave = () => {
    const event = new Event('beforeunload', { cancelable: true });
    port.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(leave()).toBe(false);
  // The window is an event target; the guard uses no more of it.
  const actor = createActor(createLeaveGuard(port as Window)).start();
  expect(leave()).toBe(true);
  actor.stop();
  expect(leave()).toBe(false);
});
