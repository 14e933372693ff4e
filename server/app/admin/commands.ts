/** The commands of `npm run admin`: they run in the server, or beside it on a PostgreSQL. */
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { LIMITS, type LimitName } from '#contract/limits.ts';
import { enterCorrection, type Correction } from '../../money/ledger/correct.ts';
import { isLimitName } from '../../money/limits/bounds.ts';
import {
  decide,
  listIncreases,
  OperatorError,
  setMaximum,
  showLimits,
  type Maximum,
  type OperatorParts,
} from '../../money/limits/operator.ts';
import { valueInWords } from '../../money/limits/words.ts';
import { toUsd } from '../../money/usage/prices.ts';
import { MICROS_PER_USD } from '../../platform/prices.ts';
import { checkBooks, rebuild } from './books.ts';

export const HELP = `npm run admin -- COMMAND

  limits list ORG                     what an organization may use, has set and uses
  limits set ORG LIMIT VALUE          the most that it may use; VALUE is a whole number, none for no limit, or default
  limits grant ID [--answer TEXT]     grants a request for a higher limit, and mails whoever asked
  limits decline ID [--answer TEXT]   declines it, and mails whoever asked
  increase list [--all]               requests for higher limits that wait; with --all those that were decided, too
  credit ORG USD REFERENCE REASON     gives an organization credit, such as 10 or 2.50
  correct ORG USD REFERENCE REASON    puts its balance right: USD is added, or taken where it is below zero, such as -2.50
  books check                         whether every balance is that of its entries and requests, and every report that of its rows
  rollups rebuild                     makes the sums that reports read anew from the rows, month by month; it may take minutes

REFERENCE is a name of your own, such as the number of a ticket: the same command with the same one counts once. REASON is on the
organization's transactions. ORG and ID are the ids that the console and the mails show. LIMIT is one of:
  ${LIMITS.join(', ')}
(a budget is in millionths of a US dollar, stored bytes in bytes, audio minutes and the budget are of a month).

  --json   the answer as JSON
  --help   this text

It reads the settings of the server. On the embedded database it asks the server that is running with the same DATA_DIR; with
DATABASE_URL it uses that database.
`;

/** What a command has to say. */
export interface Answer {
  text: string;
  /** The same, for programs. */
  data: unknown;
}

const Id = v.pipe(v.string(), v.uuid());

/** @param args without `--json` and `--help` @throws OperatorError for what cannot be done, or is no command */
export async function runCommand(parts: OperatorParts, args: readonly string[]): Promise<Answer> {
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
  const rows = data.limits.map(({ name, value, own, maximum, used, is_reached }) => [
    name,
    valueInWords(name, value, 'none'),
    valueInWords(name, own, '–'),
    valueInWords(name, maximum, 'none'),
    `${valueInWords(name, used)}${is_reached ? ' (reached)' : ''}`,
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

async function correct(
  { db, clock }: OperatorParts,
  kind: Correction['kind'],
  args: readonly string[],
): Promise<Answer> {
  const [given, usd, name, reason] = exactly(args, ['ORG', 'USD', 'REFERENCE', 'REASON']);
  const organizationId = idOf(given);
  const micros = microsOf(usd, kind);
  const reference = said(name, 'REFERENCE must name this, so that it counts once: the number of a ticket, say.');
  const description = said(reason, 'REASON must say something: it is on the transactions.');
  const found = await enterCorrection(db, { organizationId, kind, micros, reference, description }, clock);
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

function microsOf(usd: string, kind: Correction['kind']): number {
  if (!/^-?\d{1,6}(\.\d{1,2})?$/.test(usd) || Number(usd) === 0)
    throw new OperatorError(
      `USD must be an amount such as 10${kind === 'credit' ? ' or 2.50' : ', 2.50 or -2.50'}, not ${JSON.stringify(usd)}.`,
    );
  const micros = Math.round(Number(usd) * MICROS_PER_USD);
  if (micros < 0 && kind === 'credit')
    throw new OperatorError('A credit is above zero. To take something from the balance: npm run admin -- correct');
  return micros;
}

/** Without line breaks, and whatever would steer a terminal. */
const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ');

/** @throws OperatorError where nothing is said */
function said(text: string, problem: string): string {
  const line = oneLine(text).trim();
  if (line === '') throw new OperatorError(problem);
  return line;
}

/** @throws OperatorError unless there is one for each name */
function exactly<const N extends readonly string[]>(args: readonly string[], names: N): { [K in keyof N]: string } {
  if (args.length !== names.length)
    throw new OperatorError(
      names.length === 0 ? 'This takes no more words.' : `This takes ${names.join(' ')}. See: npm run admin -- --help`,
    );
  // As long as the names, which the compiler cannot see.
  return args as unknown as { [K in keyof N]: string };
}

function idOf(text: string): string {
  if (!v.is(Id, text)) throw new OperatorError(`${JSON.stringify(text)} is no id: one looks like 0b7e4c1a-….`);
  return text.toLowerCase();
}

function limitOf(text: string): LimitName {
  if (!isLimitName(text))
    throw new OperatorError(`There is no limit ${JSON.stringify(text)}. There are: ${LIMITS.join(', ')}.`);
  return text;
}

function maximumOf(text: string): Maximum {
  if (text === 'none') return null;
  if (text === 'default') return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new OperatorError(`VALUE must be a whole number, none or default, not ${JSON.stringify(text)}.`);
  return value;
}

/** Columns of text. */
function table(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(oneLine));
  const widths = clean[0]?.map((_, n) => Math.max(...clean.map((row) => row[n]?.length ?? 0))) ?? [];
  return clean
    .map((row) =>
      row
        .map((cell, n) => cell.padEnd(widths[n] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
