import * as v from 'valibot';
import type { LogRequest } from '#contract/logs.ts';
import { askedIn } from '../../money/logs/asked.ts';

const text = v.fallback(v.nullish(v.string(), null), null);
const Told = v.object({ api_key: text, model: text, client_reference_id: text });

/** What the first text frame of a session tells, also one that is refused. */
export class StartFrame {
  apiKey: string | null = null;
  model: string | null = null;
  clientReferenceId: string | null = null;
  /** Its settings; null if they could not be read. */
  asked: LogRequest | null = null;
  #isTaken = false;

  /** Takes a text frame; only the first one counts. */
  take(frame: string): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    const read = v.safeParse(v.pipe(v.string(), v.parseJson()), frame);
    if (!read.success) return;
    this.asked = askedIn(read.output);
    const told = v.safeParse(Told, read.output);
    if (!told.success) return;
    this.apiKey = told.output.api_key;
    this.model = told.output.model;
    this.clientReferenceId = told.output.client_reference_id;
  }
}
