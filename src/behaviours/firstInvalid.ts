/**
 * Gives the focus to the first field with an error after each refused submit, also where the same field has the same
 * error again. For the form element, whose `data-refusals` counts the refused submits: when there is an error is the
 * form chart's knowledge, and which field stands first only the page's. As a ref callback it returns its own undo.
 */
export function firstInvalid(form: HTMLElement): () => void {
  const refusals = new MutationObserver(() => {
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  });
  refusals.observe(form, { attributes: true, attributeFilter: ['data-refusals'] });
  return () => refusals.disconnect();
}
