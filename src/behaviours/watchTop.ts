/**
 * Reports whether the start of a list is in view or below it: then new rows above do not move the text being read. For
 * a mark at the start of the list. A ref callback that returns its undo.
 */
export function watchTop(onChange: (isAtTop: boolean) => void): (mark: HTMLElement) => () => void {
  return (mark) => {
    const observer = new IntersectionObserver((entries) => {
      const last = entries.at(-1);
      if (last) onChange(last.isIntersecting || last.boundingClientRect.top >= 0);
    });
    observer.observe(mark);
    return () => observer.disconnect();
  };
}
