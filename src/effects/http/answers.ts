/** Checks answers of both APIs: those that ky gets, and those to uploads. */
import * as v from 'valibot';
import { ApiError } from '#contract/errors.ts';
import { CallError, type Failure } from '#machines/shared/failure.ts';
import { errorMessage } from './errorMessage.ts';
import { fallbackMessage } from './unanswered.ts';

export type Schema = v.GenericSchema<unknown, unknown>;

export type Answer = { status: number; text: string; requestId: string | null };

/** The error of an answer outside 200–299. */
function refusal({ status, text, requestId }: Answer, supportEmail: string): CallError {
  let data: unknown;
  let kind: Failure['kind'] = 'HTTP';
  try {
    if (text !== '') data = JSON.parse(text);
  } catch {
    kind = 'PARSING_ERROR';
  }
  const parsed = v.safeParse(v.partial(ApiError), data);
  const known = parsed.success ? parsed.output : {};
  const id = known.request_id ?? requestId;
  return new CallError({
    message: errorMessage({ data }, supportEmail),
    kind,
    status,
    ...(known.error_type ? { errorType: known.error_type } : {}),
    ...(known.limit ? { limit: known.limit } : {}),
    ...(id ? { requestId: id } : {}),
    ...(known.validation_errors?.length
      ? { problems: known.validation_errors.map(({ location, message }) => ({ location, message })) }
      : {}),
  });
}

/**
 * The checked body of an answer; an empty body counts as `{}`.
 * @throws CallError `HTTP` if the status is outside 200–299; `PARSING_ERROR` if the body is no JSON or does not fit the
 * schema (API-05)
 */
export function readAnswer<S extends Schema>(answer: Answer, schema: S, supportEmail: string): v.InferOutput<S> {
  const { status, text, requestId } = answer;
  if (status < 200 || status > 299) throw refusal(answer, supportEmail);
  const unfit = () =>
    new CallError({
      message: fallbackMessage(supportEmail),
      kind: 'PARSING_ERROR',
      status,
      ...(requestId ? { requestId } : {}),
    });
  let data: unknown;
  try {
    data = text === '' ? {} : JSON.parse(text);
  } catch {
    throw unfit();
  }
  const parsed = v.safeParse(schema, data);
  if (!parsed.success) throw unfit();
  return parsed.output;
}
