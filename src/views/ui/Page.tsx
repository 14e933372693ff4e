import type { ReactNode } from 'react';
import { takeFreeFocus } from '../../behaviours/takeFocus.ts';
import { CONTENT_ID } from './landmarks.ts';

type Props = {
  heading: string;
  /** A mark beside the heading. */
  badge?: ReactNode;
  /** One line below the heading. */
  intro?: ReactNode;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  /** Whether the page takes the whole width; text and cards keep a readable width. */
  wide?: boolean;
  /** Focuses the heading of a page that appears without a navigation, unless something else has the focus. */
  takesFocus?: boolean;
  children?: ReactNode;
};

/** The main landmark and heading of a console page. The heading gets the focus after a navigation. */
export function Page({ heading, badge, intro, actions, wide = false, takesFocus = false, children }: Props) {
  return (
    <main id={CONTENT_ID} className="page" data-wide={wide || undefined} tabIndex={-1}>
      <div className="page-head">
        <div>
          <div className="page-title">
            <h1 ref={takesFocus ? takeFreeFocus : null} tabIndex={-1}>
              <bdi>{heading}</bdi>
            </h1>
            {badge ? <div>{badge}</div> : null}
          </div>
          {intro ? <div className="page-intro">{intro}</div> : null}
        </div>
        {actions ? <div className="page-actions">{actions}</div> : null}
      </div>
      {children}
    </main>
  );
}
