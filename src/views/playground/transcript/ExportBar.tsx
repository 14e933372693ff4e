import { Button, Flex, NativeSelect, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Check, Copy, Download } from 'lucide-react';
import { memo } from 'react';
import type { ExportFormat } from '#machines/playground/reader/exporter/formats.ts';
import type { TranscriptRecord } from '#machines/playground/transcript/record.ts';
import { useDisplay, useExporter } from '../state.ts';
import { CheckBox } from '../../ui/CheckBox.tsx';
import { useClipboard } from '../../ui/state.ts';
import { FORMATS } from './formats.ts';
import { exportActions, TRANSCRIPT } from './exportActions.ts';

type Props = {
  /** Reads the current record when a button is pressed. */
  read: () => TranscriptRecord;
  /** Whether a side of a translation can be chosen. */
  hasSides: boolean;
  hasSpeakers: boolean;
  /** Whether tabs choose the format, so that the bar need not. */
  hasTabs?: boolean;
  /** The recording's name, used for the file. */
  name: string;
};

/** Copies or downloads a transcript as it is shown (CON-26). */
export const ExportBar = memo(function ExportBar({ read, hasSides, hasSpeakers, hasTabs = false, name }: Props) {
  const exporter = useExporter();
  // The export has the same side of a translation as the display.
  const display = useDisplay();
  const { format, withSpeakers } = useSelector(exporter, ({ context }) => context, sameOptions);
  const clipboard = useClipboard();
  const isCopied = useSelector(
    clipboard,
    (snapshot) => snapshot.hasTag('copied') && snapshot.context.label === TRANSCRIPT,
  );
  const isRefused = useSelector(exporter, (snapshot) => snapshot.hasTag('refused'));
  const { copy, download } = exportActions({ exporter, clipboard, display, read, hasSides, name });
  return (
    <Flex role="group" aria-label="Export" wrap="wrap" align="center" gap="2">
      {hasTabs ? null : (
        <Choice
          label="Format"
          value={format}
          choices={FORMATS}
          onChange={(chosen) => exporter.send({ type: 'format.selected', format: chosen })}
        />
      )}
      {hasSpeakers && format !== 'json' && (
        <CheckBox
          checked={withSpeakers}
          onToggle={(isChecked) => exporter.send({ type: 'speakers.chosen', withSpeakers: isChecked })}
        >
          Speakers
        </CheckBox>
      )}
      <Button size="sm" variant="outline" px={{ base: '2', sm: '3.5' }} onClick={copy} aria-label="Copy transcript">
        {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}{' '}
        <chakra.span hideBelow="sm">{isCopied ? 'Copied' : 'Copy'}</chakra.span>
      </Button>
      <Button
        size="sm"
        variant="outline"
        px={{ base: '2', sm: '3.5' }}
        aria-label="Download transcript"
        onClick={download}
      >
        <Download size={14} aria-hidden /> <chakra.span hideBelow="sm">Download</chakra.span>
      </Button>
      {isRefused && (
        <Text role="alert" fontSize="sm" color="fg.error">
          The browser refused to save the file.
        </Text>
      )}
    </Flex>
  );
});

type Options = { format: ExportFormat; withSpeakers: boolean };
const sameOptions = (a: Options, b: Options) => a.format === b.format && a.withSpeakers === b.withSpeakers;

type ChoiceProps<Value extends string> = {
  label: string;
  value: Value;
  choices: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
};

function Choice<Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>) {
  return (
    <NativeSelect.Root size="sm" width="auto">
      <NativeSelect.Field
        aria-label={label}
        bg="bg"
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = choices.find((choice) => choice.value === currentTarget.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </NativeSelect.Field>
      <NativeSelect.Indicator aria-hidden />
    </NativeSelect.Root>
  );
}
