/** Tells a person how far a long command has come: at most a line every few seconds. */
export type Say = (line: string) => void;

const EVERY_MS = 5000;

export const toStandardError: Say = (line) => void process.stderr.write(`${line}\n`);

/** @returns tells a line, unless the last one was a moment ago */
export function nowAndThen(say: Say, passed: () => number = () => performance.now()): (line: () => string) => void {
  let last = passed();
  return (line) => {
    if (passed() - last < EVERY_MS) return;
    last = passed();
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
