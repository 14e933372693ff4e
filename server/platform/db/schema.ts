import type { CoreTables } from './core-tables.ts';
import type { LedgerTables } from './ledger-tables.ts';
import type { LimitTables } from './limit-tables.ts';
import type { PeopleTables } from './people-tables.ts';
import type { SpeechTables } from './speech-tables.ts';
import type { UsageTables } from './usage-tables.ts';
import type { WebhookTables } from './webhook-tables.ts';

/** Every table, by name. A migration that adds tables adds their types here (`CoreTables & …Tables`). */
export type Schema = CoreTables &
  SpeechTables &
  PeopleTables &
  UsageTables &
  LedgerTables &
  LimitTables &
  WebhookTables;
