/** The log: every event with its sender and receiver, and every new state. */
import { useState } from 'react';
import { JsonTree } from './json.tsx';
import {
  actorTrees,
  differenceText,
  type Branch,
  clear,
  filterBy,
  type LogRow,
  type Model,
  nameOf,
  pause,
  resume,
  ROWS_MAX,
  showInternals,
  shownRows,
  stateText,
} from './model.ts';
import type { Store } from './store.ts';

type Props = { model: Model; update: Store['update'] };

export function EventLog({ model, update }: Props) {
  const rows = shownRows(model);
  const shown = rows.slice(0, ROWS_MAX);
  const total = rows.length > shown.length ? `, the last ${shown.length} shown` : '';
  return (
    <section aria-labelledby="events">
      <div className="heading">
        <h2 id="events">Log</h2>
        <span role="status">
          {model.isPaused
            ? `Paused, ${model.waiting.length} waiting`
            : `${rows.length} of ${model.rows.length}${total}`}
        </span>
      </div>
      <Controls model={model} update={update} />
      {shown.length === 0 ? <p>Nothing to show.</p> : null}
      <ol className="log" aria-label="Newest first">
        {shown.map((row, index) => (
          <li key={row.id}>
            <Row
              row={row}
              before={rows[index + 1]?.at}
              from={nameOf(model.actors, row.sourceId)}
              to={nameOf(model.actors, row.actorId)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Controls({ model, update }: Props) {
  const options = flatten(actorTrees(model));
  return (
    <div className="controls" role="group" aria-label="Log">
      <select
        aria-label="Actor"
        value={model.filter.actorId ?? ''}
        onChange={({ target }) => update((now) => filterBy(now, { actorId: target.value || null }))}
      >
        <option value="">All actors</option>
        {options.map(({ actor }) => (
          <option key={actor.id} value={actor.id}>
            {actor.name} {stateText(actor.snapshot.value)}
          </option>
        ))}
      </select>
      <input
        type="search"
        aria-label="Text"
        placeholder="Text or -text"
        value={model.filter.text}
        onChange={({ target }) => update((now) => filterBy(now, { text: target.value }))}
      />
      <button type="button" aria-pressed={model.isPaused} onClick={() => update(model.isPaused ? resume : pause)}>
        Pause
      </button>
      <button type="button" onClick={() => update(clear)}>
        Clear
      </button>
      <label>
        <input
          type="checkbox"
          checked={model.areInternalsShown}
          onChange={({ target }) => update((now) => showInternals(now, target.checked))}
        />{' '}
        Show internals
      </label>
    </div>
  );
}

const flatten = (branches: Branch[]): Branch[] => branches.flatMap((branch) => [branch, ...flatten(branch.children)]);

/** A row, with the time since the row before. Renders the event's data only while its row is open: there are hundreds of rows. */
function Row({ row, before, from, to }: { row: LogRow; before: Date | undefined; from: string; to: string }) {
  const [isOpen, setOpen] = useState(false);
  const time = row.at.toISOString();
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary title={row.title}>
        <time dateTime={time}>{time.slice(11, 23)}</time>{' '}
        {before ? <span className="difference">{differenceText(row.at, before)}</span> : null}{' '}
        {row.kind === 'event' ? (
          <>
            <code>{row.title}</code>{' '}
            <span className="route">
              {from ? `${from} → ` : '→ '}
              {to}
            </span>
          </>
        ) : (
          <>
            <span className="route">{to} is</span> <span className="state">{row.title}</span>
          </>
        )}
      </summary>
      {isOpen ? <JsonTree name="event" value={row.event} openTo={2} /> : null}
    </details>
  );
}
