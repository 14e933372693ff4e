/** What a page beside the console does by script: it reads and works without, only not as comfortably (DOC-03). */
import './document.css';

const WIDE = '(width >= 64rem)';
const COPIED = 'Copied';

/** Says something to screen readers. */
function announcer(): (text: string) => void {
  const region = document.createElement('p');
  region.className = 'unseen';
  region.setAttribute('role', 'status');
  document.body.append(region);
  return (text) => {
    region.textContent = text;
  };
}

/** Gives every piece of code to take home a button that copies it. */
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

/** The contents are open beside the text, and closed above it. */
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

/** Marks where one reads in the contents. */
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

/** What is meant for paper has a button that prints it. */
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
