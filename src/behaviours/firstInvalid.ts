/**
 * Focuses the first field with an error after each refused submit. For the form element, whose `data-refused-submits`
 * counts them: the chart knows when a submit was refused, only the page knows which field comes first. A ref callback
 * that returns its undo.
 */
export function firstInvalid(form: HTMLElement): () => void {
  const refusals = new MutationObserver(() => {
    form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  });
  refusals.observe(form, { attributes: true, attributeFilter: ['data-refused-submits'] });
  return () => refusals.disconnect();
}
