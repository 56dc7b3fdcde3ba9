import type { Outcome } from '../../judge/outcome.ts';
import type { Run } from '../run.ts';
import { allIds, outcomeWith, runWith } from '../run.fixture.ts';

/** Every way out of a place where a text may stand in a page. */
export const hostileMarkup = [
  '</code></pre></details></main><script>window.pwned = 1</script>',
  '"><img src=x onerror="window.pwned=1">',
  "' autofocus onfocus='window.pwned=1' x='",
  '</title></style></script><script>window.pwned=1</script>',
  '<!--<svg onload=window.pwned=1>',
  'javascript:window.pwned=1',
  '&lt;script&gt;&#60;b&#62;',
  '`${window.pwned=1}`',
].join('\n');

/** A run in which everything that a target or a profile can put into a report is this text. */
export function hostileRun(text: string): Run {
  const pair = [text, text] as const;
  const exchange = {
    request: { method: text, url: text, headers: [pair], body: text },
    response: { status: 200, headers: [pair], body: text },
    error: text,
    sentAt: 0,
    durationMs: 1,
  };
  const members: Partial<Outcome> = {
    reason: text,
    missing: [text],
    retries: [text],
    remarks: [text],
    timelines: [
      {
        title: text,
        zero: text,
        expected: [
          { label: text, fromMs: 0, calls: 2, missing: 1 },
          { label: text, fromMs: 5, untilMs: 1, calls: 0 },
        ],
        seen: [{ label: text, atMs: -8e9, untilMs: 8e9, isOff: true }],
        leftOut: 1,
      },
    ],
    violation: {
      expected: text,
      actual: `${text}${text}`,
      curl: [text, text],
      counterexample: `object 1 with ${text}; ${text}`,
      exchange,
    },
    observations: [{ what: text, seen: text, key: text }],
  };
  const verdicts = ['fail', 'warn', 'broken', 'blocked', 'observed', 'pass'] as const;
  const run = runWith(
    allIds.slice(0, 60).map((id, index) => outcomeWith(id, verdicts[index % verdicts.length] ?? 'fail', members)),
    {
      implementation: text,
      baseUrl: text,
      command: text,
      startedAt: text,
      suiteVersion: text,
      notSupported: { [text]: text },
      knownFailures: { [text]: text },
      variables: { [text]: text },
    },
  );
  return {
    ...run,
    footer: { kind: 'end', durationMs: 1, requests: 1, aborted: text, remains: [{ uri: text, reason: text }] },
    notes: [text],
  };
}

/** How often the writer of a page wrote which element, by name: nothing that is escaped holds a `<`. */
export function elementsOf(document: string): [string, number][] {
  const own = document.replaceAll(/(<(style|script)>)[\s\S]*?<\/\2>/g, '$1');
  const names = [...own.matchAll(/<([a-z][a-z0-9]*)/g)].map(([, name = '']) => name);
  return Object.entries(Object.groupBy(names, (name) => name))
    .map(([name, all = []]): [string, number] => [name, all.length])
    .sort();
}
