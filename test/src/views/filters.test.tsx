/** Filters: what is typed in them, and when it is applied. */
import type { MouseEvent } from 'react';
import { expect, it, vi } from 'vitest';
import { ReachableButton } from '#src/views/ui/ReachableButton.tsx';

it('CON-33: a button that does not work does not submit its form', () => {
  const isPrevented = (can: boolean) => {
    const preventDefault = vi.fn();
    const { onClick } = ReachableButton({ type: 'submit', can }).props;
    onClick?.({ preventDefault } as unknown as MouseEvent);
    return preventDefault.mock.calls.length === 1;
  };
  expect([isPrevented(false), isPrevented(true)]).toEqual([true, false]);
});
