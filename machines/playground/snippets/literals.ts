// Writes values as literals of a language, so that no text of a user can end a string early.
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** A JavaScript or JSON literal over several lines; `indent` begins every line but the first. */
export function jsLiteral(value: Json, indent = ''): string {
  return JSON.stringify(value, null, 2)
    .replaceAll('\n', `\n${indent}`)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}

/** A Python literal, laid out like {@link jsLiteral}. */
export function pythonLiteral(value: Json, indent = ''): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  // A JSON string is a Python string too.
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return String(value);
  const inner = `${indent}    `;
  const block = (open: string, parts: string[], close: string) =>
    parts.length === 0
      ? open + close
      : `${open}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${indent}${close}`;
  if (isList(value))
    return block(
      '[',
      value.map((item) => pythonLiteral(item, inner)),
      ']',
    );
  const entries = Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [`${JSON.stringify(key)}: ${pythonLiteral(item, inner)}`],
  );
  return block('{', entries, '}');
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** A quoted word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Escapes a text for use between double quotes in a POSIX shell. */
export const shellText = (text: string): string => text.replaceAll(/["$`\\]/g, String.raw`\$&`);
