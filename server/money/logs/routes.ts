import { Hono } from 'hono';
import { LogExportQuery, LogQuery } from '#contract/logs.ts';
import { may } from '#contract/roles.ts';
import type { AppEnv } from '../../http/env.ts';
import { notFound } from '../../http/errors.ts';
import { readQuery, uuidParam } from '../../http/validate.ts';
import type { Services } from '../../platform/context.ts';
import { inProject, requireMember } from '../../tenancy/access/guard.ts';
import { readDetails } from './details.ts';
import { readEntries, readLogPage } from './entries.ts';
import { exportStream, MEDIA_TYPES } from './export.ts';

const LOGS = '/api/v2/projects/:project/logs';
/** Entries that are read, written and held at a time. */
const PIECE = 500;

/** The requests of a project that ended: page by page, one by one, and as a file (PRJ-05). */
export function logRoutes(services: Services): Hono<AppEnv> {
  const {
    clock,
    log,
    database: { reports: db },
  } = services;
  const signedIn = requireMember(services);
  return new Hono<AppEnv>()
    .get(LOGS, signedIn, async (c) => {
      const { projectId } = inProject(c, 'usage.read');
      return c.json(await readLogPage(db, projectId, readQuery(c, LogQuery)));
    })
    .get(`${LOGS}/export`, signedIn, async (c) => {
      const { projectId } = inProject(c, 'usage.read');
      const { format, ...filter } = readQuery(c, LogExportQuery);
      // What ends while it is read would only be in it by chance.
      const to = filter.to ?? new Date(clock().getTime() + 1).toISOString();
      c.header('content-type', MEDIA_TYPES[format]);
      c.header('content-disposition', `attachment; filename="logs-${clock().toISOString().slice(0, 10)}.${format}"`);
      if (c.req.method === 'HEAD') return c.body(null);
      return c.body(
        exportStream(
          format,
          (before) => readEntries(db, projectId, { ...filter, to }, { before, limit: PIECE }),
          (err) => log.error({ err, request_id: c.var.requestId }, 'an export of logs broke off'),
        ),
      );
    })
    .get(`${LOGS}/:log`, signedIn, async (c) => {
      const { projectId, role } = inProject(c, 'usage.read');
      const id = uuidParam(c, 'log', notFound());
      const details = await readDetails(db, { projectId, id, mayOpen: may(role, 'playground.use') });
      if (!details) throw notFound();
      return c.json(details);
    });
}
