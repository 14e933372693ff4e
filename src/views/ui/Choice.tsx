import { Button } from '@chakra-ui/react';

/** A toggle button of a group in which one is chosen. */
export function Choice({
  isChosen,
  onChoose,
  children,
}: {
  isChosen: boolean;
  onChoose: () => void;
  children: string;
}) {
  return (
    <Button size="sm" variant={isChosen ? 'solid' : 'outline'} aria-pressed={isChosen} onClick={onChoose}>
      {children}
    </Button>
  );
}
