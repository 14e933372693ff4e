import { useSelector } from '@xstate/react';
import { partsOf } from '#machines/root/select.ts';
import { useRoot } from '../../actors.ts';
import { useWorkspaceIfAny } from '../ui/state.ts';
import './parts.css';

/**
 * Says that code of the page could not be loaded, and what to do. Comes with the page and works without the style
 * system, which may be what is missing.
 */
export function PartsBanner() {
  const root = useRoot();
  const parts = useSelector(partsOf(root), (snapshot) => snapshot);
  const connection = useSelector(useWorkspaceIfAny(), (snapshot) => snapshot?.children.connection);
  const isOffline = useSelector(connection, (snapshot) => snapshot?.hasTag('offline') ?? false);
  if (parts.hasTag('outdated'))
    return (
      <div className="parts" role="alert">
        A new version of the console is available.
        <button type="button" onClick={() => root.send({ type: 'reload.requested' })}>
          Load it
        </button>
      </div>
    );
  // ConnectionBanner already says that the browser is offline.
  if (!parts.hasTag('missing') || isOffline) return null;
  const retry = { type: 'retry.requested' } as const;
  return (
    <div className="parts" role="alert">
      Part of the console couldn’t be loaded. Retrying…
      <button type="button" aria-disabled={!parts.can(retry)} onClick={() => partsOf(root).send(retry)}>
        Retry
      </button>
    </div>
  );
}
