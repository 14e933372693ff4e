import type { ReactNode } from 'react';
import { Disclosure } from '../Disclosure.tsx';

/** A chart's figures as a collapsible table. Renders the table only while open: it may have hundreds of rows. */
export const FoldedTable = ({
  isOpen,
  onToggle,
  children,
}: {
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  children: ReactNode;
}) => (
  <Disclosure
    mt="4"
    open={isOpen}
    onToggle={({ currentTarget }) => onToggle(currentTarget.open)}
    summary="Show as a table"
    summaryProps={{ width: 'fit-content', fontWeight: 'medium', borderRadius: 'l1' }}
  >
    {isOpen ? children : null}
  </Disclosure>
);
