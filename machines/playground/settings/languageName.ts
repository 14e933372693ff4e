import { lazily } from '../../shared/lazily.ts';

const names = lazily(() => new Intl.DisplayNames('en', { type: 'language' }));

/** The English name of a language code: 'pt-BR' → 'Brazilian Portuguese'; the code itself if it has no name. */
export function languageName(code: string): string {
  try {
    return names().of(code) ?? code;
  } catch {
    return code;
  }
}
