const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

/**
 * Narrows a long list of choices down while someone types. For the element around `[data-choice-search]`, the choices
 * `[data-choice=TEXT]`, and `[data-choice-count]`, which says what is left. Returns its own undo, as a ref callback does.
 */
export function filterChoices(element: HTMLElement): () => void {
  const search = element.querySelector<HTMLInputElement>('[data-choice-search]');
  const count = element.querySelector<HTMLElement>('[data-choice-count]');
  const filter = () => {
    const words = plain(search?.value ?? '')
      .split(/\s+/)
      .filter((word) => word !== '');
    const choices = [...element.querySelectorAll<HTMLElement>('[data-choice]')];
    for (const choice of choices)
      choice.hidden = !words.every((word) => plain(choice.dataset['choice'] ?? '').includes(word));
    const left = choices.filter((choice) => !choice.hidden).length;
    if (count)
      count.textContent =
        words.length === 0 ? '' : left === 0 ? 'No such language.' : `${left} of ${choices.length} languages.`;
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !search || search.value === '') return;
    event.stopPropagation();
    event.preventDefault();
    search.value = '';
    filter();
  };
  search?.addEventListener('input', filter);
  search?.addEventListener('keydown', keyDown);
  return () => {
    search?.removeEventListener('input', filter);
    search?.removeEventListener('keydown', keyDown);
  };
}
