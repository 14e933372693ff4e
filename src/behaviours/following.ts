/**
 * Fills a field whose text the browser keeps, such as when the address changes. The field stays, and so does its focus.
 * A ref callback: another one for another value.
 */
export const following = (value: string) => (field: HTMLInputElement | null) => {
  if (field) field.value = value;
};
