/**
 * After a submit that found something wrong, the first field with an error takes the focus. For the form element; as a
 * ref callback it returns its own undo.
 */
export function firstInvalid(form: HTMLElement): () => void {
  let submitted = false;
  const submit = () => {
    submitted = true;
  };
  const change = () => {
    submitted = false;
  };
  const errors = new MutationObserver(() => {
    if (!submitted) return;
    const field = form.querySelector<HTMLElement>('[aria-invalid=true]');
    if (!field) return;
    submitted = false;
    field.focus();
  });
  form.addEventListener('submit', submit);
  form.addEventListener('input', change);
  errors.observe(form, { subtree: true, attributes: true, attributeFilter: ['aria-invalid'] });
  return () => {
    errors.disconnect();
    form.removeEventListener('submit', submit);
    form.removeEventListener('input', change);
  };
}
