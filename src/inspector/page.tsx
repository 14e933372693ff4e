/** The console's own inspector: actors, their state and their events. Works as a window or as a tab opened later. */
import { useState, useSyncExternalStore } from 'react';
import { JsonTree } from './json.tsx';
import { EventLog } from './log.tsx';
import { type Actor, actorTrees, type Branch, type Model, select, showEnded, stateText } from './model.ts';
import type { Store } from './store.ts';

export type OpenHosted = (onConnected: () => void) => void;

export function InspectorPage({ store, openHosted }: { store: Store; openHosted: OpenHosted }) {
  const model = useSyncExternalStore(store.subscribe, store.current);
  return (
    <>
      <header>
        <h1>Inspector</h1>
        <div className="controls">
          <a href="/">Back to the console</a>
          <Hosted open={openHosted} />
        </div>
      </header>
      <main>
        <Actors model={model} update={store.update} />
        <Details model={model} />
        <EventLog model={model} update={store.update} />
      </main>
    </>
  );
}

const HOSTED_WORDS = { closed: '', waiting: 'Waiting for stately.ai…', connected: 'Connected to stately.ai' };

function Hosted({ open }: { open: OpenHosted }) {
  const [state, setState] = useState<keyof typeof HOSTED_WORDS>('closed');
  const onClick = () => {
    setState('waiting');
    open(() => setState('connected'));
  };
  return (
    <div className="controls">
      <span role="status">{HOSTED_WORDS[state]}</span>
      <button type="button" title="Sends what this page shows to stately.ai" onClick={onClick}>
        Open in Stately inspector
      </button>
    </div>
  );
}

function Actors({ model, update }: { model: Model; update: Store['update'] }) {
  const trees = actorTrees(model);
  return (
    <section aria-labelledby="actors">
      <div className="heading">
        <h2 id="actors">Actors</h2>
        <label>
          <input
            type="checkbox"
            checked={model.areEndedShown}
            onChange={({ target }) => update((now) => showEnded(now, target.checked))}
          />{' '}
          Show ended
        </label>
      </div>
      {trees.length === 0 ? (
        <p role="status">
          Waiting for a console… Open one with <code>?inspect</code> in its address.
        </p>
      ) : (
        <Branches branches={trees} selectedId={model.selectedId} onSelect={(id) => update((now) => select(now, id))} />
      )}
    </section>
  );
}

type BranchesProps = { branches: Branch[]; selectedId: string | null; onSelect: (id: string) => void };

function Branches({ branches, selectedId, onSelect }: BranchesProps) {
  return (
    <ul className="tree">
      {branches.map(({ actor, children }) => (
        <li key={actor.id}>
          <button
            type="button"
            aria-pressed={actor.id === selectedId}
            title={`${actor.name} ${stateText(actor.snapshot.value)}`}
            onClick={() => onSelect(actor.id)}
          >
            <span className="name">{actor.name}</span> <span className="state">{stateText(actor.snapshot.value)}</span>
            {actor.snapshot.status === 'active' ? null : (
              <span className={`status ${actor.snapshot.status}`}> {actor.snapshot.status}</span>
            )}
          </button>
          {children.length > 0 ? <Branches branches={children} selectedId={selectedId} onSelect={onSelect} /> : null}
        </li>
      ))}
    </ul>
  );
}

function Details({ model }: { model: Model }) {
  const actor = model.selectedId === null ? undefined : model.actors.get(model.selectedId);
  return (
    <section aria-labelledby="details">
      <h2 id="details">State</h2>
      {actor ? <ActorDetails key={actor.id} actor={actor} /> : <p>Select an actor to see its state.</p>}
    </section>
  );
}

function ActorDetails({ actor }: { actor: Actor }) {
  const { status, value, tags, context, input, output, error } = actor.snapshot;
  return (
    <>
      <dl>
        <dt>Actor</dt>
        <dd>{actor.name}</dd>
        <dt>Status</dt>
        <dd>{status}</dd>
        <dt>State</dt>
        <dd>{stateText(value) || '–'}</dd>
        <dt>Tags</dt>
        <dd>{tags?.join(', ') || '–'}</dd>
      </dl>
      {Object.entries({ context, input, output, error }).map(([name, value]) =>
        value === undefined ? null : (
          <JsonTree key={name} name={name} value={value} openTo={name === 'error' ? 2 : 1} />
        ),
      )}
    </>
  );
}
