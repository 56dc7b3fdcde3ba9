import { hash, type KeyObject } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Static } from 'typebox';
import { Type } from '../../contract/type.ts';
import { pinnedDocuments } from '../sections/copies.ts';
import { ClaimError, strictBase64, strictJson, textIn } from './envelope.ts';
import { lettersOf } from './keys.ts';
import { reportedRules } from '../../api/judging.ts';
import { packageVersion } from '../../api/version.ts';
import { classes, classless } from '../../contract/classes.ts';
import { fitting } from '../../contract/misfit.ts';
import { type Report, reportSchema } from '../../contract/schemas/report.ts';
import { printableJson } from '../../reports/text.ts';

const statementType = 'https://in-toto.io/Statement/v1';
const predicateType = 'https://svc-conformance.example/claim/v1';
const parts = ['report.json', 'run.cassette'] as const;

const digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const shortText = Type.String({ minLength: 1, maxLength: 200 });

const statementSchema = Type.Closed({
  _type: Type.Literal(statementType),
  subject: Type.Array(Type.Closed({ name: Type.Enum(parts), digest: Type.Closed({ sha256: digest }) }), {
    minItems: 2,
    maxItems: 2,
  }),
  predicateType: Type.Literal(predicateType),
  predicate: Type.Closed({
    implementation: Type.Closed({ name: Type.String(), version: shortText }),
    contact: shortText,
    claimedAt: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` }),
    startedAt: Type.String(),
    claims: Type.Array(Type.String()),
    exitCode: Type.Enum([0, 1]),
    suite: Type.Closed({ version: shortText, rules: digest, documents: digest }),
    publicKey: shortText,
    content: Type.Closed({
      'report.json': Type.String({ description: 'zstd, Base64' }),
      'run.cassette': Type.String({ description: 'Base64' }),
    }),
  }),
});

type Statement = Static<typeof statementSchema>;
export type Predicate = Statement['predicate'];

const statementFrom = fitting<Statement>(statementSchema, {}, 'the statement');
const reportFrom = fitting<Report>(reportSchema, {}, 'the report');

const mostReportBytes = 64 * 1024 * 1024;

/** What somebody says of an implementation, and the run that shows it. */
export interface Claimed {
  readonly report: Report;
  readonly cassette: Uint8Array;
  readonly version: string;
  readonly contact: string;
  readonly claimedAt: Date;
}

/** What tells the suite of a claim from others. */
export function ownSuite(): Predicate['suite'] {
  return {
    version: packageVersion(),
    rules: hash('sha256', JSON.stringify([reportedRules(), classes, classless])),
    documents: hash('sha256', JSON.stringify(pinnedDocuments)),
  };
}

/** The text of an in-toto statement about a run. @param key that signs it */
export function statementText({ report, cassette, version, contact, claimedAt }: Claimed, key: KeyObject): string {
  const text = printableJson(report);
  const statement: Statement = {
    _type: statementType,
    subject: [
      { name: 'report.json', digest: { sha256: hash('sha256', text) } },
      { name: 'run.cassette', digest: { sha256: hash('sha256', cassette) } },
    ],
    predicateType,
    predicate: {
      implementation: { name: report.implementation, version },
      contact,
      claimedAt: claimedAt.toISOString(),
      startedAt: report.startedAt,
      claims: report.claims ?? [],
      exitCode: report.exitCode === 0 ? 0 : 1,
      suite: ownSuite(),
      publicKey: lettersOf(key),
      content: {
        'report.json': zstdCompressSync(text).toString('base64'),
        'run.cassette': Buffer.from(cassette).toString('base64'),
      },
    },
  };
  return JSON.stringify(statement);
}

/** The statement of a payload, of the right form. @throws {ClaimError} */
export function readStatement(payload: Uint8Array): Statement {
  const read = statementFrom(strictJson(textIn(payload), 'the statement', (value) => JSON.stringify(value)));
  if ('value' in read) return read.value;
  throw new ClaimError(`the statement is none of a claim: ${read.misfit.sentence}`);
}

/** The report and the cassette of a statement, which are those whose digests it names. @throws {ClaimError} */
export function readParts({ subject, predicate }: Statement): { readonly report: Report; readonly cassette: Buffer } {
  const packed = strictBase64(predicate.content['report.json'], 'the report');
  const cassette = strictBase64(predicate.content['run.cassette'], 'the cassette');
  const text = unpacked(packed);
  const bytes = { 'report.json': text, 'run.cassette': cassette };
  for (const [index, name] of parts.entries()) {
    const stated = subject[index];
    if (stated?.name !== name || stated.digest.sha256 !== hash('sha256', bytes[name]))
      throw new ClaimError(`${name} in it is not the one whose digest it names: one of them was exchanged or changed`);
  }
  const read = reportFrom(strictJson(textIn(text), 'the report', printableJson));
  if ('value' in read) return { report: read.value, cassette };
  throw new ClaimError(`the report in it is none of this version: ${read.misfit.sentence}`);
}

function unpacked(bytes: Uint8Array): Buffer {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: mostReportBytes });
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new ClaimError(
      isTooLong
        ? `the report in it is longer than ${mostReportBytes} bytes when it is unpacked`
        : 'the report in it cannot be unpacked',
    );
  }
}
