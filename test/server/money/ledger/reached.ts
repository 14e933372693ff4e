import {
  ColumnNode,
  TableNode,
  UpdateQueryNode,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type RootOperationNode,
} from 'kysely';
import { PAYMENTS } from '#server/money/ledger/life.ts';
import { AUTOPAY } from '#server/money/ledger/autopay-life.ts';

/** States, their events, and where those lead. */
type Moves = Record<string, Record<string, string>>;

const TABLES: [string, Moves][] = [...Object.entries(PAYMENTS), ['hold', AUTOPAY]];

/** An event that moves something; autopay may also be told of one that leaves it as it is. */
const isMove = (table: string, state: string, target: string): boolean =>
  target !== 'late' && (table !== 'hold' || target !== state);

/** All events that there are, as `autopay declined` or, of what holds autopay, `hold declined`. */
export const allEvents = (): string[] => [
  ...new Set(
    TABLES.flatMap(([table, moves]) =>
      Object.entries(moves).flatMap(([state, events]) =>
        Object.entries(events).flatMap(([event, target]) =>
          isMove(table, state, target) ? [`${table} ${event}`] : [],
        ),
      ),
    ),
  ),
];

/** The columns of an update, and its table. */
function updateOf(node: RootOperationNode): { table: string; columns: string[] } | undefined {
  if (!UpdateQueryNode.is(node) || node.table === undefined || !TableNode.is(node.table)) return undefined;
  const columns = (node.updates ?? []).flatMap(({ column }) => (ColumnNode.is(column) ? [column.column.name] : []));
  return { table: node.table.table.identifier.name, columns };
}

/**
 * Sees which events have moved something, without a word from the server: the event that was last read in a table, once an update of
 * the state has changed a row. One thing happens after the other.
 */
export class Reached implements KyselyPlugin {
  readonly events = new Set<string>();
  readonly #last = { payments: '', accounts: '' };
  readonly #asked = new WeakMap<object, string>();
  readonly #restore: (() => void)[] = [];

  constructor() {
    for (const [table, moves] of TABLES)
      for (const [state, events] of Object.entries(moves))
        for (const [event, target] of Object.entries(events)) this.#watch({ table, state, events, event, target });
  }

  #watch(of: { table: string; state: string; events: Record<string, string>; event: string; target: string }): void {
    const { table, state, events, event, target } = of;
    const read = (): string => {
      const name = isMove(table, state, target) ? `${table} ${event}` : '';
      this.#last[table === 'hold' ? 'accounts' : 'payments'] = name;
      return target;
    };
    Object.defineProperty(events, event, { get: read, enumerable: true, configurable: true });
    this.#restore.push(() =>
      Object.defineProperty(events, event, { value: target, writable: true, enumerable: true, configurable: true }),
    );
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    const { table, columns } = updateOf(node) ?? { table: '', columns: [] };
    const has = (...names: string[]): boolean => names.some((name) => columns.includes(name));
    if (table === 'payments' && has('state')) this.#asked.set(queryId, this.#last.payments);
    // An account that is closed goes by no table.
    if (table === 'accounts' && has('below', 'error_why') && !has('closed_at'))
      this.#asked.set(queryId, this.#last.accounts);
    return node;
  }

  transformResult({ result, queryId }: PluginTransformResultArgs): Promise<typeof result> {
    const event = this.#asked.get(queryId) ?? '';
    if (event !== '' && (result.rows.length > 0 || (result.numAffectedRows ?? 0n) > 0n)) this.events.add(event);
    return Promise.resolve(result);
  }

  /** Leaves the tables as they were. */
  end(): void {
    for (const restore of this.#restore) restore();
  }
}
