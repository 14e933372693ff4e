import type { ApiRoute, PathNames as Names } from '#contract/api/route.ts';
import { Uuid } from '#contract/fields.ts';
import { may } from '#contract/roles.ts';
import { Hono, type Context, type Handler, type MiddlewareHandler } from 'hono';
import * as v from 'valibot';
import type { AppEnv } from './env.ts';
import type { OrganizationAccess, ProjectAccess } from '../platform/callers.ts';
import { notFound, permissionDenied, type Refusal } from '../platform/refusal.ts';
import { readJson, readQuery } from './validate.ts';

type Schema = v.GenericSchema;

/** A row of `contract/api`, with the type of its path. */
type Row<Path extends string> = Omit<ApiRoute, 'id' | 'path'> & { readonly path: Path };
/** A row that takes JSON or nothing, and answers with JSON or nothing. */
type DataRow<Path extends string, Query extends Schema, Body extends Schema, Answer extends Schema> = Row<Path> & {
  readonly query?: Query;
  readonly body?: { readonly json: Body; readonly maxBytes?: number };
  readonly answers:
    | { readonly 200: Answer; readonly 201?: undefined }
    | { readonly 201: Answer; readonly 200?: undefined }
    | { readonly 204: 'nothing' };
};

interface Everything<Path extends string, Query extends Schema, Body extends Schema> {
  c: Context<AppEnv>;
  /** Gives a checked parameter of the path. */
  param: (name: Names<Path>) => string;
  /** The organization or project of the path. The caller's role allows the row's action there. */
  organization: OrganizationAccess;
  project: ProjectAccess;
  query: v.InferOutput<Query>;
  body: v.InferOutput<Body>;
}
type Place<Path> = Names<Path> & ('organization' | 'project');
type Reads<Query, Body> = ([Query] extends [never] ? never : 'query') | ([Body] extends [never] ? never : 'body');
type Asked<Path extends string, Query extends Schema = never, Body extends Schema = never> = Pick<
  Everything<Path, Query, Body>,
  'c' | 'param' | Place<Path> | Reads<Query, Body>
>;
/** The handler's result: undefined answers 404; void for a row without an answer. */
type Answered<Answer extends Schema> = [Answer] extends [never] ? void : v.InferOutput<Answer> | undefined;

interface Options {
  /** Requires a signed-in user; runs for rows with `access: 'bearer'`. */
  guard?: MiddlewareHandler<AppEnv>;
  /** Makes the 404 of a parameter of the path. */
  missing?: (name: string) => Refusal;
  /** Prefix of `location` in errors about the body. */
  bodyAt?: string;
}

/**
 * Makes the routes of an area from rows of `contract/api`. A route checks in this order: signed in (401), the place is
 * the caller's (404), the role allows the action (403), ids are well-formed (404), query and body are valid (400).
 */
export class Calls extends Hono<AppEnv> {
  readonly #options: Options;

  constructor(options: Options = {}) {
    super();
    this.#options = options;
  }

  /** Adds a route that answers with the handler's result, or with 404 if that is undefined. */
  answer<Path extends string, Query extends Schema = never, Body extends Schema = never, Answer extends Schema = never>(
    row: DataRow<Path, Query, Body, Answer>,
    handler: (asked: Asked<Path, Query, Body>) => Promise<Answered<Answer>> | Answered<Answer>,
  ): this {
    return this.#add(row, async (c, param) => {
      const query = row.query && readQuery(c, row.query);
      const body = row.body && (await readJson(c, row.body.json, this.#options.bodyAt, row.body.maxBytes));
      const data = await handler(everything<Path, Query, Body>(c, param, query, body));
      if (204 in row.answers) return c.body(null, 204);
      if (data === undefined) throw this.#missing(namesOf(row.path).at(-1));
      return c.json(data, 201 in row.answers ? 201 : 200);
    });
  }

  /** Adds a route whose handler reads query and body, and answers: for other data than JSON, or several statuses. */
  respond<Path extends string>(row: Row<Path>, handler: (asked: Asked<Path>) => Promise<Response> | Response): this {
    return this.#add(row, (c, param) => handler(everything<Path, never, never>(c, param)));
  }

  #add<Path extends string>(
    row: Row<Path>,
    handler: (c: Context<AppEnv>, param: (name: Names<Path>) => string) => Promise<Response> | Response,
  ): this {
    const names = namesOf(row.path);
    const answer: Handler<AppEnv> = (c) => {
      this.#checkRole(c, row);
      const params = new Map(names.map((name) => [name, this.#param(c, row, name)]));
      return handler(c, (name) => given(params.get(name)));
    };
    const path = row.path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1');
    const method = row.method.toUpperCase();
    if (row.access === 'bearer') this.on(method, path, given(this.#options.guard));
    this.on(method, path, answer);
    return this;
  }

  #checkRole(c: Context<AppEnv>, { path, action, own }: Row<string>): void {
    if (action === undefined) return;
    const place = c.var.project ?? c.var.organization;
    if (!place) throw this.#missing(path.includes('{project}') ? 'project' : 'organization');
    const isOwn = own && c.req.param('user')?.toLowerCase() === c.var.user.userId;
    if (!isOwn && !may(place.role, action)) throw permissionDenied();
  }

  #param(c: Context<AppEnv>, { params }: Row<string>, name: string): string {
    const { success, output } = v.safeParse(params?.[name] ?? Uuid, c.req.param(name));
    if (!success || typeof output !== 'string') throw this.#missing(name);
    return output;
  }

  #missing(name = ''): Refusal {
    return this.#options.missing?.(name) ?? notFound();
  }
}

const namesOf = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

function everything<Path extends string, Query extends Schema, Body extends Schema>(
  c: Context<AppEnv>,
  param: (name: Names<Path>) => string,
  query?: v.InferOutput<Query>,
  body?: v.InferOutput<Body>,
): Everything<Path, Query, Body> {
  return {
    c,
    param,
    get organization() {
      return given(c.var.organization);
    },
    get project() {
      return given(c.var.project);
    },
    get query() {
      return given(query);
    },
    get body() {
      return given(body);
    },
  };
}

/** Asserts a value that the types of the row promise. */
function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('A row and its handler differ.');
  return value;
}
