import { Box, Text, chakra } from '@chakra-ui/react';
import type { FormEvent } from 'react';
import type { FilterPlace } from '../FilterBar.tsx';
import { PlainInput } from '../PlainInput.tsx';
import { ReachableButton } from '../ReachableButton.tsx';

const WIDTHS = { date: '40', 'datetime-local': '56' } as const;

/** A field of the form; `shown` is its value until somebody types. */
type Bound = { name: string; label: string; shown: string | undefined };

type Props = {
  place: FilterPlace;
  type: keyof typeof WIDTHS;
  first: Bound;
  last: Bound;
  /** What is wrong with what is typed. */
  problem: string | null;
  canApply: boolean;
  /** Called with the texts of both fields when one changes. */
  onEdit: (first: string, last: string) => void;
  onApply: () => void;
};

const textOf = (value: FormDataEntryValue | null): string => (typeof value === 'string' ? value.trim() : '');

/** Two fields for the ends of a period. Give it a `key` of the shown period, which refills the fields. */
export function RangeForm({ place, type, first, last, problem, canApply, onEdit, onApply }: Props) {
  const problemId = `${place}-range-problem`;
  const edit = ({ currentTarget }: FormEvent<HTMLFormElement>) => {
    const typed = new FormData(currentTarget);
    onEdit(textOf(typed.get(first.name)), textOf(typed.get(last.name)));
  };
  return (
    <Box>
      <chakra.form
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault();
          onApply();
        }}
        onInput={edit}
        noValidate
        display="flex"
        flexWrap="wrap"
        alignItems="flex-end"
        gap="3"
        minW="0"
      >
        {[first, last].map(({ name, label, shown }) => (
          <Box key={name} minW="0" maxW="full">
            <chakra.label htmlFor={`${place}-${name}`} display="block" mb="1.5" fontSize="sm" fontWeight="medium">
              {label}
            </chakra.label>
            <PlainInput
              id={`${place}-${name}`}
              name={name}
              type={type}
              width={WIDTHS[type]}
              maxW="full"
              bg="bg"
              defaultValue={shown}
              {...(problem ? { 'aria-invalid': true, 'aria-describedby': problemId } : {})}
            />
          </Box>
        ))}
        <ReachableButton type="submit" variant="outline" can={canApply}>
          Apply
        </ReachableButton>
      </chakra.form>
      {problem ? (
        <Text id={problemId} role="alert" mt="2" fontSize="sm" color="fg.error">
          {problem}
        </Text>
      ) : null}
    </Box>
  );
}
