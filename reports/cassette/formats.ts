import type { RecordedRun } from '../../judge/cassette/exchanges.ts';
import { writeHar } from './har.ts';
import { writeHttp } from './http.ts';
import { writeHurl } from './hurl.ts';
import { writeNock } from './nock.ts';

export type CassetteFormat = (run: RecordedRun) => string;

const formats = { har: writeHar, hurl: writeHurl, http: writeHttp, nock: writeNock } as const satisfies Record<
  string,
  CassetteFormat
>;

export type CassetteFormatName = keyof typeof formats;

/** What writes that format; undefined where it is none of a cassette. */
export function cassetteFormatOf(name: string): CassetteFormat | undefined {
  return Object.entries(formats).find(([known]) => known === name)?.[1];
}
