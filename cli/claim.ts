import { Clean, stderr, stdout, writeDocument } from './outlet.ts';
import { dirname } from 'node:path';
import type { ClaimKeysOptions, ClaimOptions, VerifyOptions } from './options.ts';
import { readBytes } from '../contract/named-file.ts';
import { readCassetteFile } from '../judge/cassette/file.ts';
import { sealed } from './claim/envelope.ts';
import { type Examined, examineClaim, mostClaimBytes } from './claim/examine.ts';
import { keyIdOf, readPrivateKey, readPublicKey, writeKeys } from './claim/keys.ts';
import { statementText } from './claim/statement.ts';
import { assertOthers, makeFolder } from './make-folder.ts';
import { usable, UsageError } from './usage.ts';
import { readReport, ReportError } from '../reports/report-file.ts';
import { classWords } from '../reports/classes.ts';
import { counted, printable } from '../reports/text.ts';

/** Writes a pair of keys. Resolves with 0. @throws {UsageError} there is a key already */
export async function claimKeysCommand({ out }: ClaimKeysOptions): Promise<number> {
  makeFolder(dirname(out));
  const { publicFile, keyId } = writeKeys(out);
  stdout.write(`${out} signs, and stays with you; ${publicFile} is for those who verify (${keyId}).\n`);
  return 0;
}

/**
 * Signs what a run came to, with the cassette that shows it. Nothing is signed that would not be verified: resolves with 1 then, else with 0.
 * @throws {UsageError} a file or the key cannot be used
 */
export async function claimCommand(reportFile: string, cassetteFile: string, options: ClaimOptions): Promise<number> {
  const key = readPrivateKey(options.key, process.env);
  const now = new Date();
  const { implementationVersion: version, contact } = options;
  if (version === undefined || contact === undefined)
    throw new UsageError(
      'a claim says which version it is about and whom to ask: add --implementation-version and --contact',
    );
  const about = { version, contact, claimedAt: now };
  assertOthers([options.out], [reportFile, cassetteFile, options.key]);
  const report = usable(() => readReport(reportFile), ReportError);
  if (report.exitCode === 3) return refuse(reportFile, [report.meaning]);
  const text = sealed(statementText({ ...about, report, cassette: readCassetteFile(cassetteFile) }, key), key);
  const { problems } = await examineClaim(Buffer.from(text), { now });
  if (problems.length > 0) return refuse(reportFile, problems);
  writeDocument(options.out, Clean.own(text));
  stdout.write(`${options.out} is signed by ${keyIdOf(key)}.\n`);
  return 0;
}

function refuse(file: string, problems: readonly string[]): number {
  stderr.write(`svc-conformance: nothing was signed of ${file}:\n${listOf(problems)}`);
  return 1;
}

/** Says whether a claim holds, without any network. Resolves with 1 where it does not, else with 0. @throws {UsageError} the file or the key cannot be read */
export async function verifyCommand(file: string, { key }: VerifyOptions): Promise<number> {
  const against = { now: new Date(), ...(key !== undefined && { key: readPublicKey(key) }) };
  const examined = await examineClaim(
    readBytes(file, (why) => new UsageError(`${file}: ${why}`), mostClaimBytes),
    against,
  );
  stdout.write(
    examined.problems.length === 0
      ? holding(file, examined, key)
      : `${file} does not hold:\n${listOf(examined.problems)}`,
  );
  return examined.problems.length === 0 ? 0 : 1;
}

function holding(file: string, { keyId, predicate, report }: Examined, key: string | undefined): string {
  if (predicate === undefined || report === undefined) return '';
  const { implementation, contact, claimedAt, suite, claims } = predicate;
  const { pass, fail, rules } = report.totals;
  const signer =
    key === undefined ? 'which was held against no key of yours: give --key to know whose it is' : `the key in ${key}`;
  const lines = [
    `${implementation.name} ${implementation.version}, judged ${report.startedAt} with the suite ${suite.version}, claimed ${claimedAt} by ${contact}.`,
    `Signed by ${keyId}, ${signer}.`,
    `Judged again from the cassette: all as stated, ${pass} of ${counted(rules, 'rule')} passed, ${fail} failed, exit code ${report.exitCode}.`,
    `Claimed: ${claims.length === 0 ? 'no class' : claims.join(', ')}.`,
    ...(report.classes ?? [])
      .filter(({ state }) => state !== 'not-judged')
      .map(({ name, state, kept, rules: of }) => `  ${name.padEnd(15)}${classWords[state].padEnd(13)}${kept} of ${of}`),
  ];
  return `${file} holds.\n${lines.map((line) => `${lineOf(line)}\n`).join('')}`;
}

/** What a stranger wrote stays in its line. */
function lineOf(text: string): string {
  return printable(text.replaceAll('\n', ' '));
}

function listOf(problems: readonly string[]): string {
  return problems.map((problem) => `  - ${lineOf(problem)}\n`).join('');
}
