import { MAIN_API } from '#contract/api/main.ts';
import { LIVE_SOCKET } from '#contract/api/live.ts';
import { SPEECH_API, SPEECH_WEBHOOKS } from '#contract/api/speech.ts';
import type { Services } from '../../platform/context.ts';
import { describeApi, type OpenApiDocument } from './document.ts';
import { WITHOUT_AUDIO_URLS, withFieldWords } from './words.ts';

/** Both OpenAPI documents, with this server's addresses. */
export function describeApis(
  { config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>,
  { strict = false } = {},
): { main: OpenApiDocument; speech: OpenApiDocument } {
  const speechUrl = config.speechBaseUrl === '' ? publicUrl() : config.speechBaseUrl.replace(/\/$/, '');
  const socketUrl =
    config.streamingUrl === '' ? publicUrl().replace(/^http/, 'ws') + LIVE_SOCKET.path : config.streamingUrl;
  return {
    main: describeApi(
      { title: `${config.productName} console API`, version: '2', url: publicUrl(), routes: MAIN_API },
      { strict },
    ),
    speech: withFieldWords(
      describeApi(
        {
          title: `${config.productName} speech API`,
          version: '1',
          url: speechUrl,
          routes: SPEECH_API,
          socket: { ...LIVE_SOCKET, url: socketUrl },
          webhooks: SPEECH_WEBHOOKS,
        },
        { strict },
      ),
      config.fetchAudioUrls ? {} : WITHOUT_AUDIO_URLS,
    ),
  };
}
