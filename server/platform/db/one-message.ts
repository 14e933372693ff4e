/**
 * Queries the embedded Postgres with one protocol message each. PGlite's own `query` sends six, which cost more than
 * most queries.
 */
import { type ExecProtocolResult, type PGlite, messages, parse, protocol } from '@electric-sql/pglite';

/** The largest number of prepared statements; beyond it the least recently used one is closed. */
const PREPARED_MAX = 300;
/** Statements that change no table definition, so that prepared statements stay valid. */
const CHANGES_NO_TABLE =
  /^\s*(?:select|insert|update|delete|with|begin|commit|rollback|savepoint|release|vacuum|analyze)\b/i;
const ENDS_TRANSACTION = /^\s*(?:commit|rollback(?!\s+to))\b/i;

const { serialize } = protocol;

/** A prepared statement: its name, and the types of its parameters. */
interface Prepared {
  name: string;
  types: readonly number[];
}

export class OneMessageQueries {
  readonly #database: PGlite;
  /** Prepared statements by their text, least recently used first. */
  readonly #prepared = new Map<string, Promise<Prepared>>();
  #named = 0;
  /** Whether tables have changed in this transaction, which a rollback may undo. */
  #mayChangeBack = false;

  constructor(database: PGlite) {
    this.#database = database;
  }

  /** @throws PGlite's DatabaseError, whose `code` is the SQLSTATE */
  async query(sql: string, parameters: readonly unknown[]): Promise<{ rows: unknown[]; affected: number }> {
    const answer = await (parameters.length > 0
      ? this.#ask(await this.#prepare(sql), parameters)
      : this.#exchange(serialize.parse({ text: sql }), ...execution({})));
    if (!CHANGES_NO_TABLE.test(sql)) {
      this.#mayChangeBack = true;
      await this.#forget();
    } else if (this.#mayChangeBack && ENDS_TRANSACTION.test(sql)) {
      this.#mayChangeBack = false;
      await this.#forget();
    }
    const [result] = parse.parseResults(answer, this.#database.parsers);
    return { rows: result?.rows ?? [], affected: result?.affectedRows ?? 0 };
  }

  #ask({ name, types }: Prepared, parameters: readonly unknown[]): Promise<ExecProtocolResult['messages']> {
    const values = parameters.map((value, index) => this.#serialized(value, types[index]));
    return this.#exchange(...execution({ statement: name, values }));
  }

  /** Parses and plans a statement once, because that is most of the cost of a small query. */
  #prepare(sql: string): Promise<Prepared> {
    const known = this.#prepared.get(sql);
    this.#prepared.delete(sql);
    const prepared = known ?? this.#parse(sql);
    this.#prepared.set(sql, prepared);
    if (known === undefined) prepared.catch(() => this.#prepared.delete(sql));
    return prepared;
  }

  async #parse(sql: string): Promise<Prepared> {
    const name = `s${(this.#named += 1)}`;
    const [oldest] = this.#prepared.size < PREPARED_MAX ? [] : this.#prepared.keys();
    const gone = oldest === undefined ? undefined : await this.#prepared.get(oldest);
    if (oldest !== undefined) this.#prepared.delete(oldest);
    const answer = await this.#exchange(
      ...(gone ? [serialize.close({ type: 'S', name: gone.name })] : []),
      serialize.parse({ name, text: sql }),
      serialize.describe({ type: 'S', name }),
    );
    const described = answer.find((message) => message instanceof messages.ParameterDescriptionMessage);
    return { name, types: described?.dataTypeIDs ?? [] };
  }

  /** Drops all prepared statements, because tables have changed. */
  async #forget(): Promise<void> {
    if (this.#prepared.size === 0) return;
    this.#prepared.clear();
    await this.#exchange(serialize.parse({ text: 'deallocate all' }), ...execution({}));
  }

  /** Sends one message and awaits its answer, exclusively: PGlite gives answers to the last caller. */
  async #exchange(...parts: Uint8Array[]): Promise<ExecProtocolResult['messages']> {
    const message = Buffer.concat([...parts, serialize.sync()]);
    return (await this.#database.runExclusive(() => this.#database.execProtocol(message))).messages;
  }

  #serialized(value: unknown, type: number | undefined): string | null {
    if (value === null || value === undefined) return null;
    const serializer = type === undefined ? undefined : this.#database.serializers[type];
    if (serializer !== undefined) return serializer(value);
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** Messages that execute a prepared statement, by default the unnamed one. */
const execution = (bound: Parameters<typeof serialize.bind>[0]): Uint8Array[] => [
  serialize.bind(bound),
  serialize.describe({ type: 'P' }),
  serialize.execute({}),
];
