/** A key or token as somebody wrote it, without the blanks around it; undefined where there is none. */
export const keyOf = (given: string | null | undefined): string | undefined => given?.trim() || undefined;

/** The token behind `Bearer `, if there is one. */
export const bearerOf = (header: string | undefined): string | undefined =>
  keyOf(/^Bearer\s+(.*)$/i.exec(header ?? '')?.[1]);
