/** Shrinks every long run, to try a measurement out: `BENCH_SCALE=0.05 npm run bench soak`. 1 by default. */
const scale = Number(process.env['BENCH_SCALE'] ?? '1');

/** An amount (seconds, sessions, bytes) at the chosen scale, at least 1. */
export const scaled = (amount: number): number => Math.max(1, Math.round(amount * scale));
