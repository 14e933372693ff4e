/** Writes a line of progress for a person. */
export type Say = (line: string) => void;

const EVERY_MS = 5000;

export const toStandardError: Say = (line) => void process.stderr.write(`${line}\n`);

/** Says a line at most once in {@link EVERY_MS}. @param now milliseconds, monotonic */
export function throttled(say: Say, now: () => number = () => performance.now()): (line: () => string) => void {
  let last = now();
  return (line) => {
    if (now() - last < EVERY_MS) return;
    last = now();
    say(line());
  };
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Such as `1.4 GB`. */
export function sizeInWords(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${UNITS[step]}`;
}

export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
