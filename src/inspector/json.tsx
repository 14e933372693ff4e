/** Plain data as a tree whose branches open and close. */
import type { Plain } from '../effects/inspect/redact.ts';

/** @param openTo how many levels are open at first */
export function JsonTree({ name, value, openTo }: { name: string; value: Plain; openTo: number }) {
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="leaf">
        <span className="key">{name}:</span>{' '}
        <code className={value === null ? 'null' : typeof value}>{JSON.stringify(value)}</code>
      </div>
    );
  }
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0) {
    return (
      <div className="leaf">
        <span className="key">{name}:</span> <code>{Array.isArray(value) ? '[]' : '{}'}</code>
      </div>
    );
  }
  return (
    <details className="branch" open={openTo > 0}>
      <summary>
        <span className="key">{name}</span> <span className="size">{size}</span>
      </summary>
      {entries.map(([key, inner]) => (
        <JsonTree key={key} name={key} value={inner} openTo={openTo - 1} />
      ))}
    </details>
  );
}
