import { Button, Popover, VisuallyHidden } from '@chakra-ui/react';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';

type Props = {
  label: string;
  /** What is chosen, on the button. */
  shown: ReactNode;
  onClose?: () => void;
  /** @param close to close it after a choice */
  children: (close: () => void) => ReactNode;
};

/** A button of a row of filters that says what is chosen and opens the choices. */
export const FilterPopover = ({ label, shown, onClose, children }: Props) => (
  <Popover.Root
    positioning={{ strategy: 'fixed', placement: 'bottom-start', gutter: 4 }}
    onOpenChange={({ open }) => {
      if (!open) onClose?.();
    }}
    lazyMount
    unmountOnExit
  >
    <Popover.Trigger asChild>
      <Button size="sm" variant="outline">
        <span>
          <VisuallyHidden>{`${label}: `}</VisuallyHidden>
          <span>{shown}</span>
        </span>
        <ChevronDown size={16} aria-hidden />
      </Button>
    </Popover.Trigger>
    <Popover.Positioner>
      <Popover.Content
        aria-label={label}
        width="fit-content"
        maxW="min(600px, 100vw - 32px)"
        p="4"
        borderRadius="l2"
        borderWidth="1px"
        boxShadow="lg"
      >
        <Popover.Context>{({ setOpen }) => children(() => setOpen(false))}</Popover.Context>
      </Popover.Content>
    </Popover.Positioner>
  </Popover.Root>
);
