import { IconButton } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Search } from 'lucide-react';
import { useSearch } from '../state.ts';

/** Opens and closes the search of the transcript. */
export function SearchButton() {
  const search = useSearch();
  const isOpen = useSelector(search, (snapshot) => snapshot.hasTag('open'));
  return (
    <IconButton
      size="sm"
      variant="outline"
      aria-label="Search"
      aria-pressed={isOpen}
      title="Search in the transcript"
      onClick={() => search.send({ type: isOpen ? 'search.dismissed' : 'search.requested' })}
    >
      <Search size={15} aria-hidden />
    </IconButton>
  );
}
