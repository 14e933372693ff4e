import type { Hono } from 'hono';
import { PROJECT_CALLS } from '#contract/api/projects.ts';
import { LogExportQuery, logFileName } from '#contract/logs.ts';
import { may } from '#contract/roles.ts';
import type { AppEnv } from '../../http/env.ts';
import { readQuery } from '../../http/validate.ts';
import type { Services } from '../../platform/context.ts';
import { memberCalls } from '../../tenancy/access/guard.ts';
import { readDetails, readMessages } from './details.ts';
import { readEntries, readLogPage } from './entries.ts';
import { exportStream, MEDIA_TYPES } from './export.ts';

/** Entries that are read, written and held at a time. */
const PIECE = 500;

/** The requests of a project that ended: page by page, one by one, and as a file (PRJ-05). */
export function logRoutes(services: Services): Hono<AppEnv> {
  const {
    clock,
    log,
    database: { reports: db },
  } = services;
  return memberCalls(services)
    .answer(PROJECT_CALLS.listLogs, ({ project, query }) => readLogPage(db, project.projectId, query))
    .respond(PROJECT_CALLS.exportLogs, ({ c, project: { projectId } }) => {
      const { format, ...filter } = readQuery(c, LogExportQuery);
      // What ends while it is read would only be in it by chance.
      const to = filter.to ?? new Date(clock().getTime() + 1).toISOString();
      c.header('content-type', MEDIA_TYPES[format]);
      c.header('content-disposition', `attachment; filename="${logFileName(filter, format, clock())}"`);
      if (c.req.method === 'HEAD') return c.body(null);
      return c.body(
        exportStream(
          format,
          async (before) => {
            const piece = await readEntries(db, projectId, { ...filter, to }, { before, limit: PIECE });
            // A JSON line is an entry of the list, which has no message of a failure.
            return format === 'csv' ? { ...piece, messages: await readMessages(db, projectId, piece.entries) } : piece;
          },
          (err) => log.error({ err, request_id: c.var.requestId }, 'an export of logs broke off'),
        ),
      );
    })
    .answer(PROJECT_CALLS.readLog, ({ project: { projectId, role }, param }) =>
      readDetails(db, { projectId, id: param('log'), mayOpen: may(role, 'playground.use') }),
    );
}
