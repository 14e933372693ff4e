/** Changes with whatever an empty database depends on. */
export function databaseVersion(): string;
/** Makes it, once per state of the migrations, in a folder that keeps it. @returns its folder */
export function emptyDatabase(cache?: string): string;
