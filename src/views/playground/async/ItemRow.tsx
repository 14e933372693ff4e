import { Trash2 } from 'lucide-react';
import type { ReactNode, RefCallback } from 'react';
import type { Route } from '#machines/shared/route.ts';
import { PlainLink } from '../../ui/PlainLink.tsx';

type Props = {
  id: string;
  to: Route;
  name: string;
  /** Below the name. */
  details: ReactNode;
  /** After the name, such as a badge. */
  mark?: ReactNode;
  onDelete: () => void;
  rowRef: RefCallback<HTMLElement> | undefined;
};

/** A row of the library or the history: a link to the item, and a Delete button. */
export function ItemRow({ id, to, name, details, mark, onDelete, rowRef }: Props) {
  return (
    <li ref={rowRef} className="item-row" data-row={id}>
      <PlainLink to={to}>
        <div>
          <span title={name}>
            <bdi>{name}</bdi>
          </span>
          {mark}
        </div>
        <span>{details}</span>
      </PlainLink>
      <button
        type="button"
        className="button-ghost-sm icon-button"
        aria-label={`Delete ${name}`}
        title="Delete"
        onClick={onDelete}
      >
        <Trash2 size={15} aria-hidden />
      </button>
    </li>
  );
}
