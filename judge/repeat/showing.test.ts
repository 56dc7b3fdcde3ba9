import { expect, test } from 'vitest';
import { callOrder } from './calls.ts';
import { Flow } from './flow.ts';
import { answered } from './kind.ts';
import { commonWith, judgedIn } from './showing.ts';
import { fill } from './template.ts';

const body = '{"data":[{"title":"one"},{"title":"two"}]}';

function told(type: string) {
  return { status: 200, headers: [['content-type', type]] as const, body };
}

/** What shows that a page has two entries, when it is asked for again and tells its type in another spelling. */
function seenAgain(name: string) {
  const page = answered({ method: 'GET', url: 'http://service/page', headers: [] }, told('application/json'));
  const flow = new Flow([page], { baseUrl: 'http://service', values: {}, variables: [], isHost: false, known: '' });
  const claim = { about: 'value', name, actual: 2, expected: { value: 1 } } as const;
  const judged = judgedIn(flow, { claim, expected: `${name} to be 1`, actual: '2' }, page.exchange);
  const { headers } = told('Application/JSON; charset="utf-8"');
  return judged && commonWith(judged.showing, { status: 200, headers, text: body }, new Map());
}

test('a header that is spelled in several ways takes nothing from what is found in a body', () => {
  expect(seenAgain('number of entries')).toMatchObject({ kind: 'lines', count: 6, ofBody: true });
});

test('a header that the assertion is about has to be the same again', () => {
  expect(seenAgain('number of parts of Content-Type')).toBeUndefined();
});

test('a call that is named shows by the member of it that the assertion stands by, and by no other call', () => {
  const links = [
    { id: 'inputFile', method: 'GET' },
    { id: 'uploadFile', method: 'GET' },
  ];
  const body = JSON.stringify({ payload: { links } });
  const calls = [1, 2].map((number) => callOrder('http://listener', { number, base: '/x/one' }, { status: 200, body }));
  const flow = new Flow(calls, { baseUrl: 'http://service', values: {}, variables: [], isHost: false, known: '' });
  const shownBy = { call: {}, at: '/payload/links/1' };
  const claim = { about: 'value', name: 'methods', actual: ['GET'], expected: { value: ['POST'] }, shownBy } as const;
  const judged = judgedIn(flow, { claim, expected: 'methods to be ["POST"]', actual: '["GET"]' }, calls[0]?.exchange);
  const lines = judged?.showing.kind === 'lines' ? judged.showing.lines.map((line) => fill(line, new Map())) : [];
  expect([judged?.at, judged?.others.size]).toEqual([0, 0]);
  expect(lines).toEqual([
    '/payload/links/1 = {',
    '/payload/links/1/id = "uploadFile"',
    '/payload/links/1/method = "GET"',
  ]);
});

test('a number that the named answer does not tell is shown by all that was read behind it as well', () => {
  const history = [[], ['one'], ['two']].map((data, number) => {
    const body = JSON.stringify({ data });
    return answered({ method: 'GET', url: `http://service/${number}`, headers: [] }, { status: 200, body });
  });
  const flow = new Flow(history, { baseUrl: 'http://service', values: {}, variables: [], isHost: false, known: '' });
  const claim = { about: 'value', name: 'entries on all pages', actual: 2, expected: { value: 1 } } as const;
  const judged = judgedIn(flow, { claim, expected: 'entries to be 1', actual: '2' }, history[0]?.exchange);
  expect([judged?.at, judged?.others.size]).toEqual([2, 2]);
});

test('what is not there is shown by no list of the files that are', () => {
  const url = 'file:///folder/';
  const look = answered({ method: 'GET', url, headers: [] }, { status: 200, body: '["/one"]' });
  const flow = new Flow([look], { baseUrl: 'http://service', values: {}, variables: [], isHost: false, known: '' });
  const claim = { about: 'value', name: 'files', actual: ['two'], expected: { value: [] } } as const;
  const violation = { expected: 'files to be []', actual: '["two"]' };
  expect(judgedIn(flow, { ...violation, claim }, look.exchange)).toBeDefined();
  expect(judgedIn(flow, { ...violation, claim: { ...claim, lacks: true } }, look.exchange)).toBeUndefined();
});

test('a list whose first part the named answer tells is shown by the last page that tells the rest', () => {
  const entries = (...titles: string[]) => JSON.stringify({ data: titles.map((title) => ({ title })) });
  const [first, page, beside] = ['one', 'two', 'other'].map((title) =>
    answered({ method: 'GET', url: `http://service/${title}`, headers: [] }, { status: 200, body: entries(title) }),
  );
  const history = [first, page, beside].filter((sent) => sent !== undefined);
  const flow = new Flow(history, { baseUrl: 'http://service', values: {}, variables: [], isHost: false, known: '' });
  const claim = {
    about: 'value',
    name: 'entries',
    actual: ['one', 'two'],
    expected: { value: ['two', 'one'] },
  } as const;
  expect(judgedIn(flow, { claim, expected: 'entries to be others', actual: '' }, first?.exchange)?.at).toBe(1);
});
