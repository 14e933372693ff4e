import type { Services } from '../platform/context.ts';
import { systemClock, type Clock } from '../platform/clock.ts';
import { RefusedLog } from '../money/logs/refused.ts';
import { LIMIT_DEFAULTS, type LimitDefaults } from '../money/limits/defaults.ts';
import { LIVE_LIMITS, type LiveLimits } from './live/limits.ts';
import { catalogueOf, type Catalogue } from './models/catalogue.ts';
import { allowing } from '../platform/outgoing/addresses.ts';
import { createOutgoing, type Outgoing, type OutgoingOptions } from '../platform/outgoing/client.ts';
import type { AudioDecoder, SttEngine } from '../engine/port.ts';
import type { Sealer } from '../platform/sealed.ts';
import type { FileStorage } from '../platform/storage/port.ts';
import { webhookSealer } from './transcriptions/webhook-secret.ts';
import { UPLOAD_MAX_BYTES } from '#contract/files.ts';
import { STORED_ITEM_LIMITS, type StoredItemLimits } from './limits.ts';

/** The server's services, and those of the speech API. */
export interface SpeechServices extends Services {
  engine: SttEngine;
  decoder: AudioDecoder;
  models: Catalogue;
  /** Largest upload, bytes. */
  maxUploadBytes: number;
  /** Default limits of organizations. */
  limitDefaults: LimitDefaults;
  storedItemLimits: StoredItemLimits;
  liveLimits: LiveLimits;
  /** Makes requests to URLs that clients give. */
  outgoing: Outgoing;
  /** Seals header values of webhooks. */
  webhookSealer: Sealer;
  /** Timers of live sessions. */
  timers: Clock;
  /** Notes refused requests. */
  refusedLog: RefusedLog;
}

export interface SpeechOverrides {
  storage?: FileStorage;
  maxUploadBytes?: number;
  limitDefaults?: Partial<LimitDefaults>;
  storedItemLimits?: Partial<StoredItemLimits>;
  liveLimits?: Partial<LiveLimits>;
  /** Allowed addresses, and how names are resolved. */
  outgoing?: Partial<OutgoingOptions>;
  timers?: Clock;
}

/** Adds the speech API's services to the server's. */
export function createSpeechServices(
  services: Services,
  speech: { engine: SttEngine; decoder: AudioDecoder },
  overrides: SpeechOverrides = {},
): SpeechServices {
  const timers = overrides.timers ?? systemClock;
  return {
    ...services,
    ...speech,
    storage: overrides.storage ?? services.storage,
    models: catalogueOf(speech.engine),
    maxUploadBytes: overrides.maxUploadBytes ?? UPLOAD_MAX_BYTES,
    limitDefaults: { ...LIMIT_DEFAULTS, ...overrides.limitDefaults },
    storedItemLimits: { ...STORED_ITEM_LIMITS, ...overrides.storedItemLimits },
    liveLimits: { ...LIVE_LIMITS, ...overrides.liveLimits },
    outgoing: createOutgoing({ allow: allowing(services.config.outgoingAllowedNetworks), ...overrides.outgoing }),
    webhookSealer: webhookSealer(services.secretFor),
    timers,
    refusedLog: new RefusedLog({ ...services, timers }),
  };
}
