import { expect, type Page } from '@playwright/test';
import type { RemovalKind } from '#machines/playground/removal/actors.ts';

const LABELS = { file: 'Files', transcription: 'Transcriptions' } as const;

/** One of the two lists of the playground. */
export function recordings(page: Page, kind: RemovalKind) {
  const list = page.getByRole('list', { name: LABELS[kind] });
  return {
    /** The list with what is said around it. */
    box: page.getByRole('group', { name: LABELS[kind] }),
    link: (name: string) => list.getByRole('link', { name }),
    remove: (name: string) => list.getByRole('button', { name: `Delete ${name}`, exact: true }),
    /** The list holds these and nothing else; also behind a question, which takes its role away. */
    shows: (names: readonly string[]) =>
      expect(page.locator(`[data-rows=${LABELS[kind]}] li`)).toHaveText(
        names.map((name) => new RegExp(name.replace('.', '\\.'))),
      ),
  };
}
