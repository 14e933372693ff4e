import './loader.css';

/** Fills the window while the console loads (SHL-12). Needs no provider: the style system is among what loads. */
export function FullScreenLoader() {
  return (
    <main className="loader">
      <div className="loader-spinner" aria-hidden />
      <h1 aria-live="polite">Loading…</h1>
    </main>
  );
}
