import { type ButtonProps, Button, Spinner } from '@chakra-ui/react';
import { useContext } from 'react';
import { FormDetached } from './formDetached.ts';

type Props = ButtonProps & {
  busy: boolean;
  /** The label while busy: "Creating…". */
  busyLabel: string;
};

/** A form's main button. Keeps the focus while busy; the chart ignores a second press. Disabled in a detached form. */
export function SubmitButton({ busy, busyLabel, children, ...rest }: Props) {
  const isDetached = useContext(FormDetached);
  return (
    <Button
      type="submit"
      aria-disabled={busy}
      aria-busy={busy}
      disabled={isDetached}
      opacity={busy ? 0.8 : 1}
      {...rest}
    >
      {busy ? (
        <>
          <Spinner size="sm" aria-hidden />
          <span>{busyLabel}</span>
        </>
      ) : (
        children
      )}
    </Button>
  );
}
