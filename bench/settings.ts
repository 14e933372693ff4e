/** Shrinks every long run, to try a measurement out: `BENCH_SCALE=0.05 npm run bench soak`. 1 by default. */
const scale = Number(process.env['BENCH_SCALE'] ?? '1');

/** An amount (seconds, sessions, bytes) at the chosen scale, at least 1. */
export const scaled = (amount: number): number => Math.max(1, Math.round(amount * scale));

/** How long something is left to settle, milliseconds, given how long it takes at most: at a small scale, half a second. */
export const settling = (ms: number): number => Math.max(Math.min(ms, 500), Math.min(ms, ms * scale));
