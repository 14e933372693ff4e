/** Script of the server's own pages, such as the API reference. They also work without it (DOC-03). */
import './document.css';

const WIDE = '(width >= 64rem)';
const COPIED = 'Copied';

/** A function that announces a text to screen readers. */
function announcer(): (text: string) => void {
  const region = document.createElement('p');
  region.className = 'unseen';
  region.setAttribute('role', 'status');
  document.body.append(region);
  return (text) => {
    region.textContent = text;
  };
}

/** Adds a button to each `pre[data-copy]` that copies its code. */
function addCopyButtons(say: (text: string) => void): void {
  let last: HTMLButtonElement | undefined;
  for (const code of document.querySelectorAll<HTMLElement>('pre[data-copy]')) {
    const button = document.createElement('button');
    const name = code.dataset['copy'] ?? '';
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', `Copy ${name}`);
    button.addEventListener('click', () => {
      if (last) last.textContent = 'Copy';
      last = button;
      say('');
      navigator.clipboard.writeText(code.textContent).then(
        () => {
          button.textContent = COPIED;
          say(COPIED);
        },
        () => {
          button.textContent = 'Not copied';
          say('The browser does not let this page copy. Select the text and copy it.');
        },
      );
    });
    const frame = document.createElement('div');
    frame.className = 'code';
    code.replaceWith(frame);
    frame.append(code, button);
  }
}

/** Opens the contents on a wide page, beside the text, and closes them on a narrow one, above the text. */
function foldContents(): void {
  const contents = document.querySelector<HTMLDetailsElement>('details.contents');
  if (!contents) return;
  const wide = matchMedia(WIDE);
  const fold = () => {
    contents.open = wide.matches;
  };
  wide.addEventListener('change', fold);
  fold();
  contents.addEventListener('click', ({ target }) => {
    if (!wide.matches && target instanceof Element && target.closest('a')) contents.open = false;
  });
}

/** Marks the section being read in the contents. */
function followReading(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.contents a[href^="#"]')].map((link) => [
      link.hash.slice(1),
      link,
    ]),
  );
  let current: HTMLAnchorElement | undefined;
  const seen = new IntersectionObserver(
    (entries) => {
      const entry = entries.find(({ isIntersecting }) => isIntersecting);
      const link = entry && links.get(entry.target.id);
      if (!link || link === current) return;
      current?.removeAttribute('aria-current');
      link.setAttribute('aria-current', 'true');
      current = link;
    },
    { rootMargin: '0px 0px -70% 0px' },
  );
  for (const id of links.keys()) {
    const place = document.getElementById(id);
    if (place) seen.observe(place);
  }
}

/** Adds a print button to a receipt. */
function addPrintButton(): void {
  const receipt = document.querySelector('.receipt');
  if (!receipt) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'print';
  button.textContent = 'Print';
  button.addEventListener('click', () => print());
  receipt.append(button);
}

addCopyButtons(announcer());
addPrintButton();
foldContents();
followReading();
