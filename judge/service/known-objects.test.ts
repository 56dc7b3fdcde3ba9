import { expect, test } from 'vitest';
import { KnownObjects, type KnownWrite, KnownTags } from './known-objects.ts';
import { smallProfile } from '../small-service.fixture.ts';
import type { Reply } from '../exchange.ts';

const { profile } = smallProfile('http://127.0.0.1:1');

type Happening =
  | readonly ['write', number, Partial<KnownWrite>]
  | readonly ['read', number, Readonly<Record<string, unknown>>, way?: string]
  | readonly ['forget'];

const state = (name: string) => ({ stage: { level: { $oid: 'o', $softType: 'S', id: 'i', state: name } } });

/** Members that contradict what was told before. */
function wrongIn(...happenings: readonly Happening[]): readonly string[] {
  const known = new KnownObjects(profile);
  return happenings.flatMap((one) => {
    if (one[0] === 'forget') known.forget('o');
    else if (one[0] === 'write')
      known.written('o', one[1], { kind: 'merge', isOfUsualSchema: true, body: undefined, ...one[2] });
    else
      return known
        .read('o', one[1], one[2], one[3] ?? 'short')
        .map(({ member, expected, actual }) => `${member}: ${actual} instead of ${expected}`);
    return [];
  });
}

const made: Happening = ['write', 1, { kind: 'create', body: { note: 'one', remark: 'two' } }];

test.each<[string, readonly Happening[], readonly string[]]>([
  ['what was created reads so', [['read', 1, { note: 'one', remark: 'other' }]], ['remark: other instead of two']],
  [
    'a merge leaves what it does not name',
    [
      ['write', 2, { body: { note: 'three' } }],
      ['read', 2, { note: 'one', remark: 'gone' }],
    ],
    ['remark: gone instead of two', 'note: one instead of three'],
  ],
  [
    'a PUT leaves nothing of the texts',
    [
      ['write', 2, { kind: 'put', body: { note: 'three' } }],
      ['read', 2, { note: 'three', remark: 'any' }],
    ],
    [],
  ],
  [
    'operations leave what they do not name',
    [
      [
        'write',
        2,
        {
          kind: 'operations',
          body: [
            { op: 'add', path: '/files/-', value: {} },
            { op: 'replace', path: '/note', value: 'new' },
          ],
        },
      ],
      ['read', 2, { note: 'one', remark: 'gone' }],
    ],
    ['remark: gone instead of two', 'note: one instead of new'],
  ],
  [
    'a member that is removed or is given something else is not known',
    [
      [
        'write',
        2,
        {
          kind: 'operations',
          body: [
            { op: 'remove', path: '/note' },
            { op: 'replace', path: '/remark', value: ' ' },
          ],
        },
      ],
      ['read', 2, { note: 'any', remark: 'any' }],
    ],
    [],
  ],
  [
    'of another schema the members may be others',
    [
      ['write', 2, { isOfUsualSchema: false, body: { note: 'three' } }],
      ['read', 2, { note: 'any', remark: 'two' }],
    ],
    [],
  ],
  [
    'of a body that is no object nothing is known',
    [
      ['write', 2, { body: '{"note":"x"}' }],
      ['read', 2, { note: 'a', remark: 'b' }],
    ],
    [],
  ],
  [
    'of operations with other paths nothing is known',
    [
      ['write', 2, { kind: 'operations', body: [{ op: 'replace', path: '/data/note', value: 'x' }] }],
      ['read', 2, { note: 'a', remark: 'b' }],
    ],
    [],
  ],
  ['behind an edit that nobody saw nothing is known', [['read', 3, { note: 'a', remark: 'b' }]], []],
  ['made again it begins anew', [['forget'], ['read', 1, { note: 'a', remark: 'b' }]], []],
])('%s', (_what, happenings, wrong) => {
  expect(wrongIn(made, ...happenings)).toEqual(wrong);
});

test('reads of one version agree, by whichever way', () => {
  expect(wrongIn(['read', 4, { note: 'a' }], ['read', 4, { note: 'b' }, 'long'], ['read', 5, { note: 'b' }])).toEqual([
    'note: b instead of a',
  ]);
});

test('texts of entries stay with their ids, as long as no write names the array', () => {
  const entries = (...texts: readonly string[]) => ({ files: texts.map((comment, id) => ({ $entryId: id, comment })) });
  const changed: Happening[] = [
    ['read', 2, entries('a', 'b')],
    ['read', 2, entries('a')],
    ['write', 3, { body: { note: 'x' } }],
    ['read', 3, entries('b', 'b')],
    ['write', 4, { kind: 'operations', body: [{ op: 'remove', path: '/files/0' }] }],
    ['read', 4, entries('c', 'd')],
  ];
  expect(wrongIn(...changed)).toEqual(['files of entry 0: b instead of a']);
});

test('a text is missed only where that way to read has shown the member', () => {
  expect(wrongIn(made, ['read', 1, { note: 'one' }, 'brief'])).toEqual([]);
  expect(wrongIn(['read', 9, { remark: 'x' }, 'brief'], made, ['read', 1, { note: 'one' }, 'brief'])).toEqual([
    'remark: nothing instead of two',
  ]);
});

test('merges leave the states, and a move leaves the texts', () => {
  const moved = { ...state('second'), note: 'one', remark: 'two' };
  expect(
    wrongIn(
      made,
      ['read', 1, state('first')],
      ['write', 2, { body: {} }],
      ['read', 2, {}],
      ['write', 3, { kind: 'move' }],
      ['read', 3, moved],
      ['read', 3, state('first')],
    ),
  ).toEqual([
    'state of stage/level: nothing instead of first',
    'note: nothing instead of one',
    'remark: nothing instead of two',
    'state of stage/level: first instead of second',
  ]);
});

test('a PUT may lead to any state', () => {
  expect(
    wrongIn(
      ['read', 1, state('second')],
      ['write', 2, { kind: 'put', body: {} }],
      ['read', 2, state('first')],
      ['read', 2, state('second')],
    ),
  ).toEqual(['state of stage/level: second instead of first']);
});

const url = 'http://127.0.0.1:1/api/space/main/dx/1';
const madeText = 'text-0a1b2c3d-7';

function answer(json: unknown, etag = '"t"', type = 'application/json'): Reply {
  return {
    status: 200,
    headers: { etag, 'content-type': type },
    bytes: Buffer.from(JSON.stringify(json)),
    text: JSON.stringify(json),
    json,
    url,
    exchange: { request: { method: 'GET', url, headers: [] }, sentAt: 0, durationMs: 1 },
  };
}

function tagsSeen(...replies: readonly Reply[]): readonly boolean[] {
  const tags = new KnownTags();
  return replies.map((reply) => tags.isOfFormerData({ method: 'GET', url, as: 'editor' }, reply));
}

test('an ETag that stood for data without a text of the run is not that of data with it', () => {
  expect(tagsSeen(answer({ at: 1 }), answer({ at: 2 }), answer({ progress: madeText }))).toEqual([false, false, true]);
});

test('what the run has not written may differ, as may data under another tag and SoftTypes', () => {
  expect(tagsSeen(answer({ id: '0a1b2c3d-1234-4abc' }), answer({ id: 'of-0a1b2c3d-1234-4abc' }))).toEqual([
    false,
    false,
  ]);
  expect(tagsSeen(answer({ progress: madeText }), answer({ progress: 'text-0a1b2c3d-8' }, '"u"'))).toEqual([
    false,
    false,
  ]);
  expect(tagsSeen(answer({ $softType: 'D' }), answer({ $softType: 'D', note: madeText }))).toEqual([false, false]);
});

test('a file of the same length may have the same tag', () => {
  const file = (text: string): Reply => answer(text, '"t"', 'text/plain');
  expect(tagsSeen(file(madeText), file('text-0a1b2c3d-8'))).toEqual([false, false]);
  expect(tagsSeen(file(madeText), file('text-0a1b2c3d-10'))).toEqual([false, true]);
});

test('data are the same however they are escaped', () => {
  const data = { progress: madeText };
  const escaped = { ...answer(data), bytes: Buffer.from(JSON.stringify(data).replaceAll('e', '\\u0065')) };
  expect(tagsSeen(answer(data), escaped, answer(data))).toEqual([false, false, false]);
});
