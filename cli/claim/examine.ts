import type { KeyObject } from 'node:crypto';
import { ClaimError, openEnvelope } from './envelope.ts';
import { keyIdOf, publicKeyOf } from './keys.ts';
import { contradictionsIn, differencesFrom } from './remake.ts';
import { ownSuite, type Predicate, readParts, readStatement } from './statement.ts';
import type { Report } from '../../contract/schemas/report.ts';
import { classWords } from '../../reports/classes.ts';

/** A claim, and what does not hold of it, each a sentence without a full stop. */
export interface Examined {
  readonly problems: readonly string[];
  /** Who signed it, where its signature holds. */
  readonly keyId?: string;
  readonly predicate?: Predicate;
  readonly report?: Report;
}

interface Against {
  /** Key that has to have signed it; the one that it names unless given. */
  readonly key?: KeyObject;
  readonly now: Date;
}

/** A full run makes 5 MB. */
export const mostClaimBytes = 64 * 1024 * 1024;
/** How far clocks may be apart, in ms. */
const skewMs = 5 * 60 * 1000;

/** Holds a claim against itself: first who signed it, then what it says, then the cassette, judged again. What fails ends it, so that nothing is played that nobody signed. */
export async function examineClaim(bytes: Uint8Array, { key, now }: Against): Promise<Examined> {
  try {
    const { cassette, ...known } = openClaim(bytes, key);
    const { predicate, report } = known;
    const sooner = [
      ...suiteProblems(predicate),
      ...statedProblems(predicate, report, now),
      ...contradictionsIn(report, cassette),
    ];
    return { ...known, problems: sooner.length > 0 ? sooner : await differencesFrom(report, cassette) };
  } catch (error) {
    if (error instanceof ClaimError) return { problems: [error.message] };
    throw error;
  }
}

/** A claim whose signature and digests hold. */
interface OpenClaim {
  readonly keyId: string;
  readonly predicate: Predicate;
  readonly report: Report;
  readonly cassette: Buffer;
}

/** Who signed a claim, and what it holds. @param key that has to have signed it @throws {ClaimError} signature, form or digests do not hold */
export function openClaim(bytes: Uint8Array, key?: KeyObject): OpenClaim {
  if (bytes.length > mostClaimBytes)
    throw new ClaimError(`it is longer than ${mostClaimBytes} bytes, which no claim is`);
  const envelope = openEnvelope(bytes);
  if (key !== undefined && !envelope.isSignedBy(key))
    throw new ClaimError(
      `it is not signed by the key ${keyIdOf(key)}: it was changed after that, or somebody else signed it`,
    );
  const statement = readStatement(envelope.payload);
  const { predicate } = statement;
  const named = publicKeyOf(predicate.publicKey);
  if (named === undefined) throw new ClaimError('the public key that it names is no Ed25519 key');
  if (!envelope.isSignedBy(named))
    throw new ClaimError('its signature does not hold: it was changed after it was signed');
  if (envelope.keyId !== keyIdOf(named)) throw new ClaimError('the id of its key is not that of the key that it names');
  return { keyId: envelope.keyId, predicate, ...readParts(statement) };
}

/** Another version of the suite may judge otherwise, and says nothing about this claim. */
function suiteProblems({ suite }: Predicate): readonly string[] {
  const own = ownSuite();
  if (suite.version !== own.version)
    return [
      `it was made with version ${suite.version} of the suite, and this is ${own.version}: verify it with that one, as \`npx svc-conformance@${suite.version} verify\``,
    ];
  const build = `this build of version ${own.version}: verify it with the one that made it`;
  return [
    ...(suite.rules === own.rules ? [] : [`the rules that it was judged by are not those of ${build}`]),
    ...(suite.documents === own.documents
      ? []
      : [`the documents that its rules are pinned to are not those of ${build}`]),
  ];
}

function statedProblems(predicate: Predicate, report: Report, now: Date): readonly string[] {
  const { implementation, startedAt, claims, exitCode, claimedAt } = predicate;
  const started = Date.parse(report.startedAt);
  const signed = Date.parse(claimedAt);
  const same = [
    ['implementation', implementation.name, report.implementation],
    ['start of the run', startedAt, report.startedAt],
    ['exit code', exitCode, report.exitCode],
    ['classes claimed', claims.join(', '), (report.claims ?? []).join(', ')],
    ['version of the suite', predicate.suite.version, report.suiteVersion],
  ] as const;
  return [
    ...same
      .filter(([, stated, found]) => stated !== found)
      .map(([what, stated, found]) => `the ${what} is stated to be ${stated}, and the report says ${found}`),
    ...(Number.isNaN(started) || Number.isNaN(signed) ? ['its dates are none'] : []),
    ...(signed < started ? ['it was signed before the run began'] : []),
    ...(signed > now.getTime() + skewMs ? ['it is dated in the future'] : []),
    ...(report.complete && report.aborted === undefined ? [] : ['the run did not come to its end']),
    ...(report.shard === undefined ? [] : ['the report is that of a part of a run']),
    ...(report.gate?.since === undefined ? [] : ['the report counts only what changed since another run']),
    ...brokenClaims(report),
  ];
}

/** A class is claimed as a whole. */
function brokenClaims({ claims = [], classes = [] }: Report): readonly string[] {
  return claims.flatMap((name) => {
    const state = classes.find((one) => one.name === name)?.state;
    if (state === 'kept') return [];
    return [`it claims ${name}, which is ${state === undefined ? 'no class' : classWords[state]}`];
  });
}
