// For a parent in a test: the app services of a page, and charts without any.
import { fromCallback, type AnyEventObject, type AnyStateMachine } from 'xstate';

/** Stands in for each app service: hands on what is sent to it. */
export const appServiceHearing = (hear: (event: AnyEventObject) => void) =>
  fromCallback(({ receive }) => receive(hear));

/** Invoked, before anything else, by a parent that has {@link appServiceHearing} as its actor `appService`. */
export const APP_SERVICES = [
  { id: 'toasts', src: 'appService', systemId: 'toasts' },
  { id: 'navigation', src: 'appService', systemId: 'navigation' },
  { id: 'session', src: 'appService', systemId: 'session' },
  { id: 'preferences', src: 'appService', systemId: 'preferences' },
] as const;

/** The chart for a test without a parent: what it would tell one is not heard. */
export const alone = <Machine extends AnyStateMachine>(machine: Machine): Machine =>
  machine.provide({ actions: { notifyParent: () => undefined } }) as Machine;
