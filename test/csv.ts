/** Reads comma-separated values as RFC 4180 has them: a row each by the names of the columns. */
export function readCsv(text: string): Record<string, string>[] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  let place = 0;
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    const [, quoted, plain = '', end] = match;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',') rows.push([]);
    place = cell.lastIndex;
    if (place === text.length) break;
  }
  if (place !== text.length) throw new Error(`No CSV from character ${place} on.`);
  const [names = [], ...values] = rows.slice(0, -1);
  return values.map((row) => {
    if (row.length !== names.length) throw new Error(`A row has ${row.length} cells in place of ${names.length}.`);
    return Object.fromEntries(names.map((name, column) => [name, row[column] ?? '']));
  });
}
