import * as v from 'valibot';
import * as accounts from '../accounts.ts';
import * as apiKeys from '../api-keys.ts';
import * as audit from '../audit.ts';
import * as billing from '../billing.ts';
import * as dashboard from '../dashboard.ts';
import * as errors from '../errors.ts';
import * as events from '../events.ts';
import * as files from '../files.ts';
import * as limits from '../limits.ts';
import * as live from '../live.ts';
import * as logs from '../logs.ts';
import * as members from '../members.ts';
import * as metrics from '../metrics.ts';
import * as models from '../models.ts';
import * as organizations from '../organizations.ts';
import * as paying from '../paying.ts';
import * as paymentErrors from '../payment-errors.ts';
import * as projectHome from '../project-home.ts';
import * as session from '../session.ts';
import * as sso from '../sso.ts';
import * as temporaryKeys from '../temporary-keys.ts';
import * as transactions from '../transactions.ts';
import * as transcriptions from '../transcriptions.ts';
import * as translation from '../translation.ts';
import * as usage from '../usage.ts';
import * as usageLogs from '../usage-logs.ts';
import * as webhooks from '../webhooks.ts';
import { MAIN_API } from './main.ts';
import { SPEECH_API } from './speech.ts';

const RESOURCES = [
  accounts,
  apiKeys,
  audit,
  billing,
  limits,
  dashboard,
  errors,
  events,
  files,
  live,
  logs,
  members,
  metrics,
  models,
  organizations,
  paying,
  paymentErrors,
  projectHome,
  session,
  sso,
  temporaryKeys,
  transactions,
  transcriptions,
  translation,
  usage,
  usageLogs,
  webhooks,
];
const COMPOSED = new Set(['object', 'strict_object', 'loose_object', 'variant', 'union']);

const isComposed = (value: unknown): value is v.GenericSchema =>
  v.is(v.object({ kind: v.literal('schema'), type: v.string() }), value) && COMPOSED.has(value.type);

/** The composed schemas of the contract by their exported names. */
export const NAMED: Readonly<Record<string, v.GenericSchema>> = Object.fromEntries(
  [...RESOURCES, ...[...MAIN_API, ...SPEECH_API].map(({ names = {} }) => names)].flatMap((resource) =>
    Object.entries(resource).flatMap(([name, value]: [string, unknown]) =>
      isComposed(value) ? [[name, value] as const] : [],
    ),
  ),
);
