/** A key or token without surrounding blanks; undefined if nothing is left. */
export const keyOf = (given: string | null | undefined): string | undefined => given?.trim() || undefined;

/** The token after `Bearer` in an authorization header, if there is one. */
export const bearerOf = (header: string | undefined): string | undefined =>
  keyOf(/^Bearer\s+(.*)$/i.exec(header ?? '')?.[1]);
