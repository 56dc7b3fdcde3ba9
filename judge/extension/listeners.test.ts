import { expect, test } from 'vitest';
import { catalogue } from '../../suites/catalogue.ts';
import { scenario } from '../case.ts';
import { runCase } from '../case/run-case.ts';
import { sessionOnServer } from '../run/session.fixture.ts';

test.each([false, true])(
  'a request by a path that nobody was given is no call of the case, and is told; on a port of its own: %s',
  async (ownListener) => {
    const session = await sessionOnServer();
    const theCase = scenario(async ({ given, expect }) => {
      const extension = await given.extension({ ownListener });
      const { origin } = new URL(extension.url);
      const seen = extension.everything().length;
      for (const path of ['/', '/favicon.ico', '/x/guessed/hook']) await fetch(origin + path, { method: 'POST' });
      expect(extension.everything().length - seen, 'calls of strangers').toEqual(0);
    });
    const rule = catalogue.get('delivery.success.200-sent-once');
    const outcome = await runCase(rule, theCase, { session, seed: 1, runs: 1, deadlineMs: 20_000 });
    expect(outcome.verdict).toBe('pass');
    expect(outcome.remarks).toEqual(
      ['/', '/favicon.ico', '/x/guessed/hook'].map((path) => expect.stringContaining(`nobody: POST ${path}`)),
    );
  },
);
