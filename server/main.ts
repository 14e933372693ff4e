/** Starts a server process: APIs, live socket and console on one port. */
import { createServer } from 'node:http';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pruneHourly } from './identity/accounts/prune.ts';
import { loadConfig, type Config } from './platform/config.ts';
import { createServices, originOf, type Services } from './platform/context.ts';
import { DEMO_PASSWORD_FILE } from './platform/data-dir.ts';
import { openAdminSocket } from './app/admin/socket.ts';
import { checkDemoPassword, createDemo, DEMO_EMAIL, type Demo } from './app/demo.ts';
import { explain } from './app/explain.ts';
import { keepRetention } from './app/retention.ts';
import { seedSamples } from './speech-api/files/samples.ts';
import { createApp } from './app/app.ts';
import { keepProcessRow } from './app/processes.ts';
import { serveMetrics } from './app/metrics-server.ts';
import { createWorkerApp } from './app/worker-app.ts';
import { keepDatabaseUp } from './platform/db/upkeep.ts';
import { listen, probePort, wire } from './http/listen.ts';
import { hasOutboxPage, outboxLink } from './app/outbox-page.ts';
import { createAudioDecoder } from './engine/decode/audio.ts';
import { createEmbeddedEngine } from './engine/recognizer/embedded.ts';
import type { SttEngine } from './engine/port.ts';
import { translatingEngine } from './engine/translation/engine.ts';
import { findApertium } from './engine/translation/translator.ts';
import { UpstreamEngine } from './engine/upstream/engine.ts';
import { storePricesAndCredit } from './money/charging.ts';
import { LIMIT_DEFAULTS } from './money/limits/defaults.ts';
import { keepCompacted } from './money/usage/compact.ts';
import { keepMonths } from './money/usage/months.ts';
import { finishRebuild } from './money/usage/rebuild.ts';
import { createPayments, startBilling } from './money/payments/start.ts';
import { startSpeechApi } from './speech-api/start.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function start(config: Config, dev: boolean): Promise<void> {
  await probePort(config);
  const opened = performance.now();
  say(
    config.databaseUrl === undefined ? `Opening the database in ${config.dataDir} …` : 'Connecting to the database …',
  );
  const services = await createServices(config);
  endOnSignal(services);
  say(`Database ready after ${seconds(opened)}.`);
  try {
    const metricsPort = await serveMetrics(services);
    const payments = await createPayments(services);
    await finishRebuild(services.database.patient);
    await keepMonths(services);
    await storePricesAndCredit(services);
    await startBilling(services, payments);
    const engine = createEngine(services);
    const speech = await startSpeechApi(services, { engine, decoder: createAudioDecoder() });
    announce(services, engine);
    const server = createServer();
    if (config.role === 'worker') {
      wire(services, server, { app: createWorkerApp(services) });
    } else if (dev) {
      const { createDevShell } = await import('./app/dev-shell.ts');
      const shell = await createDevShell(server);
      services.closing.add('http', 'vite', () => shell.close());
      wire(services, server, {
        app: createApp(services, { parts: [speech], payments, pages: shell.pages }),
        before: shell.before,
        foreignUpgrade: shell.foreignUpgrade,
      });
    } else {
      wire(services, server, { app: createApp(services, { parts: [speech], payments }) });
    }
    const demo = config.role === 'worker' ? undefined : await createDemo(services);
    if (demo !== undefined && demo !== 'withheld') await seedSamples(speech, demo.projectId);
    await listen(services, server);
    if (config.databaseUrl === undefined) await openAdminSocket(services, LIMIT_DEFAULTS);
    await keepProcessRow(services, engine);
    pruneHourly(services);
    keepRetention(services);
    keepDatabaseUp(services);
    keepCompacted(services);
    if (config.role === 'worker') say(`\n  ${config.productName} worker   ${services.publicUrl()}/readyz\n`);
    else greet(services, demo);
    if (config.metrics !== undefined && metricsPort !== undefined)
      say(
        `  Metrics           ${originOf({ publicUrl: undefined, host: config.metrics.host }, metricsPort)}/metrics\n`,
      );
  } catch (error) {
    await services.closing.run();
    throw error;
  }
}

/** The embedded recognizer, with Apertium if the machine has it; or the speech service that the settings name. */
function createEngine({ config, log }: Services): SttEngine {
  if (config.upstream !== undefined) return new UpstreamEngine({ ...config.upstream, log });
  const engine = createEmbeddedEngine({ logger: log });
  const translator =
    config.apertiumDir === undefined
      ? undefined
      : findApertium({ home: config.apertiumDir, path: process.env['PATH'] ?? '', log });
  return translator === undefined ? engine : translatingEngine(engine, translator);
}

/** Prints a line when the engine is ready. The server already answers meanwhile. */
function announce(services: Services, engine: SttEngine): void {
  const from = performance.now();
  engine.ready().then(
    () => {
      const { runtime, workers } = engine.info();
      say(
        runtime === 'upstream'
          ? `Speech service ready after ${seconds(from)}.`
          : `Recognizer ready after ${seconds(from)} (${runtime}, up to ${workers} processes).`,
      );
    },
    (error: unknown) => {
      if (services.closing.begun) return;
      process.stderr.write(
        `${engine.info().runtime === 'upstream' ? 'Nothing can be transcribed until the speech service answers; everything else works.' : 'The recognizer cannot start; everything else works.'} ${error instanceof Error ? error.message : String(error)}\n`,
      );
    },
  );
}

function greet(services: Services, demo: Demo | 'withheld' | undefined): void {
  const { config } = services;
  say(`\n  ${config.productName} Console   ${services.publicUrl()}/`);
  const kept = join(config.dataDir, DEMO_PASSWORD_FILE);
  if (demo === 'withheld') say('  Demo account      none; with a public address it needs DEMO_PASSWORD');
  else if (demo !== undefined && config.demoPassword === undefined)
    say(`  Demo account      ${DEMO_EMAIL}  password ${demo.password}  (kept in ${kept})`);
  else if (demo !== undefined) say(`  Demo account      ${DEMO_EMAIL}  password from DEMO_PASSWORD`);
  else if (config.databaseUrl === undefined && existsSync(kept))
    say(`  Demo account      ${DEMO_EMAIL}  password in ${kept}`);
  if (hasOutboxPage(services)) say(`  Mails             ${outboxLink(services)}`);
  else if (config.smtpUrl === undefined)
    say('  Mails             reach nobody until SMTP_URL is set: nobody can sign up');
  say('');
}

/** The first signal ends the server in order, the second at once. */
function endOnSignal(services: Services): void {
  let asked = false;
  const end = (drain: boolean): void => {
    if (asked) process.exit(1);
    asked = true;
    say('Stopping …');
    void services.closing.run({ drain }).then(() => process.exit(0));
  };
  // SIGINT comes from a terminal, where somebody waits. SIGTERM stops a service, which lets running work end.
  process.on('SIGINT', () => end(false));
  process.on('SIGTERM', () => end(true));
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

// Only the server's own user may read its files, those of the database and of child processes too.
process.umask(0o077);
let config: Config | undefined;
try {
  config = loadConfig(process.env);
  await checkDemoPassword(config);
  await start(config, process.argv.includes('--dev'));
} catch (error) {
  process.stderr.write(`${explain(error, config, process.env)}\n`);
  process.exit(1);
}
