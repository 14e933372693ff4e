/** The id of a page's main element, the target of the skip link. */
export const CONTENT_ID = 'content';
