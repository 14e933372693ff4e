import { Button } from '@chakra-ui/react';
import { CatchBoundary, type ErrorComponentProps } from '@tanstack/react-router';
import { FailureAlert } from './FailureAlert.tsx';

type Around = CatchBoundary['props'];
type Props = Partial<Around> & Pick<Around, 'children'>;

/** An error boundary around a part of the page. Renders it again on request, or when its reset key changes (SHL-14). */
export const PartBoundary = (props: Props) => (
  <CatchBoundary getResetKey={() => 0} errorComponent={PartFailed} {...props} />
);

/** Stands in for a part that failed; `reset` renders the part again. */
export const PartFailed = ({ reset }: Pick<ErrorComponentProps, 'reset'>) => (
  <FailureAlert failure={{ message: 'This part of the page could not be shown.' }}>
    <Button size="sm" variant="outline" onClick={reset}>
      Open again
    </Button>
  </FailureAlert>
);
