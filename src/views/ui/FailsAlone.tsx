import { Button } from '@chakra-ui/react';
import { CatchBoundary, type ErrorComponentProps } from '@tanstack/react-router';
import { FailureAlert } from './FailureAlert.tsx';

type Around = CatchBoundary['props'];
type Props = Partial<Around> & Pick<Around, 'children'>;

/** A part of the page that can fail without the rest; it is drawn again when the person asks for that, or its key is another (SHL-14). */
export const FailsAlone = (props: Props) => (
  <CatchBoundary getResetKey={() => 0} errorComponent={PartFailed} {...props} />
);

/** Stands in its place; `reset` draws it again. */
export const PartFailed = ({ reset }: Pick<ErrorComponentProps, 'reset'>) => (
  <FailureAlert failure={{ message: 'This part of the page could not be shown.' }}>
    <Button size="sm" variant="outline" onClick={reset}>
      Open again
    </Button>
  </FailureAlert>
);
