/** The token behind `Bearer `, if there is one. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer\s+(\S.*)$/i.exec(header ?? '')?.[1]?.trim();
}
