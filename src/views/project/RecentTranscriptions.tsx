import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import type { RecentTranscription } from '#contract/project-home.ts';
import { stateOf } from '#machines/playground/transcription/texts.ts';
import { Age } from '../ui/Age.tsx';
import { capitalize } from '../ui/format.ts';
import { formatAudio } from '../ui/figures.ts';
import { Panel } from '../ui/Panel.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { TextLink } from '../ui/TextLink.tsx';

type Place = { orgUuid: string; projectUuid: string };

/** The last transcriptions of a project, each a link to its transcript (ONB-20). */
export function RecentTranscriptions({ recent, place }: { recent: readonly RecentTranscription[]; place: Place }) {
  return (
    <Box as="section" aria-labelledby="recent">
      <Flex align="baseline" justify="space-between" wrap="wrap" gap="3" mb="4">
        <Heading as="h2" id="recent" fontSize="lg" fontWeight="semibold">
          Recent transcriptions
        </Heading>
        {recent.length > 0 ? (
          <TextLink to={{ screen: 'playground', ...place, mode: 'async', panel: 'history' }}>View all</TextLink>
        ) : null}
      </Flex>
      {recent.length === 0 ? (
        <Text color="fg.muted">Nothing yet. What you transcribe appears here.</Text>
      ) : (
        <Panel as="ul" p={{ base: '0', md: '0' }} listStyleType="none" overflow="hidden">
          {recent.map((item) => (
            <Box as="li" key={item.uuid} css={{ '&:not(:first-of-type)': { borderTopWidth: '1px' } }}>
              <ScreenLink
                to={{ screen: 'playground', ...place, mode: 'async', transcriptionId: item.uuid }}
                display="flex"
                flexWrap="wrap"
                columnGap="4"
                px="4"
                py="3"
                focusRing="inside"
                _hover={{ bg: 'bg.muted' }}
              >
                <Text as="span" flex="1 1 200px" minW="0" truncate title={item.filename} fontWeight="medium">
                  <bdi>{item.filename}</bdi>
                </Text>
                <Text as="span" fontSize="sm" color="fg.muted">
                  <span>
                    {capitalize(stateOf({ ...item, progress: null })) +
                      (item.audio_duration_ms === null ? '' : ` · ${formatAudio(item.audio_duration_ms)}`)}
                  </span>
                  {' · '}
                  <Age at={item.created_at} />
                </Text>
              </ScreenLink>
            </Box>
          ))}
        </Panel>
      )}
    </Box>
  );
}
