import { shallowEqual, useSelector } from '@xstate/react';
import { modelById } from '#machines/playground/settings/models.ts';
import { buildLiveConfig } from '#machines/playground/settings/payload.ts';
import { keyVariableOf, liveSnippets } from '#machines/playground/snippets/snippets.ts';
import { useSettings } from '../../ui/state.ts';
import { Snippets } from '../Snippets.tsx';
import { useLive, usePlayground } from '../state.ts';

/** The settings of a live session as code. */
export function LiveCode() {
  const live = useLive();
  const addresses = useSelector(usePlayground(), ({ context }) => context.addresses);
  const keyVariable = keyVariableOf(useSettings().product);
  const { settings, model, file } = useSelector(
    live,
    ({ context }) => ({
      settings: context.settings,
      model: modelById(context.models, context.modelId),
      file: context.file,
    }),
    shallowEqual,
  );
  const built = buildLiveConfig(settings, model);
  const config = 'config' in built ? built.config : {};
  const write = () =>
    liveSnippets({
      socketUrl: addresses.socket,
      baseUrl: addresses.speech,
      keyVariable,
      filename: file?.name ?? 'recording.mp3',
      config,
    });
  return <Snippets keyVariable={keyVariable} write={write} />;
}
