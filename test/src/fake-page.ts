/** What a browser tells of a change of the page. */
export type Change = { removedNodes: Place[]; nextSibling: Place | null; previousSibling: Place | null };

/** As much of an element as the focus is about; selectors are lists of `tag`, `[name]` and `[name=value]`, and what is within what. */
export class Place {
  parentElement: Place | null = null;
  readonly children: Place[] = [];
  readonly listeners = new Map<string, (event: unknown) => void>();
  readonly page: Page;
  readonly tag: string;
  readonly attributes: Record<string, string>;
  constructor(page: Page, tag: string, attributes: Record<string, string> = {}, ...children: Place[]) {
    this.page = page;
    this.tag = tag;
    this.attributes = attributes;
    for (const child of children) this.append(child);
  }
  get ownerDocument(): Page {
    return this.page;
  }
  get isConnected(): boolean {
    return this === this.page.body || (this.parentElement?.isConnected ?? false);
  }
  append(child: Place): void {
    this.children.push(child);
    child.parentElement = this;
  }
  matches(selectors: string): boolean {
    return selectors.split(', ').some((selector) => {
      const parts = selector.split(' ');
      const last = /^(\w*)((?:\[[^\]]+\])*)$/.exec(parts.pop() ?? '');
      const [, tag = '', wanted = ''] = last ?? [];
      const isOne =
        (tag === '' || tag === this.tag) &&
        [...wanted.matchAll(/\[([\w-]+)(?:=(\w+))?\]/g)].every(
          ([, name = '', value]) => name in this.attributes && (value === undefined || this.attributes[name] === value),
        );
      return isOne && (parts.length === 0 || (this.parentElement?.closest(parts.join(' ')) ?? null) !== null);
    });
  }
  closest(selectors: string): Place | null {
    return this.matches(selectors) ? this : (this.parentElement?.closest(selectors) ?? null);
  }
  getAttribute(name: string): string | null {
    return this.attributes[name] ?? null;
  }
  contains(other: Place): boolean {
    return this === other || this.children.some((child) => child.contains(other));
  }
  querySelector(selectors: string): Place | null {
    for (const child of this.children) {
      const found = child.matches(selectors) ? child : child.querySelector(selectors);
      if (found) return found;
    }
    return null;
  }
  addEventListener(name: string, listener: (event: unknown) => void): void {
    this.listeners.set(name, listener);
  }
  removeEventListener(name: string): void {
    this.listeners.delete(name);
  }
  focus(): void {
    this.page.leave();
    this.page.activeElement = this;
    this.page.tell('focusin', this);
  }
  /** Takes this out of the page, as a browser does: what had the focus in it has none. */
  remove(): Change {
    const around = this.parentElement?.children ?? [];
    const index = around.indexOf(this);
    const change = {
      removedNodes: [this],
      previousSibling: around[index - 1] ?? null,
      nextSibling: around[index + 1] ?? null,
    };
    const { activeElement } = this.page;
    if (activeElement && this.contains(activeElement)) this.page.leave();
    around.splice(index, 1);
    this.parentElement = null;
    return change;
  }
}

export class Page {
  readonly body = new Place(this, 'body');
  activeElement: Place = this.body;
  leave(): void {
    const left = this.activeElement;
    this.activeElement = this.body;
    this.tell('focusout', left);
  }
  tell(name: string, target: Place): void {
    for (let place: Place | null = target; place; place = place.parentElement) place.listeners.get(name)?.({ target });
  }
  querySelector(selectors: string): Place | null {
    return this.body.querySelector(selectors);
  }
  getElementById(id: string): Place | null {
    return this.querySelector(`[id=${id}]`);
  }
}
