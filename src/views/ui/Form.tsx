import { Flex, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { AnyActorRef } from 'xstate';
import type { Failure } from '#machines/shared/failure.ts';
import type { Advice, FormErrors, FormEvent, FormValues } from '#machines/shared/form/machine.ts';
import { firstInvalid } from '../../behaviours/firstInvalid.ts';
import { FailureAlert } from './FailureAlert.tsx';
import { TextField, type TextFieldProps } from './TextField.tsx';

/** What a view needs of a form's actor. */
export type FormActor<Values extends FormValues> = {
  getSnapshot: () => { context: { values: Values; errors: FormErrors<Values>; refusal: Failure | null; advice: Advice | null }; hasTag: (tag: 'submitting' | 'asking') => boolean };
  subscribe: AnyActorRef['subscribe'];
  send: (event: FormEvent<Values>) => void;
};

type FormProps<Values extends FormValues> = { actor: FormActor<Values>; children: ReactNode };

/** The frame of a form: submits to its chart, shows in red why the last attempt was refused (ORG-03). */
export function Form<Values extends FormValues>({ actor, children }: FormProps<Values>) {
  const refusal = useSelector(actor, (snapshot) => snapshot.context.refusal);
  return (
    <chakra.form
      noValidate
      ref={firstInvalid}
      onSubmit={(event) => {
        event.preventDefault();
        actor.send({ type: 'submit.requested' });
      }}
    >
      <Flex direction="column" gap="5">
        <FailureAlert failure={refusal} />
        {children}
      </Flex>
    </chakra.form>
  );
}

type FieldProps<Values extends FormValues> = Omit<TextFieldProps, 'value' | 'error' | 'onChange'> & { actor: FormActor<Values>; field: keyof Values & string };

/** One field of a form, with its error. */
export function FormField<Values extends FormValues>({ actor, field, ...rest }: FieldProps<Values>) {
  const value = useSelector(actor, (snapshot) => snapshot.context.values[field] ?? '');
  const error = useSelector(actor, (snapshot) => snapshot.context.errors[field]);
  return <TextField {...rest} value={value} error={error} onChange={(text) => actor.send({ type: 'field.changed', field, value: text })} />;
}

/** Whether the form's values are on their way. */
export const useSubmitting = <Values extends FormValues>(actor: FormActor<Values>): boolean => useSelector(actor, (snapshot) => snapshot.hasTag('submitting'));
