/** The commands of `npm run admin`: they run in the server, or beside it on a PostgreSQL. */
import { parseArgs } from 'node:util';
import { LIMITS } from '#contract/limits.ts';
import { enterCorrection, type Correction } from '../../money/payments/correct.ts';
import {
  decide,
  listIncreases,
  OperatorError,
  setMaximum,
  showLimits,
  type OperatorParts,
} from '../../money/limits/operator.ts';
import { valueInWords } from '../../money/limits/words.ts';
import { toUsd } from '../../money/usage/prices.ts';
import { listProcesses } from '../processes.ts';
import { checkBooks, doneWith, rebuild, tellRestored } from './books.ts';
import { dropJob, listDeadJobs, retryJob } from './jobs.ts';
import { showReceipt } from './receipts.ts';
import { runSecrets, type SecretParts } from './secrets.ts';
import { exactly, idOf, limitOf, maximumOf, microsOf, said, table } from './words.ts';

export const HELP = `npm run admin -- COMMAND

  limits list ORG                     what an organization may use, has set and uses
  limits set ORG LIMIT VALUE          the most that it may use; VALUE is a whole number, none for no limit, or default
  limits grant ID [--answer TEXT]     grants a request for a higher limit, and mails whoever asked
  limits decline ID [--answer TEXT]   declines it, and mails whoever asked
  increase list [--all]               requests for higher limits that wait; with --all those that were decided, too
  credit ORG USD REFERENCE REASON     gives an organization credit, such as 10 or 2.50
  correct ORG USD REFERENCE REASON    puts its balance right: USD is added, or taken where it is below zero, such as -2.50; that stops
                                      autopay, where it is on, until it is reset
  books check                         whether every balance is that of its entries, payments and requests, and every report that of its
                                      rows; and what the payment provider told of that is in no balance. Ends with 1 where one is wrong
  books restored                      the database is of an earlier time, as after a copy of it was put back: autopay waits until the
                                      payment provider has told of all that moved since, and receipts begin new series
  events done NAME                    what the payment provider told of, and books check lists, is dealt with
  receipt show NUMBER                 all that a receipt says, such as R-000017, also of an organization that was deleted
  jobs list                           the jobs that were given up: what they were, how often they were tried, why they failed
  jobs retry ID                       lets one run again, as if it had not been tried; not a transcription, which has ended
  jobs drop ID                        forgets one
  processes list                      the processes that work on the database, what they do and how many live streams they have
  secrets check                       how much is sealed with the secret key of now, and how much with others
  secrets rotate                      seals everything anew with the key of now, while the servers work
  secrets renew                       a new secret key in the data directory, with which everything is sealed anew
  secrets forget                      the keys before that one count no more
  rollups rebuild                     makes the sums that reports read anew from the rows, month by month; it may take minutes

REFERENCE is a name of your own, such as the number of a ticket: the same command with the same one counts once. REASON is on the
organization's transactions. ORG and ID are the ids that the console and the mails show; the ID of a job is the one in its list. LIMIT is one of:
  ${LIMITS.join(', ')}
(a budget is in millionths of a US dollar, stored bytes in bytes, audio minutes and the budget are of a month).

  --json   the answer as JSON
  --help   this text

It reads the settings of the server. On the embedded database it asks the server that is running with the same DATA_DIR; with
DATABASE_URL it uses that database.
`;

export type CommandParts = OperatorParts & SecretParts;

/** What a command has to say. */
export interface Answer {
  text: string;
  /** The same, for programs. */
  data: unknown;
  /** Whether what was checked is wrong: the program ends with 1. */
  failed?: boolean | undefined;
}

/** @param args without `--json` and `--help` @throws OperatorError for what cannot be done, or is no command */
export async function runCommand(parts: CommandParts, args: readonly string[]): Promise<Answer> {
  const [first, ...words] = args;
  // Its amount may look like an option.
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
      return end(parts, rest, 'granted', values.answer);
    case 'limits decline':
      return end(parts, rest, 'declined', values.answer);
    case 'increase list':
      return increases(parts, rest, values.all);
    case 'books check':
      exactly(rest, []);
      return checkBooks(parts.db);
    case 'books restored':
      exactly(rest, []);
      return tellRestored(parts.db);
    case 'events done':
      return doneWith(parts.db, exactly(rest, ['NAME'])[0], parts.clock());
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

async function end(
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
  if (data.length === 0) return { text: all ? 'Nobody has asked for anything.' : 'Nothing waits.', data };
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
  const reference = said(name, 'REFERENCE must name this, so that it counts once: the number of a ticket, say.');
  const description = said(reason, 'REASON must say something: it is on the transactions.');
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
