import * as v from 'valibot';
import { PAYMENT_MODES } from './payments.ts';

/** The id of the JSON element in the page that carries {@link PageSettings}. */
export const SETTINGS_ELEMENT_ID = 'settings';

/**
 * Where mails go (UXP-33). `sent`: to a mail server; `outboxOpen`: to the server's outbox, open to this browser;
 * `outboxClosed`: to the outbox, for the link printed at the start; `lost`: nowhere, as others reach the server.
 */
export const MAILS = ['sent', 'outboxOpen', 'outboxClosed', 'lost'] as const;
/** The page of the outbox, on the server's own origin. */
export const OUTBOX_PATH = '/outbox';

const Link = v.pipe(v.string(), v.url(), v.startsWith('http'));

/** Micro-USD per hour of audio, by `async`, `live` or the name of a model (`contract/prices.ts`). Empty: no prices. */
export const PriceList = v.record(v.string(), v.pipe(v.number(), v.safeInteger(), v.minValue(0)));
export type PriceList = Readonly<v.InferOutput<typeof PriceList>>;

/** Days until the server removes things, by `Kept`; missing means never. For `usage`, from the end of its month. */
const KeptDays = v.record(v.string(), v.number());
/** Things whose removal the console mentions. */
export type RetentionKind = 'usage' | 'audit' | 'recordings' | 'transcriptions';

/** Settings that the server writes into the page: names, addresses, links. Nothing secret. */
export const PageSettings = v.object({
  /** Machine name of the product; prefixes storage keys such as `{product}_ref`. */
  product: v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_-]*$/)),
  productName: v.string(),
  /** Whom to contact: an address, or the word 'support' if the operator has set none. */
  supportEmail: v.string(),
  /** Base address of the speech API, without `/v1`; empty for the page's own origin. */
  speechBaseUrl: v.string(),
  /** Full address of the live socket; empty to derive it from the page's address (LIV-16). */
  streamingUrl: v.string(),
  /** Links that the operator has not set are missing, here and on every screen (UXP-31). */
  links: v.object({
    docs: Link,
    apiReference: Link,
    repository: v.optional(Link),
    community: v.optional(Link),
    terms: v.optional(Link),
    privacy: v.optional(Link),
  }),
  mails: v.picklist(MAILS),
  /** The present prices, from which the page computes costs beforehand. */
  prices: PriceList,
  payments: v.picklist(PAYMENT_MODES),
  /** Whether each person's first organization gets a starting credit. */
  startingCredit: v.boolean(),
  /** Whether single sign-on is configured. Only then the console offers it. */
  singleSignOn: v.boolean(),
  keptDays: KeptDays,
  /** Largest upload in bytes; the page checks it before sending. */
  maxUploadBytes: v.number(),
});
export type PageSettings = v.InferOutput<typeof PageSettings>;

/** The console's first host label, and the label that replaces it to reach the live socket (LIV-16). */
export const CONSOLE_HOST_LABEL = 'console';
export const STREAMING_HOST_LABEL = 'stt-rt';
