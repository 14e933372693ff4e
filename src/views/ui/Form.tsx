import { Box, Flex, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { AnyActorRef } from 'xstate';
import type { Failure } from '#machines/shared/failure.ts';
import type { Advice, FormErrors, FormEvent, FormValues } from '#machines/shared/form/types.ts';
import { FormDetached } from './formDetached.ts';
import { firstInvalid } from '../../behaviours/firstInvalid.ts';
import { FailureAlert } from './FailureAlert.tsx';
import { TextField, type TextFieldProps } from './TextField.tsx';
import { WarningBox } from './WarningBox.tsx';

/** The part of a form's actor that views use. */
export type FormActor<Values extends FormValues> = {
  getSnapshot: () => {
    context: {
      values: Values;
      errors: FormErrors<Values>;
      refusal: Failure | null;
      refusedSubmits: number;
      advice: Advice | null;
      changedElsewhere: Partial<Values>;
      detached: string | null;
    };
    hasTag: (tag: 'submitting' | 'asking') => boolean;
  };
  subscribe: AnyActorRef['subscribe'];
  send: (event: FormEvent<Values>) => void;
};

type FormProps<Values extends FormValues> = { actor: FormActor<Values>; children: ReactNode };

/** A form that submits to its chart, and shows why the last submit was refused (ORG-03). */
export function Form<Values extends FormValues>({ actor, children }: FormProps<Values>) {
  const { refusal, refusedSubmits, detached } = useSelector(actor, (snapshot) => snapshot.context);
  return (
    <chakra.form
      noValidate
      ref={firstInvalid}
      data-refused-submits={refusedSubmits}
      onSubmit={(event) => {
        event.preventDefault();
        actor.send({ type: 'submit.requested' });
      }}
    >
      <Flex direction="column" gap="5">
        <FailureAlert failure={refusal} />
        <FormDetached.Provider value={detached !== null}>
          <Detached reason={detached} />
          {children}
        </FormDetached.Provider>
      </Flex>
    </chakra.form>
  );
}

type FieldProps<Values extends FormValues> = Omit<TextFieldProps, 'value' | 'error' | 'onChange'> & {
  actor: FormActor<Values>;
  field: keyof Values & string;
};

/** Announces why the form can no longer be submitted. */
function Detached({ reason }: { reason: string | null }) {
  return (
    <Box role="status" _empty={{ display: 'none' }}>
      {reason === null ? null : (
        <WarningBox>
          <Text fontWeight="semibold" overflowWrap="anywhere">
            {reason}
          </Text>
          <Text>What you typed can no longer be saved. You can still copy it.</Text>
        </WarningBox>
      )}
    </Box>
  );
}

/** A text field bound to a form's value and error. */
export function FormField<Values extends FormValues>({ actor, field, ...rest }: FieldProps<Values>) {
  const value = useSelector(actor, (snapshot) => snapshot.context.values[field] ?? '');
  const error = useSelector(actor, (snapshot) => snapshot.context.errors[field]);
  const changedElsewhere = useSelector(actor, (snapshot) => snapshot.context.changedElsewhere[field]);
  const isDetached = useSelector(actor, (snapshot) => snapshot.context.detached !== null);
  return (
    <TextField
      {...rest}
      {...(changedElsewhere === undefined ? {} : { news: <ChangedElsewhere by={changedElsewhere} /> })}
      {...(isDetached ? { readOnly: true } : {})}
      value={value}
      error={error}
      onChange={(text) => actor.send({ type: 'field.changed', field, value: text })}
    />
  );
}

/** Says that somebody else has changed a field while the person edits it. */
function ChangedElsewhere({ by }: { by: string }) {
  if (by === '') return <span>Someone else cleared this field meanwhile. Saving replaces that.</span>;
  return (
    <span>
      Someone else changed this to “<bdi>{by}</bdi>” meanwhile. Saving replaces that.
    </span>
  );
}

/** Whether the form is being submitted. */
export const useSubmitting = <Values extends FormValues>(actor: FormActor<Values>): boolean =>
  useSelector(actor, (snapshot) => snapshot.hasTag('submitting'));
