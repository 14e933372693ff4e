/** Queries of the embedded Postgres, each as one message of its protocol: PGlite's own `query` takes six, which costs more than most queries. */
import { type ExecProtocolResult, type PGlite, messages, parse, protocol } from '@electric-sql/pglite';

/** Statements that the database keeps parsed and planned, at most; the one that was used longest ago goes first. */
const PREPARED_MAX = 300;
/** What changes no table, and so neither what a statement answers nor the type of a parameter. */
const CHANGES_NO_TABLE =
  /^\s*(?:select|insert|update|delete|with|begin|commit|rollback|savepoint|release|vacuum|analyze)\b/i;
const ENDS_TRANSACTION = /^\s*(?:commit|rollback(?!\s+to))\b/i;

const { serialize } = protocol;

/** A statement that the database knows by a name, and the types of its parameters. */
interface Prepared {
  name: string;
  types: readonly number[];
}

export class OneMessage {
  readonly #database: PGlite;
  /** By their text. */
  readonly #prepared = new Map<string, Promise<Prepared>>();
  #named = 0;
  /** Tables have changed, which a rollback may undo. */
  #mayChangeBack = false;

  constructor(database: PGlite) {
    this.#database = database;
  }

  /** @throws DatabaseError of PGlite, with the SQLSTATE as its `code` */
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

  /** Most of what a small query costs is to parse and plan it: done once. */
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

  /** What was planned for tables as they were. */
  async #forget(): Promise<void> {
    if (this.#prepared.size === 0) return;
    this.#prepared.clear();
    await this.#exchange(serialize.parse({ text: 'deallocate all' }), ...execution({}));
  }

  /** By itself: PGlite gives what the database answers to whoever asked last. */
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

/** Executes a statement, the unnamed one by default. */
const execution = (bound: Parameters<typeof serialize.bind>[0]): Uint8Array[] => [
  serialize.bind(bound),
  serialize.describe({ type: 'P' }),
  serialize.execute({}),
];
