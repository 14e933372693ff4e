// The card of a file and the choice of one replace each other, and hand the focus over.
export const FILE_CARD_ID = 'opened-file';
export const PICKER_ID = 'upload-file';
