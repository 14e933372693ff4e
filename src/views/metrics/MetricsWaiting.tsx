import { Box, Flex, SimpleGrid, Skeleton } from '@chakra-ui/react';
import { FetchPlotsMeanwhile } from '../ui/usage/LazyPlots.tsx';
import { AFTER_CHART } from '../ui/usage/sizes.ts';
import { TILES_GRID } from './Tiles.tsx';

/** Heights of the loaded parts, in pixels. */
const TILE = 91;
const CHART = 405;
const TILES = 7;

const Block = ({ height }: { height: number }) => <Skeleton height={`${height}px`} borderRadius="l3" />;

/** A placeholder for the figures, as high as they will be. */
const Blocks = () => (
  <Box role="status" aria-label="Loading the metrics" display="flex" flexDirection="column" gap="6">
    <SimpleGrid {...TILES_GRID} order={AFTER_CHART}>
      {Array.from({ length: TILES }, (_, place) => (
        // oxlint-disable-next-line react/no-array-index-key
        <Block key={place} height={TILE} />
      ))}
    </SimpleGrid>
    <Block height={CHART} />
    <Flex direction="column" gap="6" order={AFTER_CHART}>
      <SimpleGrid columns={{ base: 1, xl: 2 }} gap="6">
        <Block height={CHART} />
        <Block height={CHART} />
      </SimpleGrid>
      <Block height={CHART} />
      <Block height={CHART} />
    </Flex>
  </Box>
);

/** Shows the placeholder and meanwhile fetches the code of the charts. */
export const MetricsWaiting = () => (
  <FetchPlotsMeanwhile>
    <Blocks />
  </FetchPlotsMeanwhile>
);
