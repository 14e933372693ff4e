import { Text } from '@chakra-ui/react';
import type { CodePanelActor } from '#machines/playground/codePanel/machine.ts';
import type { DisplayActor } from '#machines/playground/reader/display/machine.ts';
import type { ExporterActor } from '#machines/playground/reader/exporter/machine.ts';
import type { LiveActor } from '#machines/playground/live/machine.ts';
import type { Addresses } from '#machines/playground/actors.ts';
import type { SearchActor } from '#machines/playground/reader/search/machine.ts';
import type { SelectionActor } from '#machines/playground/reader/selection/machine.ts';
import type { SidePanelActor } from '#machines/playground/sidePanel/machine.ts';
import { FailureAlert } from '../../ui/FailureAlert.tsx';
import { Workbench } from '../Workbench.tsx';
import { AudioInput } from './AudioInput.tsx';
import { LiveControls } from './LiveControls.tsx';
import { LiveOutput } from './LiveOutput.tsx';
import { LiveSettings } from './LiveSettings.tsx';

type Props = {
  live: LiveActor;
  sidePanel: SidePanelActor;
  display: DisplayActor;
  exporter: ExporterActor;
  codePanel: CodePanelActor;
  search: SearchActor;
  selection: SelectionActor;
  addresses: Addresses;
  /** Whether this browser can do it at all (LIV-21). */
  isSupported: boolean;
  withTags: boolean;
  links: { docs: string; apiReference: string };
};

const UNSUPPORTED = { message: 'Live transcription is not supported on your browser.' };

/** The WebSocket API tab: where the sound comes from, what to ask, and what is heard. */
export function LiveView({
  live,
  sidePanel,
  display,
  exporter,
  codePanel,
  search,
  selection,
  addresses,
  isSupported,
  withTags,
  links,
}: Props) {
  if (!isSupported) {
    return (
      <FailureAlert failure={UNSUPPORTED}>
        <Text>
          It needs a secure page, a microphone interface and audio worklets. The REST API tab works without them.
        </Text>
      </FailureAlert>
    );
  }
  return (
    <Workbench
      sidePanel={sidePanel}
      title="Live session"
      bar={<LiveControls live={live} codePanel={codePanel} addresses={addresses} />}
      panel={
        <>
          <AudioInput live={live} />
          <LiveSettings live={live} />
        </>
      }
    >
      <LiveOutput
        live={live}
        display={display}
        exporter={exporter}
        search={search}
        selection={selection}
        withTags={withTags}
        links={links}
      />
    </Workbench>
  );
}
