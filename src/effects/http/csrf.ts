import { CSRF_COOKIE, CSRF_FIELD } from '#contract/session.ts';

/** The token of the hidden page element, else of the cookie; null if the page has neither (SES-02). */
export function readCsrfToken(page: Pick<Document, 'querySelector' | 'cookie'> = document): string | null {
  const field = page.querySelector<HTMLInputElement>(`input[name="${CSRF_FIELD}"]`);
  if (field?.value) return field.value;
  return tokenInCookie(page);
}

function tokenInCookie(page: Pick<Document, 'cookie'>): string | null {
  const start = `${CSRF_COOKIE}=`;
  const cookie = page.cookie
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start));
  return cookie?.slice(start.length) || null;
}

/**
 * Replaces the page's token by the cookie's, which came with a refusal: the page may be older than the cookie (CON-07).
 */
export function renewCsrfToken(page: Pick<Document, 'querySelector' | 'cookie'> = document): void {
  const field = page.querySelector<HTMLInputElement>(`input[name="${CSRF_FIELD}"]`);
  if (field) field.value = tokenInCookie(page) ?? '';
}
