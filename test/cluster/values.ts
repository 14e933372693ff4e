/** A file of settings as operators have it, with other values. @throws where one of them is not in it */
export function withValues(file: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((settings, [from, to]) => {
    if (!settings.includes(from)) throw new Error(`${from} is not in the settings:\n${file}`);
    return settings.replaceAll(from, to);
  }, file);
}
