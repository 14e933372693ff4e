import './loader.css';

/** Fills the window while the console loads (SHL-12). Works without the style system, which is still loading. */
export function FullScreenLoader() {
  return (
    <main className="loader">
      <div className="loader-spinner" aria-hidden />
      <h1 aria-live="polite">Loading…</h1>
    </main>
  );
}
