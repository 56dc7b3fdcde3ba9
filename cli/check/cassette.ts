import { Clean, writeDocument } from '../outlet.ts';
import { codeOf } from '../../contract/thrown.ts';
import { cassetteBytes } from '../../judge/cassette/file.ts';
import type { Outcome, RunHeader } from '../../judge/outcome.ts';

/** What a run that was recorded leaves, and what it is about. */
interface Recorded {
  readonly tape: Uint8Array | undefined;
  readonly header: RunHeader;
  readonly outcomes: readonly Outcome[];
}

/** Writes the cassette of a run where one is wanted. Returns a sentence where it could not be written. */
export function writeCassette(file: string | undefined, { tape, header, outcomes }: Recorded): readonly string[] {
  if (file === undefined) return [];
  if (tape === undefined) return [`there is no cassette in ${file}: the run did not come to the end of its cases`];
  const { implementation, suiteVersion, startedAt, profileDigest, seed, runs } = header;
  const verdicts = outcomes.map(({ rule, verdict }) => ({ rule, verdict }));
  const digest = profileDigest === undefined ? {} : { profileDigest };
  const about = { implementation, suiteVersion, startedAt, ...digest, seed, runs, verdicts };
  try {
    // others stand for the secrets on the tape
    writeDocument(
      file,
      Clean.of(about).map((safe) => cassetteBytes({ about: safe, tape })),
    );
    return [];
  } catch (error) {
    return [`the cassette ${file} cannot be written (${codeOf(error)})`];
  }
}
