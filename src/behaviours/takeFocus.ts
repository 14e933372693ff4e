/** For the first field of a page that is nothing but a form: it has the focus when it appears. A ref callback. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}
