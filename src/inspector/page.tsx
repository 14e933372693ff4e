/** The console's own inspector: actors, their state, and what they were told. Works as a window or as a tab opened later. */
import { useSyncExternalStore } from 'react';
import { clear, type Model, pause, resume, select, shownEvents, stateText, treeRows } from './model.ts';
import type { ActorRecord, EventRecord } from './protocol.ts';
import type { Store } from './store.ts';

export function InspectorPage({ store }: { store: Store }) {
  const model = useSyncExternalStore(store.subscribe, store.current);
  return (
    <>
      <header>
        <h1>Inspector</h1>
        <Controls model={model} update={store.update} />
      </header>
      <main>
        <Actors model={model} onSelect={(id) => store.update((now) => select(now, id))} />
        <Details model={model} />
        <EventLog model={model} />
      </main>
    </>
  );
}

function Controls({ model, update }: { model: Model; update: Store['update'] }) {
  return (
    <div className="controls" role="toolbar" aria-label="Log">
      <span role="status">{model.isPaused ? `Paused, ${model.held.length} waiting` : `${model.events.length} events`}</span>
      <button type="button" aria-pressed={model.isPaused} onClick={() => update(model.isPaused ? resume : pause)}>
        {model.isPaused ? 'Resume' : 'Pause'}
      </button>
      <button type="button" onClick={() => update(clear)}>
        Clear
      </button>
    </div>
  );
}

function Actors({ model, onSelect }: { model: Model; onSelect: (id: string | null) => void }) {
  const rows = treeRows(model);
  return (
    <section aria-labelledby="actors">
      <h2 id="actors">Actors</h2>
      {rows.length === 0 ? (
        <p>
          No console is being inspected. Open one with <code>?inspect</code> in its address.
        </p>
      ) : (
        <ul className="tree">
          <li>
            <button type="button" aria-pressed={model.selectedId === null} onClick={() => onSelect(null)}>
              All actors
            </button>
          </li>
          {rows.map(({ actor, depth }) => (
            <li key={actor.id} className={`depth-${Math.min(depth, 6)}`}>
              <button type="button" aria-pressed={actor.id === model.selectedId} onClick={() => onSelect(actor.id)}>
                <span className="name">{actor.name}</span> <span className="state">{stateText(actor.value)}</span>
                {actor.status === 'active' ? null : <span className={`status ${actor.status}`}> {actor.status}</span>}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Details({ model }: { model: Model }) {
  const actor = model.selectedId === null ? undefined : model.actors.get(model.selectedId);
  return (
    <section aria-labelledby="details">
      <h2 id="details">State</h2>
      {actor ? <ActorDetails actor={actor} /> : <p>Select an actor to see its state.</p>}
    </section>
  );
}

function ActorDetails({ actor }: { actor: ActorRecord }) {
  return (
    <>
      <dl>
        <dt>Actor</dt>
        <dd>{actor.name}</dd>
        <dt>Status</dt>
        <dd>{actor.status}</dd>
        <dt>State</dt>
        <dd>{stateText(actor.value) || '–'}</dd>
        <dt>Tags</dt>
        <dd>{actor.tags.join(', ') || '–'}</dd>
      </dl>
      <pre tabIndex={0} aria-label="Context">
        {JSON.stringify(actor.data, null, 2)}
      </pre>
    </>
  );
}

function EventLog({ model }: { model: Model }) {
  const events = shownEvents(model);
  const nameOf = (id: string | null) => (id === null ? '' : (model.actors.get(id)?.name ?? id.slice(id.indexOf('/') + 1)));
  return (
    <section aria-labelledby="events">
      <h2 id="events">Events</h2>
      {events.length === 0 ? <p>Nothing has happened yet.</p> : null}
      <ol className="log">
        {events.map((event) => (
          <li key={`${event.consoleId}/${event.sequence}`}>
            <EventRow event={event} from={nameOf(event.sourceId)} to={nameOf(event.actorId)} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function EventRow({ event, from, to }: { event: EventRecord; from: string; to: string }) {
  return (
    <details>
      <summary>
        <time dateTime={new Date(event.at).toISOString()}>{new Date(event.at).toISOString().slice(11, 23)}</time> <code>{event.type}</code>{' '}
        <span className="route">
          {from ? `${from} → ` : ''}
          {to}
        </span>
      </summary>
      <pre>{JSON.stringify(event.event, null, 2)}</pre>
    </details>
  );
}
