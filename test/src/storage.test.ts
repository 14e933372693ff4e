import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { createProjectMemory } from '#src/effects/browser/projectMemory.ts';
import { keepReferral, readReferral } from '#src/effects/session/referral.ts';
import { createWebStorage } from '#src/effects/browser/webStorage.ts';
import { memoryStorage, MemoryStorage } from './fake-storage.ts';

describe('what the browser keeps', () => {
  it('SES-11: keeps a referral code under {product}_ref and leaves it when a later page has none', () => {
    const raw = new MemoryStorage();
    const storage = createWebStorage(() => raw);
    keepReferral(new URL('https://console.example.com/signup?ref=FRIEND'), storage, 'parlance');
    keepReferral(new URL('https://console.example.com/signin/'), storage, 'parlance');
    expect(raw.getItem('parlance_ref')).toBe('FRIEND');
    expect(readReferral(storage, 'parlance')).toBe('FRIEND');
  });

  it('keeps no code that sign-up would refuse', () => {
    const storage = memoryStorage();
    keepReferral(new URL(`https://x.example/?ref=${'a'.repeat(101)}`), storage, 'parlance');
    expect(readReferral(storage, 'parlance')).toBeUndefined();
  });

  it('SEL-02: remembers a project per organization', () => {
    const raw = new MemoryStorage();
    const memory = createProjectMemory(
      createWebStorage(() => raw),
      'parlance',
    );
    const actor = createActor(memory.actor).start();
    actor.send({ type: 'project.selected', orgUuid: 'org-1', projectUuid: 'project-a' });
    actor.send({ type: 'project.selected', orgUuid: 'org-2', projectUuid: 'project-b' });
    actor.stop();
    expect(memory.recall(['org-1', 'org-2', 'org-3'])).toEqual({ 'org-1': 'project-a', 'org-2': 'project-b' });
    expect(raw.length).toBe(2);
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
