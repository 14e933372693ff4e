/**
 * Which suite a file of Vitest's tests is in. The gate (`npm test`) has what is quick and decides; the whole suite
 * (`npm run test:all`) has every file. In Chromium a test is in the gate where its title ends in `@gate`.
 */

/** True in `npm test`; Vitest and Playwright started by hand run every file that they are given. */
export const isGate = process.env['SUITE'] === 'gate';

/** Left to the whole suite. Paths from the root. */
export const ONLY_WHOLE: readonly string[] = [
  // Accuracy and damage: many recordings through the recognizer and the decoders.
  'test/server/speech/accuracy.test.ts',
  'test/server/speech/decode-damage.test.ts',
  'test/server/speech/pool.test.ts',
  'test/server/speech/robustness.test.ts',
  'test/server/speech/speakers.test.ts',
  'test/server/translation/apertium.test.ts',
  // Random input, and many tries at guessing.
  'test/attacks/guessing.test.ts',
  'test/attacks/texts.test.ts',
  'test/server/v1/live-fuzz.test.ts',
  'test/server/v1/upload-fuzz.test.ts',
  // Faults of the machine around a server: directories, disks, descriptors, mail, the collector of traces. `kill` and `lock` are in the gate.
  'test/faults/descriptors.test.ts',
  'test/faults/directory.test.ts',
  'test/faults/disk.test.ts',
  'test/faults/live-kill.test.ts',
  'test/server/v1/interruptions.test.ts',
  'test/faults/smtp.test.ts',
  'test/server/v1/traces.test.ts',
  // Backups, the release and what operators load: they make archives, or need programs that only the whole suite fetches.
  'test/faults/backup.test.ts',
  'test/faults/backup-under-load.test.ts',
  'test/ops.test.ts',
  'test/release/ops-files.test.ts',
  'test/release/release.test.ts',
  // The house itself: a copy of the sources is built, the runner is started within the runner.
  'test/both-databases.test.ts',
  'test/recipe/recipe.test.ts',
];

/** In the gate these run on PostgreSQL alone, where they can fail: connections, locks, races, notifications, dying processes, migrations. */
export const GATE_ON_POSTGRES: readonly string[] = [
  'test/postgres/admin.test.ts',
  'test/postgres/away.test.ts',
  'test/postgres/clock.test.ts',
  'test/postgres/deletion.test.ts',
  'test/postgres/listen.test.ts',
  'test/postgres/postgres.test.ts',
  'test/postgres/processes.test.ts',
  'test/postgres/refusals.test.ts',
  'test/postgres/two-servers.test.ts',
  'test/faults/live-database-away.test.ts',
  'test/server/core/autopay-races.test.ts',
  'test/server/core/autopay-outcomes.test.ts',
  'test/server/core/database.test.ts',
  'test/server/core/deletion.test.ts',
  'test/server/core/ledger.test.ts',
  'test/server/core/ledger-random.test.ts',
  'test/server/core/limits.test.ts',
  'test/server/core/metering-fold.test.ts',
  'test/server/core/metering-races.test.ts',
  'test/server/core/metering-migration.test.ts',
  'test/server/core/migrate.test.ts',
  'test/server/core/payments.test.ts',
  'test/server/core/payment-errors-migration.test.ts',
  'test/server/core/schema.test.ts',
  'test/server/core/stripe-events.test.ts',
  'test/server/core/tokens.test.ts',
  'test/server/databases.test.ts',
  'test/server/v1/events.test.ts',
  'test/server/v1/fairness.test.ts',
  'test/server/v1/jobs.test.ts',
  'test/server/v1/limit-races.test.ts',
  'test/server/v1/limits.test.ts',
  'test/server/v1/live-races.test.ts',
  'test/server/v1/live-socket.test.ts',
  'test/server/v1/outages.test.ts',
  'test/server/v1/stream-peaks.test.ts',
];
