import { hash, type KeyObject, sign } from 'node:crypto';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { sealed } from './envelope.ts';
import { keyIdOf, lettersOf } from './keys.ts';
import { mostClaimBytes } from './examine.ts';
import type { Report } from '../../contract/schemas/report.ts';
import { type About, cassetteBytes, readCassette } from '../../judge/cassette/file.ts';
import { printableJson } from '../../reports/text.ts';

/** What a test changes without asking what it is. */
type Loose = ReturnType<typeof JSON.parse>;

/** A claim that holds, and what its holder has. */
export interface Original {
  readonly text: string;
  readonly key: KeyObject;
  readonly report: Report;
  readonly cassette: Buffer;
}

/** Whoever changes claims: the first was made of a run that passed, the others of one with a fault in it, and of another passing one. */
export interface Workshop {
  readonly good: Original;
  readonly faulty: Original;
  readonly other: Original;
  readonly stranger: KeyObject;
}

export type Kind = readonly [what: string, make: (workshop: Workshop) => string | Uint8Array];

const payloadOf = (text: string): string => Buffer.from(JSON.parse(text).payload, 'base64').toString();
const statementOf = (text: string): Loose => JSON.parse(payloadOf(text));
const bytesOf = (text: string): Buffer => Buffer.from(text);

function flipped(text: string, share: number): Buffer {
  const bytes = bytesOf(text);
  const at = Math.min(bytes.length - 1, Math.floor(bytes.length * share));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

/** With another envelope of the same payload and signature. */
function enveloped(text: string, change: (envelope: Loose) => void): string {
  const envelope = JSON.parse(text);
  change(envelope);
  return `${JSON.stringify(envelope)}\n`;
}

/** With another statement under the old signature. */
function restated(text: string, change: (statement: Loose) => void): string {
  return enveloped(text, (envelope) => {
    const statement = statementOf(text);
    change(statement);
    envelope.payload = Buffer.from(JSON.stringify(statement)).toString('base64');
  });
}

/** The same, signed anew by that key, which the statement then names. */
function signedAnew(text: string, key: KeyObject, change: (statement: Loose) => void): string {
  const statement = statementOf(text);
  statement.predicate.publicKey = lettersOf(key);
  change(statement);
  return sealed(JSON.stringify(statement), key);
}

/** By its holder, who puts all digests right. */
function lied(
  { text, key, report, cassette }: Original,
  parts: { report?: (report: Loose) => void; cassette?: (cassette: Buffer) => Uint8Array },
  more: (statement: Loose) => void = () => undefined,
): string {
  const changed = structuredClone(report);
  parts.report?.(changed);
  const file = printableJson(changed);
  const tape = parts.cassette?.(cassette) ?? cassette;
  return signedAnew(text, key, (statement) => {
    statement.predicate.content = {
      'report.json': zstdCompressSync(file).toString('base64'),
      'run.cassette': Buffer.from(tape).toString('base64'),
    };
    statement.subject[0].digest.sha256 = hash('sha256', file);
    statement.subject[1].digest.sha256 = hash('sha256', tape);
    more(statement);
  });
}

/** A cassette with another text about itself. */
function retold(bytes: Buffer, change: (about: Loose) => void): Uint8Array {
  const { about, tape } = readCassette(bytes, 'it');
  const changed = structuredClone(about) as Loose;
  change(changed);
  return cassetteBytes({ about: changed as About, tape });
}

/** A cassette with other lines. */
function rewound(bytes: Buffer, change: (lines: string[]) => readonly string[]): Uint8Array {
  const { about, tape } = readCassette(bytes, 'it');
  const lines = zstdDecompressSync(tape).toString().trimEnd().split('\n');
  return cassetteBytes({ about, tape: new Uint8Array(zstdCompressSync(`${change(lines).join('\n')}\n`)) });
}

function headed(bytes: Buffer, change: (head: Loose) => void): Uint8Array {
  return rewound(bytes, ([first = '{}', ...lines]) => {
    const head = JSON.parse(first);
    change(head);
    return [JSON.stringify(head), ...lines];
  });
}

const tokenRule = 'auth.grant.returns-access-token';
/** What the faulty one breaks. */
export const brokenRule = 'auth.role.reader-create-403';
const bodyRule = 'reading.body.data-is-object';

function resultOf(report: Loose, id: string): Loose {
  return report.rules.find((rule: Loose) => rule.id === id);
}

const zeros = (bytes: number): Buffer => zstdCompressSync(Buffer.alloc(bytes));

/** Done to the bytes of the file, by anybody. */
const fileKinds: readonly Kind[] = [
  ['nothing is left', () => ''],
  ['half of it is left', ({ good }) => good.text.slice(0, good.text.length / 2)],
  ['the last bytes are gone', ({ good }) => good.text.slice(0, -3)],
  ['the end of the line is gone', ({ good }) => good.text.trimEnd()],
  ['a line more', ({ good }) => `${good.text}\n`],
  ['a blank behind it', ({ good }) => `${good.text} `],
  ['another envelope behind it', ({ good }) => good.text + good.text],
  ['a zero byte behind it', ({ good }) => `${good.text}\0`],
  ['a byte order mark', ({ good }) => `\uFEFF${good.text}`],
  ['a blank before it', ({ good }) => ` ${good.text}`],
  ['another end of the line', ({ good }) => good.text.replace('\n', '\r\n')],
  ...[0.001, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999].map((share): Kind => [
    `a bit flipped at ${share * 100} %`,
    ({ good }) => flipped(good.text, share),
  ]),
  [
    'a byte that is no UTF-8',
    ({ good }) =>
      Buffer.concat([bytesOf(good.text).subarray(0, 30), Buffer.from([0xff]), bytesOf(good.text).subarray(31)]),
  ],
  [
    'the payload twice',
    ({ good, other }) => good.text.replace('"payload":', `"payload":"${JSON.parse(other.text).payload}","payload":`),
  ],
  ['the type twice', ({ good }) => good.text.replace('{', '{"payloadType":"text/plain",')],
  ['the signatures twice', ({ good }) => good.text.replace('"signatures":', '"signatures":[],"signatures":')],
  ['a member more', ({ good }) => good.text.replace('{', '{"note":"all is well",')],
  ['a prototype', ({ good }) => good.text.replace('{', '{"__proto__":{},')],
  ['blanks between', ({ good }) => `${JSON.stringify(JSON.parse(good.text), null, 2)}\n`],
  ['a letter escaped', ({ good }) => good.text.replace('"payload"', String.raw`"\u0070ayload"`)],
  [
    'members in another order',
    ({ good }) => `${JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(good.text)).toReversed()))}\n`,
  ],
  ['in a list', ({ good }) => `[${good.text.trimEnd()}]\n`],
  ['null', () => 'null\n'],
  ['no object', () => '"claim"\n'],
  ['compressed', ({ good }) => gzipSync(good.text)],
  ['longer than any claim', () => Buffer.alloc(mostClaimBytes + 1, 32)],
  ['nested without end', () => '['.repeat(1_000_000)],
  ['the report alone', ({ good }) => printableJson(good.report)],
  ['the cassette alone', ({ good }) => good.cassette],
];

/** Done to members of the envelope. */
const envelopeKinds: readonly Kind[] = [
  ['another type', ({ good }) => enveloped(good.text, (one) => (one.payloadType = 'application/json'))],
  ['no type', ({ good }) => enveloped(good.text, (one) => delete one.payloadType)],
  ['no payload', ({ good }) => enveloped(good.text, (one) => delete one.payload)],
  ['an empty payload', ({ good }) => enveloped(good.text, (one) => (one.payload = ''))],
  [
    'a payload in other letters',
    ({ good }) => enveloped(good.text, (one) => (one.payload = one.payload.replaceAll('=', '') + '='.repeat(9))),
  ],
  ['a line end in the payload', ({ good }) => enveloped(good.text, (one) => (one.payload = `${one.payload}\n`))],
  ['no signature', ({ good }) => enveloped(good.text, (one) => (one.signatures = []))],
  [
    'the same signature twice',
    ({ good }) => enveloped(good.text, (one) => (one.signatures = [one.signatures[0], one.signatures[0]])),
  ],
  ['an empty signature', ({ good }) => enveloped(good.text, (one) => (one.signatures[0].sig = ''))],
  [
    'a signature of zeros',
    ({ good }) => enveloped(good.text, (one) => (one.signatures[0].sig = Buffer.alloc(64).toString('base64'))),
  ],
  [
    'a shorter signature',
    ({ good }) =>
      enveloped(
        good.text,
        (one) => (one.signatures[0].sig = Buffer.from(one.signatures[0].sig, 'base64').subarray(1).toString('base64')),
      ),
  ],
  [
    'a longer signature',
    ({ good }) =>
      enveloped(
        good.text,
        (one) =>
          (one.signatures[0].sig = Buffer.concat([
            Buffer.from(one.signatures[0].sig, 'base64'),
            Buffer.alloc(1),
          ]).toString('base64')),
      ),
  ],
  ...[0, 31, 63].map((at): Kind => [
    `byte ${at} of the signature changed`,
    ({ good }) =>
      enveloped(good.text, (one) => {
        const bytes = Buffer.from(one.signatures[0].sig, 'base64');
        bytes[at] = (bytes[at] ?? 0) ^ 0x10;
        one.signatures[0].sig = bytes.toString('base64');
      }),
  ]),
  [
    'the signature of another claim',
    ({ good, other }) => enveloped(good.text, (one) => (one.signatures = JSON.parse(other.text).signatures)),
  ],
  [
    'the payload of another claim',
    ({ good, other }) => enveloped(good.text, (one) => (one.payload = JSON.parse(other.text).payload)),
  ],
  [
    'a signature of the payload alone',
    ({ good }) =>
      enveloped(
        good.text,
        (one) => (one.signatures[0].sig = sign(null, Buffer.from(one.payload, 'base64'), good.key).toString('base64')),
      ),
  ],
  [
    'another id of the key',
    ({ good, stranger }) => enveloped(good.text, (one) => (one.signatures[0].keyid = keyIdOf(stranger))),
  ],
  ['no id of the key', ({ good }) => enveloped(good.text, (one) => delete one.signatures[0].keyid)],
  [
    'a member more at the signature',
    ({ good }) => enveloped(good.text, (one) => (one.signatures[0].cert = 'trust me')),
  ],
];

const statements: readonly (readonly [string, (statement: Loose, workshop: Workshop) => void])[] = [
  ['type', (one) => (one._type = 'https://in-toto.io/Statement/v0.1')],
  ['predicate type', (one) => (one.predicateType = 'https://example.org/claim/v1')],
  ['digest of the report', (one) => (one.subject[0].digest.sha256 = hash('sha256', 'else'))],
  ['digest of the cassette', (one) => (one.subject[1].digest.sha256 = hash('sha256', 'else'))],
  ['order of the subjects', (one) => one.subject.reverse()],
  ['a subject less', (one) => one.subject.pop()],
  ['a member more', (one) => (one.predicate.score = 100)],
  ['a member less', (one) => delete one.predicate.contact],
  ['name of the implementation', (one) => (one.predicate.implementation.name = 'another')],
  ['start', (one) => (one.predicate.startedAt = '2027-01-01T00:00:00.000Z')],
  ['date in the future', (one) => (one.predicate.claimedAt = '2999-01-01T00:00:00.000Z')],
  ['date before the run', (one) => (one.predicate.claimedAt = '2001-01-01T00:00:00.000Z')],
  ['a date that is none', (one) => (one.predicate.claimedAt = '2026-13-45T00:00:00.000Z')],
  ['classes claimed', (one) => (one.predicate.claims = ['reader', 'editor'])],
  ['a class that is none', (one) => (one.predicate.claims = ['best'])],
  ['exit code', (one) => (one.predicate.exitCode = 1)],
  ['older version of the suite', (one) => (one.predicate.suite.version = '0.0.9')],
  ['digest of the rules', (one) => (one.predicate.suite.rules = hash('sha256', 'else'))],
  ['digest of the documents', (one) => (one.predicate.suite.documents = hash('sha256', 'else'))],
  [
    'report of another claim',
    (one, { other }) =>
      (one.predicate.content['report.json'] = statementOf(other.text).predicate.content['report.json']),
  ],
  [
    'cassette of another claim',
    (one, { other }) =>
      (one.predicate.content['run.cassette'] = statementOf(other.text).predicate.content['run.cassette']),
  ],
  [
    'report that is not packed',
    (one, { good }) =>
      (one.predicate.content['report.json'] = Buffer.from(printableJson(good.report)).toString('base64')),
  ],
  ['empty cassette', (one) => (one.predicate.content['run.cassette'] = '')],
];

/** Done to the statement, by anybody, by somebody with another key, and by the holder of the key. */
const statementKinds: readonly Kind[] = [
  ...statements.map(([what, change]): Kind => [
    `statement: ${what}`,
    (workshop) => restated(workshop.good.text, (one) => change(one, workshop)),
  ]),
  ...statements.map(([what, change]): Kind => [
    `statement, signed anew by its holder: ${what}`,
    (workshop) => signedAnew(workshop.good.text, workshop.good.key, (one) => change(one, workshop)),
  ]),
  [
    'statement: version of the implementation',
    ({ good }) => restated(good.text, (one) => (one.predicate.implementation.version = '9.9')),
  ],
  ['statement: contact', ({ good }) => restated(good.text, (one) => (one.predicate.contact = 'somebody@else.example'))],
  [
    'statement: public key',
    ({ good, stranger }) => restated(good.text, (one) => (one.predicate.publicKey = lettersOf(stranger))),
  ],
  [
    'signed anew by a stranger who names another contact',
    ({ good, stranger }) => signedAnew(good.text, stranger, (one) => (one.predicate.contact = 'somebody@else.example')),
  ],
  [
    'signed anew by a stranger under the name of the key',
    ({ good, stranger }) => sealed(payloadOf(good.text), stranger),
  ],
  [
    'signed anew by its holder under the name of a stranger',
    ({ good, stranger }) => signedAnew(good.text, good.key, (one) => (one.predicate.publicKey = lettersOf(stranger))),
  ],
  ['a blank in the statement', ({ good }) => sealed(`${payloadOf(good.text)} `, good.key)],
  [
    'a member twice in the statement',
    ({ good }) => sealed(payloadOf(good.text).replace('"contact":', '"contact":"x","contact":'), good.key),
  ],
  ['a statement that is none', ({ good }) => sealed('{}', good.key)],
  ['no JSON under the signature', ({ good }) => sealed('Everything passed.', good.key)],
];

const reports: readonly (readonly [string, (report: Loose) => void])[] = [
  ['implementation', (one) => (one.implementation = 'another')],
  ['base URL', (one) => (one.baseUrl = 'https://production.example')],
  ['seed', (one) => (one.seed += 1)],
  ['runs', (one) => (one.runs += 1)],
  ['start', (one) => (one.startedAt = '2026-01-01T00:00:00.000Z')],
  ['version of the suite', (one) => (one.suiteVersion = '0.0.9')],
  ['profile', (one) => (one.profileDigest = '0123456789abcdef')],
  ['what is not supported', (one) => (one.notSupported = { batch: 'none' })],
  ['known failures', (one) => (one.knownFailures = { [tokenRule]: 'soon' })],
  ['classes claimed', (one) => (one.claims = ['access'])],
  ['variables', (one) => (one.variables = {})],
  ['exit code', (one) => (one.exitCode = 1)],
  ['meaning', (one) => (one.meaning = 'perfect')],
  ['a total', (one) => (one.totals.pass += 1)],
  ['a total of an area', (one) => (one.areas[0].pass += 1)],
  ['a class', (one) => (one.classes[0].state = 'kept')],
  ['no classes', (one) => delete one.classes],
  ['what is accounted for', (one) => (one.apart.known = 1)],
  ['what it looks like', (one) => (one.looksLike = [{ fault: tokenRule, likeness: 1 }])],
  ['cut off', (one) => (one.complete = false)],
  ['ended early', (one) => (one.aborted = 'enough')],
  ['a part of a run', (one) => (one.shard = { index: 1, of: 2 })],
  ['changes alone', (one) => (one.gate = { since: { report: 'old', states: {} } })],
  ['a verdict', (one) => (resultOf(one, tokenRule).state = 'fail')],
  ['a rule less', (one) => one.rules.pop()],
  ['a rule twice', (one) => one.rules.push(one.rules[0])],
  ['the order of its rules', (one) => one.rules.reverse()],
  ['a rule that was asked for', (one) => (resultOf(one, tokenRule).ground = true)],
  ['a rule that is none', (one) => one.rules.push({ ...one.rules[0], id: 'auth.grant.none' })],
  ['a rule that was not judged', (one) => (resultOf(one, 'batch.success.status-200').state = 'pass')],
  ['a statement of a rule', (one) => (resultOf(one, bodyRule).statement = 'Anything will do.')],
  ['a level of a rule', (one) => (resultOf(one, bodyRule).level = 'should')],
  ['a source of a rule', (one) => (resultOf(one, bodyRule).source = 'core: Errors rule 1')],
  ['what was observed', (one) => (resultOf(one, 'auth.grant.other-parameters').observations[0].seen = 'nothing')],
  ['an observation more', (one) => resultOf(one, bodyRule).observations.push({ what: 'speed', seen: 'great' })],
  ['a version of the record', (one) => (one.schemaVersion = 2)],
  ['a member that is none', (one) => (one.score = 100)],
];

/** Done to the report by the holder of the key, who puts all digests right. */
const reportKinds: readonly Kind[] = [
  ...reports.map(([what, change]): Kind => [`report: ${what}`, ({ good }) => lied(good, { report: change })]),
  [
    'a violation that is washed away everywhere',
    ({ faulty }) =>
      lied(
        faulty,
        {
          report: (one) => {
            const rule = resultOf(one, brokenRule);
            Object.assign(rule, { state: 'pass' });
            delete rule.violation;
            Object.assign(one, { exitCode: 0, meaning: 'no rule is violated' });
            one.totals.pass += 1;
            one.totals.fail -= 1;
          },
          cassette: (bytes) =>
            retold(bytes, (about) => (about.verdicts.find(({ rule }: Loose) => rule === brokenRule).verdict = 'pass')),
        },
        (one) => (one.predicate.exitCode = 0),
      ),
  ],
  [
    'a violation that shows something else',
    ({ faulty }) => lied(faulty, { report: (one) => (resultOf(one, brokenRule).violation.actual = 'a small thing') }),
  ],
  [
    'the report of another run',
    ({ good, other }) => lied(good, { report: (one) => Object.assign(one, structuredClone(other.report)) }),
  ],
  [
    'a report with a member twice',
    ({ good }) => {
      const file = printableJson(good.report).replace('"exitCode"', '"exitCode": 1,\n  "exitCode"');
      return signedAnew(good.text, good.key, (one) => {
        one.subject[0].digest.sha256 = hash('sha256', file);
        one.predicate.content['report.json'] = zstdCompressSync(file).toString('base64');
      });
    },
  ],
  [
    'a report that unpacks without end',
    ({ good }) =>
      signedAnew(
        good.text,
        good.key,
        (one) => (one.predicate.content['report.json'] = zeros(300e6).toString('base64')),
      ),
  ],
];

function answersChanged(from: RegExp, to: string) {
  return (bytes: Buffer): Uint8Array =>
    rewound(bytes, ([head = '', ...lines]) => [head, ...lines.map((line) => line.replaceAll(from, to))]);
}

const cassettes: readonly (readonly [string, (cassette: Buffer) => Uint8Array])[] = [
  ['its implementation', (bytes) => retold(bytes, (about) => (about.implementation = 'another'))],
  ['its seed', (bytes) => retold(bytes, (about) => (about.seed += 1))],
  ['its start', (bytes) => retold(bytes, (about) => (about.startedAt = '2026-01-01T00:00:00.000Z'))],
  ['its profile', (bytes) => retold(bytes, (about) => delete about.profileDigest)],
  ['its version of the suite', (bytes) => retold(bytes, (about) => (about.suiteVersion = '0.0.9'))],
  ['its verdicts', (bytes) => retold(bytes, (about) => about.verdicts.pop())],
  ['a verdict of it', (bytes) => retold(bytes, (about) => (about.verdicts[0].verdict = 'fail'))],
  ['a verdict twice', (bytes) => retold(bytes, (about) => about.verdicts.push(about.verdicts[0]))],
  ['no verdicts at all', (bytes) => retold(bytes, (about) => delete about.verdicts)],
  ['the seed on it', (bytes) => headed(bytes, (head) => (head.run.seed += 1))],
  ['the runs on it', (bytes) => headed(bytes, (head) => (head.run.runs += 1))],
  ['more runs on it than anybody asks for', (bytes) => headed(bytes, (head) => (head.run.runs = 1e9))],
  ['the day on it', (bytes) => headed(bytes, (head) => (head.timeOrigin -= 86_400_000))],
  ['a time on it that is none', (bytes) => headed(bytes, (head) => (head.timeOrigin = null))],
  ['the profile on it', (bytes) => headed(bytes, (head) => (head.run.loaded.profile.space = 'other'))],
  ['the name on it', (bytes) => headed(bytes, (head) => (head.run.loaded.profile.implementation = 'another'))],
  ['a claim on it', (bytes) => headed(bytes, (head) => (head.run.loaded.profile.claims = ['files']))],
  [
    'an excuse on it',
    (bytes) => headed(bytes, (head) => (head.run.loaded.profile.knownFailures = { [tokenRule]: 'x' })),
  ],
  ['no profile on it', (bytes) => headed(bytes, (head) => delete head.run.loaded)],
  ['the rules on it', (bytes) => headed(bytes, (head) => (head.run.rules = head.run.rules.slice(1)))],
  ['a status on it', answersChanged(/"status":200/g, '"status":500')],
  ['tokens on it', answersChanged(/access_token/g, 'access_tokin')],
  ['data on it', answersChanged(/\\"data\\":\{/g, String.raw`\"date\":{`)],
  ['all requests gone', (bytes) => rewound(bytes, (lines) => lines.filter((line) => !line.includes('"kind":"ask"')))],
  ['all lines gone', (bytes) => rewound(bytes, (lines) => lines.slice(0, 1))],
  ['a line that is no JSON', (bytes) => rewound(bytes, (lines) => [...lines, '{'])],
  ['no head', (bytes) => rewound(bytes, (lines) => lines.slice(1))],
  [
    'a bit of it',
    (bytes) => {
      const copy = Buffer.from(bytes);
      copy[2000] = (copy[2000] ?? 0) ^ 1;
      return copy;
    },
  ],
  ['its end', (bytes) => bytes.subarray(0, -10)],
  ['something behind it', (bytes) => Buffer.concat([bytes, Buffer.from('more')])],
  ['its version', (bytes) => Buffer.from(bytes.toString('latin1').replace('cassette 2\n', 'cassette 1\n'), 'latin1')],
  ['no cassette', () => Buffer.from('PK\u0003\u0004')],
  ['nothing behind its digest', () => Buffer.from(`svc-conformance cassette 2\n${hash('sha256', '')}\n`)],
  [
    'a tape that unpacks without end',
    (bytes) => cassetteBytes({ about: readCassette(bytes, 'it').about, tape: new Uint8Array(zeros(600e6)) }),
  ],
  [
    'a tape that is not packed',
    (bytes) => cassetteBytes({ about: readCassette(bytes, 'it').about, tape: new Uint8Array(100) }),
  ],
  [
    'a text about itself that unpacks without end',
    (bytes) => {
      const first = zeros(300e6);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(first.length);
      const content = Buffer.concat([length, first, readCassette(bytes, 'it').tape]);
      return Buffer.concat([Buffer.from(`svc-conformance cassette 2\n${hash('sha256', content)}\n`), content]);
    },
  ],
];

/** Done to the cassette by the holder of the key, who puts all digests right. */
const cassetteKinds: readonly Kind[] = [
  ...cassettes.map(([what, change]): Kind => [`cassette: ${what}`, ({ good }) => lied(good, { cassette: change })]),
  ['cassette: that of a run which passed', ({ faulty, good }) => lied(faulty, { cassette: () => good.cassette })],
  ['cassette: that of another seed', ({ good, other }) => lied(good, { cassette: () => other.cassette })],
];

/** Every kind of tampering that a claim is refused for. */
export const kinds: readonly Kind[] = [
  ...fileKinds,
  ...envelopeKinds,
  ...statementKinds,
  ...reportKinds,
  ...cassetteKinds,
];
