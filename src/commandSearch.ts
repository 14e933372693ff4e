/** Finds commands by what the person types into the palette. */
import type { Command } from './commands.ts';

/** Without accents, in lower case. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

/** Commands with every word of the query; first those whose label has each at the start of a word. */
export function found(commands: readonly Command[], query: string): readonly Command[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return commands;
  const hits = commands.filter(({ label, about }) => words.every((word) => plain(`${label} ${about}`).includes(word)));
  const isAtStarts = ({ label }: Command) => words.every((word) => ` ${plain(label)}`.includes(` ${word}`));
  return [...hits.filter(isAtStarts), ...hits.filter((command) => !isAtStarts(command))];
}
