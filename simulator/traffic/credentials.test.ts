import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Profile } from '../../contract/profile.ts';
import { openCredentials, type TokenSource } from './credentials.ts';
import { madeUp } from './judging/made-up.fixture.ts';
import { PreparationFailed } from './preparation.ts';

const profile = { identities: { editor: {}, noRole: {} } } as unknown as Profile;
/** 401 to whoever sent it just now. */
const refused = (as: 'editor' | 'noRole' | null, accept?: readonly number[]) =>
  madeUp({ status: 401, sentAt: performance.now(), step: { as, ...(accept && { accept }) } });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Gives out tokens with numbers. Each lives so long, and whoever is asked says so, or says nothing. */
function source(livesMs: number, isTold: boolean): TokenSource & { readonly given: () => number } {
  const kept = new Map<string, { readonly text: string; readonly until: number }>();
  let given = 0;
  const tokenOf: TokenSource = async (name, old) => {
    const token = kept.get(name);
    const isGood = token !== undefined && token.text !== old && (!isTold || performance.now() < token.until);
    if (isGood) return token.text;
    const next = { text: `${name}-${(given += 1)}`, until: performance.now() + (4 / 5) * livesMs };
    kept.set(name, next);
    return next.text;
  };
  return Object.assign(tokenOf, { given: () => given });
}

test('a token that lives for ten seconds is replaced before it ends', async () => {
  using credentials = openCredentials(profile, source(10_000, true));
  await credentials.renew();
  const first = credentials.of('editor');
  await vi.advanceTimersByTimeAsync(9500);
  expect(credentials.of('editor')).not.toBe(first);
});

test('a token of which nobody says how long it lives is replaced when it is refused, once, and nobody else is', async () => {
  const tokenOf = source(10_000, false);
  using credentials = openCredentials(profile, tokenOf);
  await credentials.renew();
  const [editor, noRole] = [credentials.of('editor'), credentials.of('noRole')];
  await vi.advanceTimersByTimeAsync(9999);
  const late = refused('editor');
  await vi.advanceTimersByTimeAsync(1);
  credentials.see(refused('editor'));
  credentials.see(refused('editor'));
  await vi.advanceTimersByTimeAsync(1);
  expect(credentials.of('editor')).not.toBe(editor);
  expect(credentials.of('noRole')).toBe(noRole);
  await vi.advanceTimersByTimeAsync(10_000);
  credentials.see(late);
  await vi.advanceTimersByTimeAsync(1);
  expect(tokenOf.given()).toBe(3);
  expect([...credentials.ended]).toEqual([]);
});

test('a 401 that is asked for, or that comes to no token of the profile, replaces none', async () => {
  const tokenOf = source(10_000, false);
  using credentials = openCredentials(profile, tokenOf);
  await credentials.renew();
  credentials.see(refused('noRole', [401, 403]));
  credentials.see(refused(null));
  await vi.advanceTimersByTimeAsync(1);
  expect(tokenOf.given()).toBe(2);
});

test('whose token ended without another one is known', async () => {
  using credentials = openCredentials(profile, async (_name, old) => (old === undefined ? 'stated' : null));
  await credentials.renew();
  credentials.see(refused('editor'));
  await vi.advanceTimersByTimeAsync(1);
  expect([...credentials.ended]).toEqual(['editor']);
});

test('whoever gives out no tokens is not asked every second', async () => {
  let asked = 0;
  using credentials = openCredentials({ identities: { editor: {} } } as unknown as Profile, async () => {
    if ((asked += 1) > 1) throw new Error('503');
    return 'one';
  });
  await credentials.renew();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked).toBeLessThan(7);
  expect(credentials.of('editor')).toBe('Bearer one');
});

test('a first token that gets no answer is no mistake of the simulator', async () => {
  const lost = Object.assign(new Error('the connection was lost during POST /auth/token'), { code: 'CONNECTION_LOST' });
  using credentials = openCredentials(profile, () => Promise.reject(lost));
  await expect(credentials.renew()).rejects.toThrow(PreparationFailed);
  await expect(credentials.renew()).rejects.toThrow('identities.editor: the connection was lost');
});
