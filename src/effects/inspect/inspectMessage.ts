/** Converts the library's messages: lists every field that may leave the page, and redacts the data of charts. */
import type { StatelyInspectionEvent } from '@statelyai/inspect';
import type { EventShown, InspectionMessage, SnapshotRecord } from '../../inspector/protocol.ts';
import { type Plain, redact } from './redact.ts';

const HELD = ['context', 'input', 'output', 'error'] as const;

/** The library's message without secrets, as plain data. */
export function toMessage(event: StatelyInspectionEvent): InspectionMessage {
  const { sessionId, rootId, createdAt, _version } = event;
  const base = { sessionId, rootId, createdAt, id: '', _version };
  switch (event.type) {
    case '@xstate.actor':
      // A promise has no chart, so no name.
      return {
        ...base,
        type: event.type,
        name: event.name ?? sessionId,
        parentId: event.parentId,
        definition: toDefinition(event.definition),
        snapshot: toSnapshot(event.snapshot),
      };
    case '@xstate.snapshot':
      return { ...base, type: event.type, snapshot: toSnapshot(event.snapshot), event: toEvent(event.event) };
    case '@xstate.event':
      return { ...base, type: event.type, event: toEvent(event.event), sourceId: event.sourceId };
  }
}

function toEvent(event: { type: string }): EventShown {
  const shown = redact(event);
  return { ...(typeof shown === 'object' && shown !== null && !Array.isArray(shown) ? shown : {}), type: event.type };
}

/** A chart as JSON without context and inputs. It is not redacted, because that could remove names of states. */
function toDefinition(definition: string | undefined): string | undefined {
  return definition === undefined ? undefined : JSON.stringify(withoutData(JSON.parse(definition)));
}

function withoutData(node: unknown): unknown {
  if (!isRecord(node)) return node;
  const { context: _context, invoke, states, ...rest } = node;
  const invoked = Array.isArray(invoke) ? invoke.map(withoutInput) : withoutInput(invoke);
  return {
    ...rest,
    ...(invoked === undefined ? {} : { invoke: invoked }),
    ...(isRecord(states)
      ? { states: Object.fromEntries(Object.entries(states).map(([name, state]) => [name, withoutData(state)])) }
      : {}),
  };
}

function withoutInput(invoked: unknown): unknown {
  if (!isRecord(invoked)) return invoked;
  const { input: _input, ...rest } = invoked;
  return rest;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The shown part of an actor's snapshot. */
export function toSnapshot(snapshot: unknown): SnapshotRecord {
  const status = fieldOf(snapshot, 'status');
  const record: SnapshotRecord = { status: typeof status === 'string' ? status : 'active' };
  const value = fieldOf(snapshot, 'value');
  const tags = fieldOf(snapshot, 'tags');
  if (value !== undefined) record.value = namesOf(value);
  if (tags instanceof Set || Array.isArray(tags)) record.tags = Array.from(tags, String);
  for (const key of HELD) {
    const held = fieldOf(snapshot, key);
    if (held !== undefined) record[key] = redact(held);
  }
  return record;
}

/** Copies a state value without redacting, because a state may be called 'refresh'. */
function namesOf(value: unknown): Plain {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, namesOf(inner)]));
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
