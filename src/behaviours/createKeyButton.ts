/** Where the focus goes when what had it has gone with a key, or with the form of one. */
export const CREATE_KEY_ID = 'create-api-key';
export const createKeyButton = (): HTMLElement | null => document.getElementById(CREATE_KEY_ID);
