export const WITHOUT_POSTGRES: string;
/** The folder of PostgreSQL's programs; undefined if there is none. */
export function findPostgres(): string | undefined;
/** Installs PostgreSQL if it is missing and that is possible. */
export function ensurePostgres(): void;
