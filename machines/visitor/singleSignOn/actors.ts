import { promisePlaceholder } from '../../shared/placeholder.ts';

/** Begins a sign-in and resolves to the URL of the provider's page. `from`: path to return to; empty if unknown. */
export const requestSignOn = promisePlaceholder<string, { from: string }>('requestSignOn');

/** Leaves the console for a URL; resolves only if the browser shows this page again, as after Back. */
export const leavePage = promisePlaceholder<void, { url: string }>('leavePage');
