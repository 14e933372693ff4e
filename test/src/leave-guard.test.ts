import { expect, it } from 'vitest';
import { createActor } from 'xstate';
import { createLeaveGuard } from '#src/effects/leaveGuard.ts';
import { createStayGuard } from '#src/effects/stayGuard.ts';
import { secretRevealMachine } from '#machines/secretReveal/machine.ts';

it('the page asks before it goes as long as the guard runs, and listens no longer', () => {
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

it('PRJ-03: a try to go elsewhere in the console while a secret is not copied is held, and asks instead', () => {
  const tries = new Set<() => void>();
  const stayGuard = createStayGuard((onTry) => {
    tries.add(onTry);
    return () => void tries.delete(onTry);
  });
  const reveal = createActor(secretRevealMachine.provide({ actors: { stayGuard } }), { input: { secret: 'prl_0123456789', name: 'CI' } }).start();
  expect(tries.size).toBe(1);
  for (const onTry of tries) onTry();
  expect(reveal.getSnapshot().hasTag('asking')).toBe(true);
  reveal.send({ type: 'dismiss.confirmed' });
  expect(tries.size).toBe(0);
});
