/**
 * Tells whether the beginning of a list is in sight, or further down: then nothing that comes in above moves what one reads.
 * For a mark at the beginning; as a ref callback it returns its own undo.
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
