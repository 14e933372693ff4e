/** Types of the arguments and answers of calls, from the rows of `contract/api`. */
import type * as v from 'valibot';
import type { ApiRoute, PathNames } from '#contract/api/route.ts';
import type { Schema } from './answers.ts';

type Address<Path> = Pick<ApiRoute, 'method'> & { readonly path: Path };

type Requested<Path, Query extends Schema, Body extends Schema> = Address<Path> & {
  readonly query?: Query;
  readonly body?: { readonly json: Body };
};

/** A row that takes JSON or nothing, and answers with JSON or nothing. */
export type DataRow<Path extends string, Query extends Schema, Body extends Schema, Answer extends Schema> = Requested<
  Path,
  Query,
  Body
> & {
  readonly answers: { readonly 200?: Answer; readonly 201?: Answer; readonly 204?: 'nothing' };
};

/** A row that answers with a file. */
export type FileRow<Path extends string, Query extends Schema, Body extends Schema> = Requested<Path, Query, Body> & {
  readonly answers: { readonly 200: 'bytes' };
};

/** The arguments of a row's call. Undefined parts of a query are not sent. */
export type CallArguments<Path extends string, Query extends Schema, Body extends Schema> = {
  readonly signal?: AbortSignal | undefined;
} & ([PathNames<Path>] extends [never]
  ? { readonly params?: undefined }
  : { readonly params: Readonly<Record<PathNames<Path>, string>> }) &
  ([Query] extends [never] ? { readonly query?: undefined } : { readonly query: v.InferInput<Query> }) &
  ([Body] extends [never] ? { readonly json?: undefined } : { readonly json: v.InferInput<Body> });

/** A call of some row. */
export type AnyCall = {
  row: Address<string>;
  params?: Readonly<Record<string, string>> | undefined;
  query?: unknown;
  json?: unknown;
  signal?: AbortSignal | undefined;
};
