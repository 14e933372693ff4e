import { Box, Flex, Heading, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { EXPORT_FILES, EXPORT_LEFT_OUT } from '#contract/account-export.ts';
import type { DownloadActor } from '#machines/workspace/download/machine.ts';
import type { UserSettingsActor } from '#machines/workspace/settings/user/machine.ts';
import { DownloadButtons, DownloadOutcome } from '../ui/Download.tsx';
import { Panel } from '../ui/Panel.tsx';

const TEXTS = {
  saving: 'Downloading your data.',
  saved: 'Your data has been downloaded.',
  refused: 'Your data could not be downloaded.',
};

/** Downloads the person's data, and lists what the archive contains. */
export function DataPanel({ settings }: { settings: UserSettingsActor }) {
  const download = useSelector(settings, ({ children }) => children.download);
  return (
    <Panel as="section" aria-labelledby="data">
      <Heading as="h2" id="data" mb="1" fontSize="lg" fontWeight="semibold">
        Your data
      </Heading>
      <Text mb="3" fontSize="sm" color="fg.muted">
        Download what we know about you as a ZIP archive. It contains:
      </Text>
      <chakra.ul mb="4" ps="5" fontSize="sm" color="fg.muted" listStyleType="disc">
        {EXPORT_FILES.map(({ name, what }) => (
          <li key={name}>{what}</li>
        ))}
      </chakra.ul>
      <Text mb="3" fontSize="sm" color="fg.muted">
        It does not contain:
      </Text>
      <chakra.ul mb="5" ps="5" fontSize="sm" color="fg.muted" listStyleType="disc">
        {EXPORT_LEFT_OUT.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </chakra.ul>
      {download ? <DownloadYours download={download} /> : null}
    </Panel>
  );
}

function DownloadYours({ download }: { download: DownloadActor }) {
  return (
    <>
      <Flex wrap="wrap" gap="3">
        <DownloadButtons download={download} formats={['zip']} tableAs={() => ({ of: 'account' })} />
      </Flex>
      <Box mt="3" _empty={{ display: 'none' }}>
        <DownloadOutcome download={download} texts={TEXTS} />
      </Box>
    </>
  );
}
