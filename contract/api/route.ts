import type * as v from 'valibot';
import type { Action } from '../roles.ts';

type Schema = v.GenericSchema;
type Entries = v.GenericSchema<Record<string, unknown>> & { readonly entries: Readonly<Record<string, Schema>> };

/** Who may call: anyone; a page that carries its CSRF token; a signed-in user; a program with a project's API key. */
type Access = 'none' | 'csrf' | 'bearer' | 'key';

/**
 * What is sent: JSON of at most `maxBytes` (a MiB unless it says), or a form with one file beside its fields. JSON
 * needs an example, with every text that it may have: here, or in `examples.ts`.
 */
type Body =
  | { readonly json: Schema; readonly example?: unknown; readonly maxBytes?: number }
  | { readonly multipart: Entries; readonly file: string };

/**
 * One call of an API. What follows from `access`, `action`, `body` and `query` alone (400, 401, 403, 404, 413, 500) is
 * not said again in `errors`.
 */
export interface ApiRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With `{parameters}`; UUIDs unless `params` says otherwise. */
  readonly path: string;
  /** Unique over both APIs: the operation's id and its anchor on the reader page. */
  readonly id: string;
  readonly tag: string;
  /** A verb and its object. */
  readonly summary: string;
  /** What the summary leaves out, in a sentence. */
  readonly description?: string;
  readonly access: Access;
  /** What the caller's role in the organization must allow. Somebody outside of the organization gets a 404. */
  readonly action?: Action;
  /** Where the path's `{user}` is the caller, every role may. */
  readonly own?: true;
  readonly params?: Readonly<Record<string, Schema>>;
  readonly query?: Entries;
  /** A wrong query is answered as if the path did not exist: no 400. */
  readonly hidesQuery?: true;
  readonly body?: Body;
  /**
   * By status: the JSON that is sent, no body at all, the bytes of a file, or a stream of server-sent events whose data
   * is JSON.
   */
  readonly answers: Readonly<Record<number, Schema | 'nothing' | 'bytes' | { readonly events: Schema }>>;
  /** Values of `error_type` by status, with `ApiError` as the body. */
  readonly errors?: Readonly<Record<number, readonly string[]>>;
  /** Schemas of a resource that `names.ts` does not list, by their names in the document. */
  readonly names?: Readonly<Record<string, Schema>>;
}

/** The names of the parameters in a path. */
export type PathNames<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never;

/** A call; its id is its name in the table of its file. */
export type Row = Omit<ApiRoute, 'id'>;

export const rowsOf = (rows: Readonly<Record<string, Row>>): ApiRoute[] =>
  Object.entries(rows).map(([id, row]) => ({ id, ...row }));

/** A call that the server makes: JSON by POST to an address that a request gave. */
export interface ApiWebhook {
  readonly id: string;
  readonly tag: string;
  /** A verb and its object. */
  readonly summary: string;
  /** What the summary leaves out, in a sentence. */
  readonly description?: string;
  readonly body: Schema;
}

/** A WebSocket: what either side may send, by the name of the frame. A schema stands for JSON text. */
export interface ApiSocket {
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  /** A verb and its object. */
  readonly summary: string;
  /** What the summary leaves out, in a sentence. */
  readonly description?: string;
  readonly subprotocols: readonly string[];
  readonly client: Readonly<Record<string, Schema | 'bytes' | 'nothing'>>;
  readonly server: Readonly<Record<string, Schema>>;
  /** Values of `error_type` in an error frame, by its `error_code`. */
  readonly errors: Readonly<Record<number, readonly string[]>>;
}
