/** The commands of `npm run admin`. They run in the server, or in a process of their own on PostgreSQL. */
import { parseArgs } from 'node:util';
import { LIMITS } from '#contract/limits.ts';
import { enterCorrection, type Correction } from '../../money/payments/correct.ts';
import { decide, listIncreases, setMaximum, showLimits, type OperatorParts } from '../../money/limits/operator.ts';
import { OperatorError } from '../operator-error.ts';
import { valueInWords } from '../../money/limits/words.ts';
import { toUsd } from '../../money/usage/prices.ts';
import { listProcesses } from '../processes.ts';
import { checkBooks, markDone, markRestored, rebuild } from './books.ts';
import { dropJob, listDeadJobs, retryJob } from './jobs.ts';
import { showReceipt } from './receipts.ts';
import { runSecrets, type SecretParts } from './secrets.ts';
import { exactly, idOf, limitOf, maximumOf, microsOf, notEmpty, table } from './words.ts';

export const HELP = `npm run admin -- COMMAND

  limits list ORG                     shows an organization's limits, and what it uses
  limits set ORG LIMIT VALUE          sets the most that it may use; VALUE is a whole number, none or default
  limits grant ID [--answer TEXT]     grants a request for a higher limit, and mails who asked
  limits decline ID [--answer TEXT]   declines it, and mails who asked
  increase list [--all]               lists waiting requests for higher limits; with --all the decided ones too
  credit ORG USD REFERENCE REASON     gives an organization credit, such as 10 or 2.50
  correct ORG USD REFERENCE REASON    adds USD to its balance; a negative amount, such as -2.50, takes it away, and
                                      stops autopay until it is reset
  books check                         compares balances with entries, payments and requests, and reports with rows;
                                      lists money that is in no balance. Ends with 1 if something is wrong
  books restored                      notes that the database is of an earlier time, as after putting back a copy:
                                      autopay waits until the payment provider has reported everything since, and
                                      receipts begin new series
  events done NAME                    marks an event that books check lists as dealt with
  receipt show NUMBER                 shows a receipt, such as R-000017, also of a deleted organization
  jobs list                           lists jobs that were given up: kind, tries, last error
  jobs retry ID                       runs one again, as if it had not been tried; not a transcription, which has ended
  jobs drop ID                        deletes one
  processes list                      lists the processes on the database, with their state and live streams
  secrets check                       counts what is sealed with the current secret key, and with earlier ones
  secrets rotate                      seals everything with the current key, while the servers work
  secrets renew                       makes a new secret key in the data directory, and seals everything with it
  secrets forget                      makes the earlier keys invalid
  rollups rebuild                     rebuilds the sums that reports read from the rows; may take minutes

REFERENCE is a name of your own, such as the number of a ticket; repeating a command with it changes nothing. REASON is
shown with the organization's transactions. ORG and ID are ids that the console and the mails show; jobs list shows the
ID of a job. LIMIT is one of:
  ${LIMITS.join(', ')}
(budgets in millionths of a US dollar, stored bytes in bytes; audio minutes and budgets are per month).

  --json   the answer as JSON
  --help   this text

It reads the server's settings. On the embedded database it asks the server that runs with the same DATA_DIR; with
DATABASE_URL it uses that database.
`;

export type CommandParts = OperatorParts & SecretParts;

/** The result of a command. */
export interface Answer {
  text: string;
  /** The result as JSON. */
  data: unknown;
  /** Whether a check has found something wrong; then the program ends with 1. */
  failed?: boolean | undefined;
}

/** Runs a command. @param args without `--json` and `--help` @throws OperatorError with a text for the operator */
export async function runCommand(parts: CommandParts, args: readonly string[]): Promise<Answer> {
  const [first, ...words] = args;
  // Before the options are parsed, because a negative amount looks like one.
  if (first === 'credit' || first === 'correct')
    return correct(parts, first === 'credit' ? 'credit' : 'correction', words);
  const { values, positionals } = parse(args);
  const [area = '', verb = '', ...rest] = positionals;
  switch (`${area} ${verb}`) {
    case 'limits list':
      return list(parts, rest);
    case 'limits set':
      return set(parts, rest);
    case 'limits grant':
      return decideIncrease(parts, rest, 'granted', values.answer);
    case 'limits decline':
      return decideIncrease(parts, rest, 'declined', values.answer);
    case 'increase list':
      return increases(parts, rest, values.all);
    case 'books check':
      exactly(rest, []);
      return checkBooks(parts.db);
    case 'books restored':
      exactly(rest, []);
      return markRestored(parts.db);
    case 'events done':
      return markDone(parts.db, exactly(rest, ['NAME'])[0], parts.clock());
    case 'receipt show':
      return showReceipt(parts, exactly(rest, ['NUMBER'])[0]);
    case 'jobs list':
      exactly(rest, []);
      return deadJobs(parts);
    case 'jobs retry':
      return retryJob(parts, exactly(rest, ['ID'])[0]);
    case 'jobs drop':
      return dropJob(parts, exactly(rest, ['ID'])[0]);
    case 'processes list':
      exactly(rest, []);
      return processes(parts);
    case 'secrets check':
    case 'secrets rotate':
    case 'secrets renew':
    case 'secrets forget':
      exactly(rest, []);
      return runSecrets(parts, verb);
    case 'rollups rebuild':
      exactly(rest, []);
      return rebuild(parts.db);
    default:
      throw new OperatorError(
        `There is no command ${JSON.stringify(positionals.join(' '))}. See: npm run admin -- --help`,
      );
  }
}

function parse(args: readonly string[]): { values: { answer: string; all: boolean }; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { answer: { type: 'string', default: '' }, all: { type: 'boolean', default: false } },
    });
    return { values, positionals };
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : String(error));
  }
}

async function list(parts: OperatorParts, args: readonly string[]): Promise<Answer> {
  const [organization] = exactly(args, ['ORG']);
  const data = await showLimits(parts, idOf(organization));
  const rows = data.limits.map(({ name, value, own, maximum, used, reserved, is_reached }) => [
    name,
    valueInWords(name, value, 'none'),
    valueInWords(name, own, '–'),
    valueInWords(name, maximum, 'none'),
    `${valueInWords(name, used)}${reserved > 0 ? `, ${valueInWords(name, reserved)} reserved` : ''}${is_reached ? ' (reached)' : ''}`,
  ]);
  return { text: `${data.name}\n${table([['limit', 'holds', 'set', 'most', 'used'], ...rows])}`, data };
}

async function set(parts: OperatorParts, args: readonly string[]): Promise<Answer> {
  const [organization, limit, value] = exactly(args, ['ORG', 'LIMIT', 'VALUE']);
  await setMaximum(parts, idOf(organization), limitOf(limit), maximumOf(value));
  return list(parts, [organization]);
}

async function decideIncrease(
  parts: OperatorParts,
  args: readonly string[],
  state: 'granted' | 'declined',
  answer: string,
): Promise<Answer> {
  const [given] = exactly(args, ['ID']);
  const id = idOf(given);
  await decide(parts, id, state, answer.trim());
  return { text: `${state === 'granted' ? 'Granted' : 'Declined'}.`, data: { uuid: id, state } };
}

async function increases(parts: OperatorParts, args: readonly string[], all: boolean): Promise<Answer> {
  exactly(args, []);
  const data = await listIncreases(parts, all ? 'all' : 'pending');
  if (data.length === 0) return { text: all ? 'There are no requests.' : 'No request waits.', data };
  const rows = data.map((wish) => [
    wish.uuid,
    wish.state,
    wish.asked_at,
    wish.organization,
    wish.limit,
    valueInWords(wish.limit, wish.value),
    wish.asked_by ?? '–',
    wish.reason,
  ]);
  return { text: table([['id', 'state', 'asked', 'organization', 'limit', 'value', 'by', 'reason'], ...rows]), data };
}

async function deadJobs(parts: OperatorParts): Promise<Answer> {
  const data = await listDeadJobs(parts);
  if (data.length === 0) return { text: 'No job was given up.', data };
  const rows = data.map(({ id, kind, tries, since, request_id, last_error }) => [
    String(id),
    kind,
    String(tries),
    since,
    request_id ?? '–',
    last_error ?? '–',
  ]);
  return { text: table([['id', 'kind', 'tries', 'since', 'request', 'last error'], ...rows]), data };
}

async function processes({ db, clock }: OperatorParts): Promise<Answer> {
  const data = await listProcesses(db, clock());
  const rows = data.map(({ id, role, host, pid, state, streams, max_streams, started_at }) => [
    id,
    role,
    `${host} ${pid}`,
    state,
    role === 'worker' ? '–' : `${streams} of ${max_streams}`,
    started_at.toISOString(),
  ]);
  return { text: table([['id', 'role', 'machine and process', 'state', 'streams', 'started'], ...rows]), data };
}

async function correct(parts: OperatorParts, kind: Correction['kind'], args: readonly string[]): Promise<Answer> {
  const [given, usd, name, reason] = exactly(args, ['ORG', 'USD', 'REFERENCE', 'REASON']);
  const organizationId = idOf(given);
  const micros = microsOf(usd, kind);
  const reference = notEmpty(name, 'REFERENCE must not be empty. Use the number of a ticket, for example.');
  const description = notEmpty(reason, 'REASON must not be empty. It is shown with the transactions.');
  const found = await enterCorrection(parts, { organizationId, kind, micros, reference, description });
  if (found === undefined) throw new OperatorError(`There is no organization ${organizationId}.`);
  const before = `${JSON.stringify(reference)} was entered before, on ${found.at.toISOString().slice(0, 10)}`;
  if (found.micros !== micros)
    throw new OperatorError(`${before}, with ${toUsd(found.micros)} USD. Nothing was changed. Give another reference.`);
  const what = found.isNew
    ? `${kind === 'credit' ? 'Given' : 'Entered'}: ${toUsd(micros)} USD.`
    : `${before}. Nothing was changed.`;
  return {
    text: `${what} The balance is ${toUsd(found.leftMicros)} USD.`,
    data: {
      organization_uuid: organizationId,
      kind,
      reference,
      is_new: found.isNew,
      amount_micros: micros,
      balance_micros: found.leftMicros,
    },
  };
}
