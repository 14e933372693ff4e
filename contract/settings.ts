import * as v from 'valibot';
import { PAYMENT_MODES } from './payments.ts';

/** The id of the JSON element in the page that carries {@link PageSettings}. */
export const SETTINGS_ELEMENT_ID = 'settings';

/**
 * What becomes of mails (UXP-33): a mail server sends them; or they stay in the server's outbox, which this browser can open, or
 * only who has the link that the start printed, or nobody, as the server can be reached from elsewhere.
 */
export const MAILS = ['sent', 'outboxOpen', 'outboxClosed', 'lost'] as const;
/** The page of the outbox, on the server's own origin. */
export const OUTBOX_PATH = '/outbox';

const Link = v.pipe(v.string(), v.url(), v.startsWith('http'));

/** Micro-USD per hour of audio, by `async`, `live` or the name of a model (`contract/prices.ts`). Empty: nothing has a price. */
export const PriceList = v.record(v.string(), v.pipe(v.number(), v.safeInteger(), v.minValue(0)));
export type PriceList = Readonly<v.InferOutput<typeof PriceList>>;

/** After how many days the operator lets things be removed, by `Kept`; what is left out is kept for good. Of `usage` from the end of a month on. */
const KeptDays = v.record(v.string(), v.number());
/** What the console tells that of. */
export type Kept = 'usage' | 'audit' | 'recordings' | 'transcriptions';

/** What the server tells the page before any call: names, addresses, links. Nothing secret. */
export const PageSettings = v.object({
  /** Machine name of the product; prefixes storage keys such as `{product}_ref`. */
  product: v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_-]*$/)),
  productName: v.string(),
  /** Whom people are told to contact: an address, or the word 'support' where the operator has named none. */
  supportEmail: v.string(),
  /** Base address of the speech API, without `/v1`; empty means the page's own origin. */
  speechBaseUrl: v.string(),
  /** Full address of the live socket; empty means: derive it from the page's address (LIV-16). */
  streamingUrl: v.string(),
  /** What the operator has not set is left out, and has no link on any screen (UXP-31). */
  links: v.object({
    docs: Link,
    apiReference: Link,
    repository: v.optional(Link),
    community: v.optional(Link),
    terms: v.optional(Link),
    privacy: v.optional(Link),
  }),
  mails: v.picklist(MAILS),
  /** The prices that hold now, by which the page tells beforehand what something will cost. Empty: nothing has one. */
  prices: PriceList,
  payments: v.picklist(PAYMENT_MODES),
  /** Whether the first organization of each person begins with a starting credit. */
  startingCredit: v.boolean(),
  /** Whether single sign-on is configured; the console offers it only then. */
  singleSignOn: v.boolean(),
  keptDays: KeptDays,
  /** Upload limit in bytes, checked before sending. */
  maxUploadBytes: v.number(),
});
export type PageSettings = v.InferOutput<typeof PageSettings>;

/** A leading host label of the console, and what replaces it to reach the live socket (spec §7). */
export const CONSOLE_HOST_LABEL = 'console';
export const STREAMING_HOST_LABEL = 'stt-rt';
