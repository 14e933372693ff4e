import { shallowEqual, useSelector } from '@xstate/react';
import { plainRoute } from '#machines/playground/address.ts';
import { RetentionNote } from '../../ui/RetentionText.tsx';
import { Age } from '../../ui/Age.tsx';
import { formatBytes } from '../../ui/format.ts';
import { ItemRow } from './ItemRow.tsx';
import { EmptyLine, PagedItems } from '../../ui/PagedItems.tsx';
import { useFiles, usePlayground, useRemoval } from '../state.ts';

/** The project's uploaded files, newest first; opening one offers to transcribe it. */
export function Library() {
  const list = useFiles();
  const removal = useRemoval();
  const base = useSelector(usePlayground(), ({ context }) => plainRoute(context), shallowEqual);
  return (
    <section className="library" aria-labelledby="library-heading">
      <h2 id="library-heading">Library</h2>
      <RetentionNote of="recordings" />
      <PagedItems list={list} label="Files" empty={<EmptyLine>No files in library.</EmptyLine>}>
        {(item, rowRef) => (
          <ItemRow
            key={item.id}
            id={item.id}
            rowRef={rowRef}
            to={{ ...base, fileId: item.id }}
            name={item.filename}
            details={
              <span>
                <span>{formatBytes(item.size)}</span> · <Age at={item.created_at} />
              </span>
            }
            onDelete={() =>
              removal.send({ type: 'removal.requested', item: { kind: 'file', id: item.id, name: item.filename } })
            }
          />
        )}
      </PagedItems>
    </section>
  );
}
