import { shallowEqual, useSelector } from '@xstate/react';
import { asyncModel } from '#machines/playground/context.ts';
import { buildCreatePayload } from '#machines/playground/settings/payload.ts';
import { FILE_ID } from '#machines/playground/snippets/rest.ts';
import { keyVariableOf, restSnippets } from '#machines/playground/snippets/snippets.ts';
import { useSettings } from '../../ui/state.ts';
import { Snippets } from '../Snippets.tsx';
import { usePlayground } from '../state.ts';

/** The settings of a transcription as code. */
export function FileCode() {
  const playground = usePlayground();
  const keyVariable = keyVariableOf(useSettings().product);
  const model = useSelector(playground, ({ context }) => asyncModel(context));
  const { settings, addresses, filename } = useSelector(
    playground,
    ({ context }) => ({
      settings: context.settings,
      addresses: context.addresses,
      filename: context.file?.filename ?? 'recording.mp3',
    }),
    shallowEqual,
  );
  if (!model) return null;
  const write = () =>
    restSnippets({
      baseUrl: addresses.speech,
      keyVariable,
      filename,
      payload: buildCreatePayload(settings, model, FILE_ID),
    });
  return <Snippets keyVariable={keyVariable} write={write} />;
}
