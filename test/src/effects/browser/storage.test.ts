import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import type { ChoiceRead } from '#machines/playground/live/savingSession/actors.ts';
import { createSavingChoice } from '#src/effects/browser/savingChoice.ts';
import { preferencesMachine } from '#machines/root/preferences/machine.ts';
import { createPreferencesStore } from '#src/effects/browser/preferencesStore.ts';
import type { Reloaded } from '#machines/root/actors.ts';
import { createReloadPage } from '#src/effects/browser/reloadPage.ts';
import { createProjectMemory } from '#src/effects/browser/projectMemory.ts';
import { keepReferral, readReferral } from '#src/effects/session/referral.ts';
import { createWebStorage } from '#src/effects/browser/webStorage.ts';
import { MemoryStorage } from '../../fake-storage.ts';
import { noted } from '../../noted.ts';

function opened() {
  const raw = new MemoryStorage();
  return { raw, storage: createWebStorage(() => raw) };
}

describe('what the browser keeps', () => {
  it('SES-11: keeps a referral code under {product}_ref and leaves it when a later page has none', () => {
    const { raw, storage } = opened();
    keepReferral(new URL('https://console.example.com/signup?ref=FRIEND'), storage, 'parlance');
    keepReferral(new URL('https://console.example.com/signin/'), storage, 'parlance');
    expect(raw.getItem('parlance_ref')).toBe('FRIEND');
    expect(readReferral(storage, 'parlance')).toBe('FRIEND');
  });

  it('keeps no code that sign-up would refuse', () => {
    const { storage } = opened();
    keepReferral(new URL(`https://x.example/?ref=${'a'.repeat(101)}`), storage, 'parlance');
    expect(readReferral(storage, 'parlance')).toBeUndefined();
  });

  it('SEL-02: remembers a project per organization', () => {
    const { raw, storage } = opened();
    const memory = createProjectMemory(storage, 'parlance');
    const actor = createActor(memory.actor).start();
    actor.send({ type: 'project.selected', orgUuid: 'org-1', projectUuid: 'project-a' });
    actor.send({ type: 'project.selected', orgUuid: 'org-2', projectUuid: 'project-b' });
    actor.stop();
    expect(memory.recall(['org-1', 'org-2', 'org-3'])).toEqual({ 'org-1': 'project-a', 'org-2': 'project-b' });
    expect(raw.length).toBe(2);
  });

  it('CON-32: keeps the time zone that was chosen, and drops one that does not exist', () => {
    const { raw, storage } = opened();
    const page = { addEventListener: () => undefined, removeEventListener: () => undefined };
    const open = () => {
      const preferencesStore = createPreferencesStore(storage, 'parlance', page);
      return createActor(preferencesMachine.provide({ actors: { preferencesStore } })).start();
    };
    const first = open();
    expect(first.getSnapshot().context.zone).toBe('utc');
    first.send({ type: 'zone.chosen', zone: 'local' });
    first.send({ type: 'theme.chosen', theme: 'dark' });
    expect(open().getSnapshot().context).toMatchObject({ zone: 'local', theme: 'dark' });
    raw.setItem('parlance_preferences', JSON.stringify({ zone: 'Mars', theme: 'dark' }));
    expect(open().getSnapshot().context).toMatchObject({ zone: 'utc', theme: 'dark' });
  });

  it('ERR-10: keeps what was typed over one loading of the page anew, on the screen that it was typed on', () => {
    const { raw, storage } = opened();
    const went: string[] = [];
    const page = () =>
      createReloadPage(storage, 'parlance', {
        reload: () => void went.push('reload'),
        replace: (to: string | URL) => void went.push(String(to)),
      });
    const keptDrafts = {
      userUuid: 'u1',
      drafts: [{ form: 'keyForm', about: { projectUuid: 'p1' }, values: { name: 'CI' } }],
    };
    const reload = (what: Reloaded) => createActor(page().reloadPage, { input: what }).start();
    reload({ keptDrafts, route: { screen: 'user' } });
    expect(page().recall()).toEqual(keptDrafts);
    expect(page().recall()).toBeNull();
    reload({ keptDrafts: { ...keptDrafts, drafts: [] }, route: { screen: 'user' } });
    reload({ keptDrafts: null, route: { screen: 'signIn', from: '/' } });
    expect(page().recall()).toBeNull();
    expect(went).toEqual(['/user/', 'reload', 'reload']);
    raw.setItem('parlance_left', '{"userUuid":"u1","drafts":[{"form":1}]}');
    expect(page().recall()).toBeNull();
  });

  it('LVP-07: remembers whether every session is kept, and hears of it from other tabs', () => {
    const { raw, storage } = opened();
    const page = new EventTarget() as unknown as Window;
    const begin = () => {
      const { said, actor } = noted<ChoiceRead>(createSavingChoice(storage, 'parlance', page));
      return {
        heard: () => said.map(({ isAlways }) => isAlways),
        choose: (isAlways: boolean) => actor.send({ type: 'choice.made', isAlways }),
      };
    };
    const one = begin();
    expect(one.heard()).toEqual([false]);
    one.choose(true);
    const other = begin();
    expect(other.heard()).toEqual([true]);
    other.choose(false);
    page.dispatchEvent(Object.assign(new Event('storage'), { key: 'parlance_keep_sessions' }));
    expect(one.heard()).toEqual([false, false]);
    expect(raw.length).toBe(0);
  });

  it('lives on in memory where the browser denies its storage', () => {
    const storage = createWebStorage(() => {
      throw new DOMException('denied', 'SecurityError');
    });
    storage.write('a', '1');
    expect(storage.read('a')).toBe('1');
    storage.remove('a');
    expect(storage.read('a')).toBeNull();
  });
});
