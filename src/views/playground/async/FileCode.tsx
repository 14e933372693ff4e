import { shallowEqual, useSelector } from '@xstate/react';
import { asyncModel } from '#machines/playground/async/context.ts';
import { buildCreatePayload } from '#machines/playground/settings/payload.ts';
import { FILE_ID } from '#machines/playground/snippets/rest.ts';
import { keyVariableOf, restSnippets } from '#machines/playground/snippets/snippets.ts';
import { useSettings } from '../../ui/state.ts';
import { Snippets } from '../Snippets.tsx';
import { useAsyncSide, usePlayground } from '../state.ts';

/** The settings of a transcription as code. */
export function FileCode() {
  const asyncSide = useAsyncSide();
  const addresses = useSelector(usePlayground(), ({ context }) => context.addresses);
  const keyVariable = keyVariableOf(useSettings().product);
  const model = useSelector(asyncSide, ({ context }) => asyncModel(context));
  const { settings, filename } = useSelector(
    asyncSide,
    ({ context }) => ({
      settings: context.settings,
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
