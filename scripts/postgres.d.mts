export const WITHOUT_POSTGRES: string;
/** The folder of PostgreSQL's programs; undefined when there is none. */
export function findPostgres(): string | undefined;
/** Installs one where nothing is there and that is possible. */
export function ensurePostgres(): void;
