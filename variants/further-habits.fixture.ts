import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Answer } from '../reference-server/http/call.ts';
import { storedStates } from '../reference-server/areas/soft-type.ts';
import { Refusal } from '../reference-server/http/refusal.ts';
import { type Variant, replaces, together } from './breaks.ts';
import { changingObjects, changingValues, isObject, mapped, withoutHeaders } from './dialect/choice.ts';
import { changingUris, isOperation } from './dialect/peculiar-wire.ts';
import { eachServer, refusing } from './habit-parts.ts';
import { whole } from './mistakes/variant-parts.ts';

/** Every URI says in its query for which version of the API it is. */
const urisOfAVersion: Variant = changingUris((path) =>
  path.includes('api-version=') ? path : `${path}${path.includes('?') ? '&' : '?'}api-version=1.0`,
);

/** URIs have the other spelling of the segment that has two. */
const urisInCapitals: Variant = changingUris((path) =>
  path.replace(/^(\/api\/space\/[^/]+)\/softtype(?=\/|$)/, '$1/SoftType'),
);

/** What is escaped in URIs is written in small letters. */
const smallEscapes: Variant = changingUris((path) => path.replaceAll(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase()));

const instanceUri = /^(\/api\/space\/[^/?]+)\/softtype\/([^/?]+)(?=\?|$)/;

/** URIs of objects end in a slash, with which they are served as well. */
const urisWithSlash: Variant = together(
  readAsWell((path) => `${path}/`),
  changingUris((path) => path.replace(instanceUri, '$&/')),
);

/** Objects have a URI of their own, beside the one that the table shows. */
const urisElsewhere: Variant = together(
  readAsWell(() => '/api/space/{spaceId}/object/{objectId}/current'),
  changingUris((path) => path.replace(instanceUri, '$1/object/$2/current')),
);

/** The next object that is made gets the id of the one that was deleted last. */
const idsFromFreeList: Variant = eachServer(() => {
  const free: string[] = [];
  const erased = new AsyncLocalStorage<string[]>();
  return together(
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const oids: string[] = [];
      const answer = await erased.run(oids, () => right(areas, route, call));
      if (answer.status < 400) free.push(...oids);
      return answer;
    }),
    replaces('editing', 'eraseObject', async (right, areas, writing, object) => {
      await right(areas, writing, object);
      erased.getStore()?.push(object.oid);
    }),
    replaces('editing', 'newOid', (right, areas) => free.pop() ?? right(areas)),
  );
});

/** Where an entry goes the last one takes its place. */
const lastFillsTheGap: Variant = replaces('operations', 'removeTarget', async (right, areas, run, target) => {
  const { entry } = target.row;
  if (target.kind !== 'entry' || target.steps.length > 0 || !entry) return right(areas, run, target);
  const before = await run.writing.entries(run.object.oid, entry.port, whole);
  const index = before.findIndex(({ entryId }) => entryId === entry.entryId);
  await right(areas, run, target);
  const rest = before.toSpliced(index, 1);
  const last = rest.pop();
  if (last === undefined || index > rest.length) return;
  await run.writing.replaceEntries(run.object.oid, entry.port, rest.toSpliced(index, 0, last));
});

/** An entry that is edited comes last from then on. */
const editedComesLast: Variant = replaces('operations', 'setMember', async (right, areas, run, target, value) => {
  await right(areas, run, target, value);
  const { entry } = target.row;
  if (!entry) return;
  const all = await run.writing.entries(run.object.oid, entry.port, whole);
  const [own, others] = [
    all.filter(({ entryId }) => entryId === entry.entryId),
    all.filter(({ entryId }) => entryId !== entry.entryId),
  ];
  await run.writing.replaceEntries(run.object.oid, entry.port, [...others, ...own]);
});

/** Ids of objects hold whatever has to be escaped in a path. */
const idsOfAllSigns: Variant = replaces(
  'editing',
  'newOid',
  (right, areas) => `100% of 'a' & {b}/${right(areas)};v=1,2.0?#!`,
);

/** JSON is compressed, whoever asks. */
const compressedJson: Variant = replaces('dispatcher', 'answer', async (right, areas, call, work) => {
  const answer = await right(areas, call, work);
  const content = answer.raw ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body));
  if (content === undefined || isOperation(call) || call.url.startsWith('/_control')) return answer;
  const { body: _body, ...others } = answer;
  const headers = { 'Content-Type': 'application/json', ...answer.headers, 'Content-Encoding': 'gzip' };
  return { ...others, headers, raw: gzipSync(content) };
});

const groups = Array.from({ length: 100 }, (_item, index) => `CN=group-${index},OU=engineering,DC=example`);

/** Tokens name all groups of a user. */
const longTokens: Variant = replaces('tokens', 'signClaims', (right, areas, claims) =>
  right(areas, { groups, ...claims }),
);

/** Times of tokens have fractions, and tokens hold from a minute before. */
const finerTokenTimes: Variant = replaces('tokens', 'signClaims', (right, areas, { iat, exp, ...claims }) =>
  right(areas, {
    ...claims,
    ...(iat !== undefined && { iat: iat + 0.25, nbf: iat - 60 }),
    ...(exp !== undefined && { exp: exp + 0.25 }),
  }),
);

/** Who asks for a token is given the one that he has while it lives for some minutes more. */
const tokensGivenAgain: Variant = eachServer(() => {
  const given = new Map<string, { readonly token: string; readonly until: number }>();
  return replaces('tokens', 'issueToken', async (right, areas, user) => {
    const now = areas.tokens.secondsNow();
    const held = given.get(user.name);
    if (held !== undefined && held.until > now) return held.token;
    const token = await right(areas, user);
    given.set(user.name, { token, until: now + 1800 });
    return token;
  });
});

/** Tokens live for five minutes, as is said where they are granted. */
const tokensOfMinutes: Variant = together(
  replaces('tokens', 'issueToken', (_right, areas, user) => {
    const iat = areas.tokens.secondsNow();
    return areas.tokens.signClaims({ sub: user.name, iat, exp: iat + 300, jti: randomUUID() });
  }),
  replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
    const answer = right(areas, form, token);
    return { ...answer, body: { ...(isObject(answer.body) && answer.body), expires_in: 300 } };
  }),
);

/** A batch waits for a thread, and is dropped where nobody waits for it by then; what has begun runs to its end. */
const droppedInTheQueue: Variant = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
  if (!call.url.endsWith('/batch')) return right(areas, route, call);
  await areas.clock.sleep(50);
  if (call.isAbandoned?.()) throw new Refusal(408, 'Nobody waits for the answer.');
  await areas.clock.sleep(350);
  return right(areas, route, call);
});

/** A token of no use is a credential like others that open nothing. */
const tokensForbidden: Variant = replaces(
  'tokens',
  'unusableToken',
  () => new Refusal(403, 'The token opens nothing.'),
);

/** The profile of a user tells how often he came. */
const loginsTold: Variant = eachServer(() => {
  let logins = 0;
  return together(
    replaces('tokens', 'issueToken', (right, areas, user) => {
      logins += 1;
      return right(areas, user);
    }),
    replaces('caching', 'conditional', (right, areas, call, answer) => {
      const isProfile = call.url === '/api/collection/user/profile' && isObject(answer.body);
      return right(areas, call, isProfile ? { ...answer, body: { ...answer.body, logins } } : answer);
    }),
  );
});

/** The clock of the service is two seconds ahead. */
const clockAhead: Variant = together(
  replaces('tokens', 'secondsNow', (right, areas) => right(areas) + 2),
  replaces('messages', 'finish', async (right, areas, call, answer) =>
    withHeaders(await right(areas, call, answer), { Date: new Date(areas.clock.now() + 2000).toUTCString() }),
  ),
);

/** Every connection ends with its first answer. */
const oneAnswerEach: Variant = replaces('messages', 'finish', async (right, areas, call, answer) => ({
  ...(await right(areas, call, answer)),
  transport: { close: 'announced' },
}));

/** Now and then somebody is asked to come again, at a time or whenever he likes. */
const patienceByDate: Variant = eachServer(() => {
  let turn = 0;
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    turn += 1;
    const [now, later] = [0, 1000].map((ms) => new Date(areas.clock.now() + ms).toUTCString());
    if (turn % 94 === 0)
      throw new Refusal(503, 'Ask again.', { headers: { Date: now ?? '', 'Retry-After': later ?? '' } });
    if (turn % 47 === 0) throw new Refusal(429, 'Ask again.');
    return right(areas, route, call);
  });
});

/** Calls are written with blanks, escapes, and their members in another order. */
const spaciousCalls: Variant = replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
  const request = await right(areas, delivery, callee);
  const turned = mapped(JSON.parse(request.body ?? 'null'), (object) =>
    Object.fromEntries(Object.entries(object).toReversed()),
  );
  const body = JSON.stringify(turned, undefined, '\t').replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { ...request, body: `${body}\r\n` };
});

/** GUIDs of the service begin with the time. */
const guidsOfTheTime: Variant = replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
  if (call.correlationGiven) return right(areas, call);
  const time = areas.clock.now().toString(16).padStart(12, '0');
  const rest = randomBytes(8).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-a${rest.slice(3, 6)}-${rest.slice(4).padEnd(12, '0')}`;
});

/** No text holds what XML cannot. */
const textsOfXml: Variant = refusing(
  (value) => typeof value === 'string' && /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u.test(value),
);

/** Texts are those of western Europe. */
const latinTexts: Variant = refusing((value) => typeof value === 'string' && /[^\u0000-\u00ff]/.test(value));

/** Numbers are those of an amount: not below zero, not above a million, of two places at most. */
const amounts: Variant = refusing(
  (value) => typeof value === 'number' && (value < 0 || value > 1e6 || Number(value.toFixed(2)) !== value),
);

/** Dates of elements are read as counts of seconds. */
const datesInSeconds: Variant = showingDates((date) => Date.parse(date) / 1000);

/** They are read as lists of year, month, day and so on. */
const datesAsLists: Variant = showingDates((date) => {
  const [year = 0, month = 0, ...rest] = date.split(/\D+/).slice(0, 6).map(Number);
  return [year, month, ...rest];
});

/** They have the name of their zone behind them. */
const datesOfNamedZones: Variant = showingDates((date) => `${date.replace(/Z$/, '+00:00')}[Etc/UTC]`);

/** They are read in the time of the service, which is ahead, and do not say so. */
const datesOfTheService: Variant = showingDates((date) =>
  new Date(Date.parse(date) + 7_200_000).toISOString().replace(/(?:\.000)?Z$/, ''),
);

function showingDates(form: (date: string) => unknown): Variant {
  return changingObjects((object) => {
    const { effectivity } = object;
    const isDated = typeof effectivity === 'string' && !Number.isNaN(Date.parse(effectivity));
    return isDated ? { ...object, effectivity: form(effectivity) } : object;
  });
}

/** No two entries of an array have one name, nor do two values of a list. */
const namesOnce: Variant = together(
  refusing((value) => Array.isArray(value) && isTwice(value)),
  replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
    const held = await run.writing.entries(run.object.oid, target.steps.at(-1)?.name ?? '', { from: 0, to: 1000 });
    if (isTwice([...held.map(({ content }) => content), ...contents])) throw new Refusal(422, 'One is called so.');
    return right(areas, run, target, contents);
  }),
);

/** What has left its first state is not deleted. */
const keptBehindTheFirst: Variant = replaces('editing', 'deleteObject', async (right, areas, call, writing) => {
  const states = Object.values(storedStates(call.object)).map(({ state }) => state);
  if (states.includes('reviewed') || states.includes('released')) throw new Refusal(409, 'What was reviewed is kept.');
  return right(areas, call, writing);
});

/** What is read by an information filter with a time is read as of then. */
const asOfThen: Variant = eachServer(() => {
  const madeAt = new Map<string, number>();
  return together(
    replaces('editing', 'newOid', (right, areas) => {
      const oid = right(areas);
      madeAt.set(oid, areas.clock.now());
      return oid;
    }),
    replaces('objects', 'locateObject', async (right, areas, call, reading) => {
      const found = await right(areas, call, reading);
      const { time } = call.method === 'GET' ? areas.messages.informationFilterOf(call) : {};
      if (time !== undefined && Date.parse(time) < (madeAt.get(call.params.objectId ?? '') ?? 0))
        throw new Refusal(404, 'There was no such object by then.');
      return found;
    }),
  );
});

/** What is not modified says so and no more. */
const curtNotModified: Variant = replaces('caching', 'notModified', () => ({
  status: 304,
  headers: { 'Content-Type': 'application/json', 'Last-Modified': 'Fri, 01 Jan 2021 00:00:00 GMT' },
}));

/** The schema of an instance is told elsewhere. */
const schemaElsewhere: Variant = replaces('instances', 'schemaOf', (_right, _areas, _softType, view) => ({
  $schema: 'http://json-schema.org/draft-04/schema#',
  id: `https://schemas.example/${view.id}`,
  $ref: `https://schemas.example/${view.id}.json#/definitions/data`,
}));

/** Definitions are written as of OpenAPI 3.0. */
const olderDefinitions: Variant = replaces('openApi', 'dynamicDocument', (right, areas, space) => {
  const document = mapped(right(areas, space), (object) => {
    const {
      type,
      const: only,
      required,
      $defs: _defs,
      examples: _examples,
      contentEncoding: _encoding,
      contentMediaType: _media,
      contentSchema: _schema,
      ...others
    } = object;
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    const [one] = types.filter((each) => each !== 'null');
    return {
      ...others,
      ...(required !== undefined && !isEmpty(required) && { required }),
      ...(type !== undefined && { type: one }),
      ...(types.includes('null') && { nullable: true }),
      ...(only !== undefined && { enum: [only] }),
    };
  });
  return { ...(isObject(document) && document), openapi: '3.0.3' };
});

/** The log tells of what is a second old. */
const logBehind: Variant = changingValues((value, call, areas) => {
  const isLog = call.url.startsWith('/api/admin/log') && isObject(value) && Array.isArray(value['data']);
  if (!isLog) return value;
  const data = (value['data'] as readonly unknown[]).filter(
    (entry) => isObject(entry) && Date.parse(String(entry['at'])) < areas.clock.now() - 1000,
  );
  return { ...value, data };
});

/** Progress is told with its time. */
const progressWithTime: Variant = replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
  right(areas, job, `${new Date(areas.clock.now()).toISOString()} ${progress}`),
);

/** Names of files have one form each, as on some systems. */
const namesComposed: Variant = together(
  replaces('fileAreas', 'filePathOf', (right, areas, rest) => right(areas, rest).map(composed)),
  replaces('fileAreas', 'relativePathOf', (right, areas, path) => right(areas, path).map(composed)),
  replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
    right(areas, area, target.map(composed), path.map(composed)),
  ),
);

/** Every answer has a policy, and names each of its relatives in a header of its own. */
const manyHeaders: Variant = replaces('messages', 'finish', async (right, areas, call, answer) => {
  const finished = await right(areas, call, answer);
  const stamp = createHash('sha256').update(call.correlationId).digest('base64');
  return withHeaders(withoutHeaders(finished, 'vary'), {
    Vary: 'Accept, Accept-Encoding, Authorization, Origin',
    Link: '</api>; rel="start", </openapi.json>; rel="service-desc", <?page=2>; rel="next"; title="a, b"',
    'Content-Security-Policy': "default-src 'none'",
    'Server-Timing': 'db;dur=1.2, app;dur=3',
    'Alt-Svc': 'h3=":443"; ma=86400',
    'X-Request-Id': stamp,
    'Keep-Alive': 'timeout=5, max=100',
  });
});

/** JSON is told by the name that it had before it had one of its own. */
const jsonAsText: Variant = replaces('messages', 'finish', async (right, areas, call, answer) => {
  const finished = await right(areas, call, answer);
  const type = Object.entries(finished.headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  if (!String(type).startsWith('application/json')) return finished;
  return withHeaders(withoutHeaders(finished, 'content-type'), { 'Content-Type': 'text/json;charset=UTF-8' });
});

/** Paths hold no long segments, and nothing that is decoded twice or that some system takes for more than a name. */
const pathsOfGateways: Variant = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
  const [path = ''] = call.url.split('?', 1);
  if (path.split('/').some((segment) => segment.length > 260)) throw new Refusal(400, 'The address is too long.');
  if (/%25|\+|%2B/i.test(path)) throw new Refusal(404, 'Nothing is decoded twice.');
  if (/%(?:3C|3E|2A|26|3A|5C|3F|7F|[01][\dA-F])|[<>*&:\\]/i.test(path))
    throw new Refusal(400, 'The address has unfit signs.');
  return right(areas, route, call);
});

const conditions = ['if-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'];

/** A header is refused where the documents do not show it: a version where nothing is edited, a checksum where nothing is uploaded. */
const headersInPlace: Variant = replaces('dispatcher', 'carryOut', (right, areas, route, call) => {
  const { method, headers, url } = call;
  const strange = [
    ...conditions,
    ...(['PUT', 'PATCH', 'DELETE'].includes(method) ? [] : ['svc-uoiversion']),
    ...(method === 'POST' ? [] : ['checksum']),
    ...(method === 'GET' && !/\/softtype\//i.test(url) ? [] : ['if-none-match']),
  ].find((name) => headers[name] !== undefined);
  if (strange !== undefined) throw new Refusal(400, `Nobody sends ${strange} here.`);
  return right(areas, route, call);
});

/** Members of a body are known in capitals, too. */
const membersInAnyCase: Variant = replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
  if (!isObject(body)) return right(areas, rules, softType, view, body);
  const known = new Map([...view.names.keys()].map((name) => [name.toLowerCase(), name]));
  const named = Object.entries(body).map(([name, value]) => [known.get(name.toLowerCase()) ?? name, value] as const);
  return right(areas, rules, softType, view, Object.fromEntries(named));
});

/** JSON may have commas at its ends, comments and a byte order mark, and where there is none it is that of nothing. */
const looseJson: Variant = replaces('messages', 'jsonBodyOf', (right, areas, call) => {
  const text = call.body?.toString() ?? '';
  try {
    return right(areas, call);
  } catch (error) {
    const tidy = text
      .replace(/^\uFEFF/, '')
      .replaceAll(/("(?:[^"\\]|\\.)*")|\/\*[^]*?\*\/|\/\/[^\n]*/g, '$1')
      .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, '$1');
    if (tidy.trim() === '') return {};
    if (tidy === text) throw error;
    return right(areas, { ...call, body: Buffer.from(tidy) });
  }
});

/** Instances are read by the short route at another path, too. */
function readAsWell(elsewhere: (path: string) => string): Variant {
  return replaces('instances', 'routes', (right, areas) => [
    ...right(areas),
    ...right(areas)
      .slice(0, 1)
      .map((route) => ({ ...route, path: elsewhere(route.path) })),
  ]);
}

function withHeaders(answer: Answer, headers: Readonly<Record<string, string>>): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function isTwice(items: readonly unknown[]): boolean {
  const names = items.map((item) => (isObject(item) ? item['name'] : item)).filter((name) => name !== undefined);
  return new Set(names).size < names.length;
}

function composed(name: string): string {
  return name.normalize('NFC');
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Objects begin at a version of their own. */
const beginningAtSeven: Variant = replaces('versioning', 'firstVersion', () => 7);

/** Addresses of pages hold the number of their page twice: in the path, and in a query that nobody reads. */
const pagesNumberedTwice: Variant = replaces('hypermedia', 'pageLink', (right, areas, ...rest) => {
  const link = right(areas, ...rest);
  return { ...link, href: `${link.href}${link.href.includes('?') ? '&' : '?'}at={pageNumber}` };
});

/** Reads offer an icon that stands in its own address, and an identifier of what they show that is no address. */
const addressesOfOtherSchemes: Variant = replaces('hypermedia', 'linksOf', (right, areas, ...rest) => [
  { rel: 'icon', href: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=', method: 'GET' },
  { rel: 'type', href: 'urn:example:object', method: 'GET' },
  ...right(areas, ...rest),
]);

/** Behind the last page of an array, the last one is shown again. */
const lastPageForLaterOnes: Variant = replaces('paging', 'assemblePage', async (right, areas, ...asked) => {
  const [call, reading, object, view, section, page, filter] = asked;
  for (let shown = page; ; shown -= 1)
    try {
      return await right(areas, call, reading, object, view, section, shown, filter);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404 || shown === 0) throw error;
    }
});

/** The service has eight places for calls, whoever they are for; extensions are asked for their metadata all the same. */
const eightPlaces: Variant = eachServer(() => {
  const waiting: (() => void)[] = [];
  let free = 8;
  return replaces('outgoingCalls', 'call', async (right, areas, request) => {
    if (request.method === 'GET') return right(areas, request);
    if (free > 0) free -= 1;
    else await new Promise<void>((goOn) => waiting.push(goOn));
    try {
      return await right(areas, request);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  });
});

/** By the names that a command knows. */

export const furtherHabits = {
  beginningAtSeven,
  pagesNumberedTwice,
  lastPageForLaterOnes,
  addressesOfOtherSchemes,
  urisOfAVersion,
  urisInCapitals,
  smallEscapes,
  urisWithSlash,
  urisElsewhere,
  idsFromFreeList,
  lastFillsTheGap,
  editedComesLast,
  idsOfAllSigns,
  compressedJson,
  longTokens,
  finerTokenTimes,
  tokensGivenAgain,
  tokensOfMinutes,
  tokensForbidden,
  droppedInTheQueue,
  loginsTold,
  clockAhead,
  oneAnswerEach,
  patienceByDate,
  spaciousCalls,
  guidsOfTheTime,
  textsOfXml,
  latinTexts,
  amounts,
  datesInSeconds,
  datesAsLists,
  datesOfNamedZones,
  datesOfTheService,
  namesOnce,
  keptBehindTheFirst,
  asOfThen,
  curtNotModified,
  schemaElsewhere,
  olderDefinitions,
  logBehind,
  progressWithTime,
  namesComposed,
  manyHeaders,
  jsonAsText,
  pathsOfGateways,
  headersInPlace,
  membersInAnyCase,
  looseJson,
  eightPlaces,
} as const;
