/** Takes the focus when the focused key, or the form of a new key, disappears. */
export const CREATE_KEY_ID = 'create-api-key';
export const createKeyButton = (): HTMLElement | null => document.getElementById(CREATE_KEY_ID);
