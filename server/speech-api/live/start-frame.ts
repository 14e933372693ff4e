import * as v from 'valibot';

const text = v.fallback(v.nullish(v.string(), null), null);
const Told = v.object({ api_key: text, model: text, client_reference_id: text });

/** What the first text frame of a session tells, also one that is refused. */
export class StartFrame {
  apiKey: string | null = null;
  model: string | null = null;
  clientReferenceId: string | null = null;
  #isTaken = false;

  /** Takes a text frame; only the first one counts. */
  take(frame: string): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    const told = v.safeParse(v.pipe(v.string(), v.parseJson(), Told), frame);
    if (!told.success) return;
    this.apiKey = told.output.api_key;
    this.model = told.output.model;
    this.clientReferenceId = told.output.client_reference_id;
  }
}
