const names = new Intl.DisplayNames('en', { type: 'language' });

/** The English name of a language code: 'pt-BR' → 'Brazilian Portuguese'. A code that has none, or that is none, stands for itself. */
export function languageName(code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
