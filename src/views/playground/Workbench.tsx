import { useSelector } from '@xstate/react';
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import { preferencesOf } from '#machines/root/select.ts';
import { useRoot } from '../../actors.ts';
import { PartBoundary, PartFailed } from '../ui/PartBoundary.tsx';
import { usePlayground, useSidePanel } from './state.ts';

type Props = {
  /** The title above the panel. */
  title: string;
  /** The file to work on. Comes before the panel in reading and Tab order. */
  source?: ReactNode;
  /** The collapsible part: the settings. */
  panel: ReactNode;
  /** The part that is always visible: the action buttons. */
  bar: ReactNode;
  children: ReactNode;
};

/** Source, side panel with buttons, and output: side by side in wide windows, else stacked so (ASY-08, UXP-66). */
export function Workbench({ title, source, panel, bar, children }: Props) {
  const sidePanel = useSidePanel();
  const preferences = preferencesOf(useRoot());
  const isNarrow = useSelector(sidePanel, (snapshot) => snapshot.hasTag('narrow'));
  const isFoldedNarrow = useSelector(sidePanel, (snapshot) => snapshot.hasTag('folded'));
  const isFoldedWide = useSelector(preferences, ({ context }) => context.panelCollapsed);
  const isFolded = isNarrow ? isFoldedNarrow : isFoldedWide;
  const toggle = () => (isNarrow ? sidePanel : preferences).send({ type: 'panel.toggled' });
  const isBeside = !isNarrow && !isFolded;
  return (
    <div className="bench" data-beside={isBeside || undefined}>
      {source ? (
        <div className="bench-source">
          <Part>{source}</Part>
        </div>
      ) : null}
      <aside className="bench-side" aria-label={title}>
        <div className="bench-panel">
          <div className="bench-head">
            <h2>{title}</h2>
            <FoldButton isFolded={isFolded} onClick={toggle} />
          </div>
          <section
            className="bench-settings"
            aria-label={`${title} settings`}
            id={PANEL_ID}
            hidden={isFolded}
            {...(isBeside ? SCROLLING : {})}
          >
            <Part>{panel}</Part>
          </section>
        </div>
        <div className="bench-bar" data-pinned={isBeside ? undefined : ''}>
          <Part>{bar}</Part>
        </div>
      </aside>
      <div className="bench-output">
        <Part>{children}</Part>
      </div>
    </div>
  );
}

/** A part that fails alone. A failure stops a live session; none can start until all failed parts are open again. */
function Part({ children }: { children: ReactNode }) {
  const playground = usePlayground();
  const openings = useSelector(playground, ({ context }) => context.openings);
  return (
    <PartBoundary
      getResetKey={() => openings}
      errorComponent={Failed}
      onCatch={() => playground.send({ type: 'part.failed' })}
    >
      {children}
    </PartBoundary>
  );
}

function Failed() {
  const playground = usePlayground();
  return <PartFailed reset={() => playground.send({ type: 'view.open.requested' })} />;
}

const PANEL_ID = 'playground-panel';
// `tabIndex` lets keys scroll it even if all fields are disabled.
const SCROLLING = { 'data-scrolls': '', tabIndex: 0 } as const;

function FoldButton({ isFolded, onClick }: { isFolded: boolean; onClick: () => void }) {
  return (
    <button type="button" aria-expanded={!isFolded} aria-controls={PANEL_ID} onClick={onClick}>
      {isFolded ? <PanelLeftOpen size={15} aria-hidden /> : <PanelLeftClose size={15} aria-hidden />}
      <span>{isFolded ? 'Show panel' : 'Hide panel'}</span>
    </button>
  );
}
