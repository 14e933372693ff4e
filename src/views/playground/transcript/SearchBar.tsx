import { chakra, Flex, IconButton, Input, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { takeFocus } from '../../../behaviours/takeFocus.ts';
import { useSearch } from '../state.ts';
import { ReachableIconButton } from '../../ui/ReachableButton.tsx';

// Not an `output`: by the HTML accessibility mapping, its text cannot be a description.
const FOUND_ID = 'search-found';

type Props = { count: number; current: number };

/** Searches the whole transcript; the browser's own search finds only the rows that are rendered. */
export function SearchBar({ count, current }: Props) {
  const search = useSearch();
  const isOpen = useSelector(search, (snapshot) => snapshot.hasTag('open'));
  const query = useSelector(search, ({ context }) => context.query);
  if (!isOpen) return null;
  const go = (back: boolean) => search.send({ type: back ? 'previous.requested' : 'next.requested', count });
  const dismiss = () => search.send({ type: 'search.dismissed' });
  return (
    <Flex role="search" aria-label="Transcript" align="center" gap="1" pb="2" maxWidth="750px" width="full" mx="auto">
      <Input
        ref={takeFocus}
        type="search"
        size="sm"
        aria-label="Search in the transcript"
        placeholder="Search in the transcript"
        autoComplete="off"
        value={query}
        onChange={({ currentTarget }) => search.send({ type: 'query.changed', query: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey);
          if (event.key === 'Escape') dismiss();
        }}
      />
      <Text
        role="status"
        id={FOUND_ID}
        fontSize="sm"
        color="fg.muted"
        whiteSpace="nowrap"
        px="2"
        minWidth="16"
        textAlign="center"
      >
        {query.trim() === '' ? (
          <chakra.span srOnly>Type to search.</chakra.span>
        ) : count === 0 ? (
          'Not found'
        ) : (
          `${current + 1} of ${count}`
        )}
      </Text>
      <ReachableIconButton
        size="sm"
        variant="ghost"
        aria-label="Previous match"
        can={count > 0}
        aria-describedby={FOUND_ID}
        onClick={() => go(true)}
      >
        <ChevronUp size={16} aria-hidden />
      </ReachableIconButton>
      <ReachableIconButton
        size="sm"
        variant="ghost"
        aria-label="Next match"
        can={count > 0}
        aria-describedby={FOUND_ID}
        onClick={() => go(false)}
      >
        <ChevronDown size={16} aria-hidden />
      </ReachableIconButton>
      <IconButton size="sm" variant="ghost" aria-label="Close search" onClick={dismiss}>
        <X size={16} aria-hidden />
      </IconButton>
    </Flex>
  );
}
