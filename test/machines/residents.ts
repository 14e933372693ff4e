// For a parent in a test: the residents of a page, and charts without any.
import { fromCallback, type AnyEventObject, type AnyStateMachine } from 'xstate';

/** Stands in for each resident: hands on what is announced to it. */
export const residentTelling = (hear: (event: AnyEventObject) => void) => fromCallback(({ receive }) => receive(hear));

/** Invoked, before anything else, by a parent that has {@link residentTelling} as its actor `resident`. */
export const RESIDENTS = [
  { id: 'toasts', src: 'resident', systemId: 'toasts' },
  { id: 'navigation', src: 'resident', systemId: 'navigation' },
  { id: 'session', src: 'resident', systemId: 'session' },
] as const;

/** The chart for a test without a parent: what it would tell one is not heard. */
export const alone = <Machine extends AnyStateMachine>(machine: Machine): Machine =>
  machine.provide({ actions: { tell: () => undefined } }) as Machine;
