import type { ActorRefLike, InspectionEvent } from 'xstate';
import { type ActorRecord, type Channel, EVENTS_KEPT, type EventRecord, INSPECTOR_CHANNEL, INSPECTOR_PATH, isInspectorMessage, type InspectorMessage } from '../inspector/protocol.ts';
import { type Plain, redact } from './redact.ts';

export type Observe = (event: InspectionEvent) => void;

export type Inspection = {
  /** To be handed to `createActor` as `inspect`. */
  observe: Observe;
  stop: () => void;
};

/**
 * What the page's `?inspect` asks for: the console's own inspector page, or with `?inspect=stately` the hosted one.
 * Undefined without it. Everything is redacted before it leaves the page.
 */
export async function startInspection(pageUrl: URL): Promise<Inspection | undefined> {
  const wish = pageUrl.searchParams.get('inspect');
  if (wish === null) return undefined;
  if (wish === 'stately') return (await import('./inspectHosted.ts')).startHostedInspection();
  const inspection = inspectOver(new BroadcastChannel(INSPECTOR_CHANNEL), crypto.randomUUID());
  window.addEventListener('pagehide', inspection.stop, { once: true });
  // Where the browser blocks the window, the user opens the page in a tab; it catches up.
  window.open(INSPECTOR_PATH, 'parlance-inspector');
  return inspection;
}

/** Tells a channel of every actor of one console, and repeats what is known to pages that are opened late. */
export function inspectOver(channel: Channel, consoleId: string, now: () => number = Date.now): Inspection {
  const actors = new Map<string, ActorRecord>();
  let events: EventRecord[] = [];
  let sequence = 0;
  const post = (message: InspectorMessage) => channel.postMessage(message);
  const replay = () => post({ type: 'console.replayed', consoleId, actors: [...actors.values()], events });
  const idOf = (actor: ActorRefLike) => `${consoleId}/${actor.sessionId}`;

  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isInspectorMessage(data) && data.type === 'inspector.opened') replay();
  });
  replay();

  function keepActor(actor: ActorRefLike, snapshot: unknown) {
    const record = { ...identify(actor), ...describe(snapshot) };
    actors.set(record.id, record);
    post({ type: 'actor.changed', actor: record });
  }

  function identify(actor: ActorRefLike) {
    const parent = fieldOf(actor, '_parent');
    return {
      id: idOf(actor),
      parentId: isActor(parent) ? idOf(parent) : null,
      name: nameOf(actor),
    };
  }

  const observe: Observe = (inspected) => {
    // An actor that is being made has no snapshot yet.
    if (inspected.type === '@xstate.actor') keepActor(inspected.actorRef, undefined);
    else if (inspected.type === '@xstate.snapshot') keepActor(inspected.actorRef, inspected.snapshot);
    else if (inspected.type === '@xstate.event') {
      sequence += 1;
      const event: EventRecord = {
        sequence,
        consoleId,
        at: now(),
        actorId: idOf(inspected.actorRef),
        sourceId: inspected.sourceRef ? idOf(inspected.sourceRef) : null,
        type: inspected.event.type,
        event: redact(inspected.event),
      };
      events = [...events.slice(1 - EVENTS_KEPT), event];
      post({ type: 'event.received', event });
    }
  };
  return {
    observe,
    stop: () => {
      post({ type: 'console.ended', consoleId });
      channel.close();
    },
  };
}

/** As the charts call it; the root has no name of its own but its chart's. */
function nameOf(actor: ActorRefLike): string {
  const id = fieldOf(actor, 'id');
  const own = fieldOf(actor, 'systemId') ?? (id === actor.sessionId ? fieldOf(fieldOf(actor, 'logic'), 'id') : id);
  return typeof own === 'string' ? own : actor.sessionId;
}

/** The telling part of any actor's snapshot. */
function describe(snapshot: unknown): Pick<ActorRecord, 'status' | 'value' | 'tags' | 'data'> {
  const tags = fieldOf(snapshot, 'tags');
  const status = fieldOf(snapshot, 'status');
  return {
    status: typeof status === 'string' ? status : 'active',
    value: plainValue(fieldOf(snapshot, 'value')),
    tags: tags instanceof Set ? [...tags].map(String) : [],
    data: redact(
      Object.fromEntries(['context', 'input', 'output', 'error'].map((key) => [key, fieldOf(snapshot, key)]).filter(([, value]) => value !== undefined)),
    ),
  };
}

/** Names of states are no secrets, also where one is called 'refresh'. */
function plainValue(value: unknown): Plain {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainValue(inner)]));
}

const fieldOf = (value: unknown, key: string): unknown => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined);
const isActor = (value: unknown): value is ActorRefLike => typeof value === 'object' && value !== null && 'sessionId' in value && 'getSnapshot' in value;
