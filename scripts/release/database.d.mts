/** A hash of everything that an empty database depends on. */
export function databaseVersion(): string;
/** Makes the empty database, once per {@link databaseVersion}. @param cache folder that keeps it @returns its folder */
export function emptyDatabase(cache?: string): string;
