/** A page under a translator of the browser, as Chrome's is and as extensions are. */
import type { Page } from '@playwright/test';

/**
 * From the next visit on, does to the page what a translator does: each text that is or comes there, or changes, gives way to
 * one of the same words within two elements of the translator's own. What the page then writes into a text that is no longer
 * there nobody would see: that is an error in the page's console.
 */
export const translate = (page: Page) =>
  page.addInitScript(() => {
    const LEFT_ALONE = '[translate=no], .notranslate, head, script, style, svg, textarea, font';
    const replace = (text: Text) => {
      if (text.data.trim() === '' || !text.parentElement || text.parentElement.closest(LEFT_ALONE)) return;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      inner.append(text.data);
      outer.append(inner);
      text.replaceWith(outer);
    };
    const replaceIn = (node: Node) => {
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      const texts: Text[] = node instanceof Text ? [node] : [];
      while (walker.nextNode()) texts.push(walker.currentNode as Text);
      texts.forEach(replace);
    };
    new MutationObserver((changes) => {
      for (const { type, target, addedNodes } of changes)
        for (const node of type === 'characterData' ? [target] : addedNodes) replaceIn(node);
    }).observe(document, { subtree: true, childList: true, characterData: true });

    const written = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeValue');
    if (!written) throw new Error('Texts cannot be watched.');
    Object.defineProperty(Node.prototype, 'nodeValue', {
      ...written,
      set(this: Node, value: string | null) {
        if (this instanceof Text && !this.isConnected) console.error(`Nobody sees that a text has become: ${value}`);
        written.set?.call(this, value);
      },
    });
  });
