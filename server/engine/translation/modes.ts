/** Finds the language pairs of an Apertium installation. Each has a `.mode` file with its pipeline of programs. */
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface LanguagePair {
  /** ISO 639-1 code, else ISO 639-3. */
  from: string;
  to: string;
}

interface InstalledPair extends LanguagePair {
  /** The pipeline as a POSIX shell command; every program flushes at a NUL. */
  pipeline: string;
}

/** Programs that flush at a NUL with the option `-z`. A mode with any other program would never answer. */
const STAGE = /^(?:apertium-[a-z-]+|(?:lt|lrx|lsx|rtx|hfst)-proc|cg-proc)$/;
/** Leaves out variants such as `eng-spa_US`, for which the API has no name. */
const MODE_FILE = /^([a-z]{2,3})-([a-z]{2,3})\.mode$/;

/**
 * The pairs that can run, because all their programs and data files exist.
 * None if there is no installation.
 * @param home the folder that holds `modes/`
 * @param path folders of programs, as in `PATH`
 * @throws the error of reading an installation
 */
export function installedPairs(home: string, path: string): InstalledPair[] {
  const folder = join(home, 'modes');
  const pairs = new Map<string, InstalledPair>();
  for (const name of namesIn(folder).sort()) {
    const [, from, to] = (MODE_FILE.exec(name) ?? []).map(languageCode);
    const pipeline = from && to && from !== to ? readPipeline(join(folder, name), path) : undefined;
    if (from && to && pipeline !== undefined && !pairs.has(`${from}:${to}`))
      pairs.set(`${from}:${to}`, { from, to, pipeline });
  }
  return [...pairs.values()];
}

/** The names of the files in a folder; none if there is no folder. @throws the error of reading it */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** `eng` → `en`; undefined if the code stands for a language in a certain script or region. */
function languageCode(code: string): string | undefined {
  try {
    const known = new Intl.Locale(code).toString();
    return known.includes('-') ? undefined : known;
  } catch {
    return undefined;
  }
}

function readPipeline(file: string, path: string): string | undefined {
  const stages = readFileSync(file, 'utf8').trim().split('|').map(words);
  const commands = stages.map((stage) => {
    const [program, ...rest] = stage ?? [];
    const executable = program === undefined ? undefined : locate(program, path);
    if (executable === undefined || rest.some((argument) => argument.startsWith('/') && !existsSync(argument)))
      return undefined;
    // `$1` becomes the option for unmarked unknown words. `$2` would print the tagger's work, so drop it.
    const given = rest.flatMap((argument) => (argument === '$1' ? ['-n'] : argument === '$2' ? [] : [argument]));
    return [executable, '-z', ...given].map(quoted).join(' ');
  });
  return commands.every((command) => command !== undefined) ? commands.join(' | ') : undefined;
}

/** The words of a stage, without their single quotes; undefined if it has any other syntax of a shell. */
function words(stage: string): string[] | undefined {
  const found = stage.match(/'[^']*'|[^\s']+/g) ?? [];
  const plain = found.map((word) => (word.startsWith("'") ? word.slice(1, -1) : word));
  return found.length > 0 && found.every((word) => word.startsWith("'") || /^(?:\$[12]|[\w./:=+-]+)$/.test(word))
    ? plain
    : undefined;
}

function locate(program: string, path: string): string | undefined {
  if (!STAGE.test(program.slice(program.lastIndexOf('/') + 1))) return undefined;
  const candidates = program.startsWith('/')
    ? [program]
    : path
        .split(delimiter)
        .filter((folder) => folder.startsWith('/'))
        .map((folder) => join(folder, program));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
