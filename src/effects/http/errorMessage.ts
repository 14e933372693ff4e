/** The text behind an error, for a person (ERR-01). */
import { stripMarkup } from '#machines/shared/markup.ts';
import { fallbackMessage } from './unanswered.ts';

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;
const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

function fromValidationErrors(data: unknown): string | undefined {
  const entries = field(data, 'validation_errors');
  if (!Array.isArray(entries)) return undefined;
  return asText(
    entries
      .map((entry) => asText(field(entry, 'message')))
      .filter((line) => line !== undefined)
      .join('\n'),
  );
}

function fromFirstElement(body: unknown): string | undefined {
  const element = first(body);
  return asText(first(field(element, 'non_field_errors'))) ?? asText(field(element, 'message')) ?? asText(element);
}

/** Such as `{ email: ['This field is required.'] }`. */
function fromFirstValue(body: unknown): string | undefined {
  if (!isFields(body)) return undefined;
  const value = Object.values(body)[0];
  return asText(value) ?? asText(first(value));
}

function find(error: unknown): string | undefined {
  const data = field(error, 'data');
  const body = data ?? error;
  return (
    fromValidationErrors(data) ??
    asText(field(data, 'message')) ??
    asText(field(error, 'message')) ??
    fromFirstElement(body) ??
    asText(first(field(body, 'non_field_errors'))) ??
    fromFirstValue(body) ??
    asText(field(error, 'error')) ??
    asText(field(data, 'error'))
  );
}

/**
 * The text to show for an error, from the first source of ERR-01's list that has one. `error` is whatever was thrown
 * or, for an answer of a server, `{ data: body }`. Markup is stripped. Never throws.
 */
export function errorMessage(error: unknown, supportEmail: string): string {
  if (error === undefined || error === null) return 'no error provided';
  try {
    return asText(stripMarkup(find(error) ?? '')) ?? fallbackMessage(supportEmail);
  } catch {
    return fallbackMessage(supportEmail);
  }
}
