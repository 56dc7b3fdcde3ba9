import { dataOf, expandLink, memberOf, onlyPageLink } from '../../judge/answers.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { isObject } from '../../judge/json.ts';
import { referencesIn } from '../../judge/reference-port.ts';
import { makeReferrer } from './multi-create-items.ts';

type Reference = Readonly<Record<string, unknown>>;

/** References to twelve objects as two pages show them. */
interface ReferencePages {
  readonly first: readonly Reference[];
  readonly second: readonly Reference[];
  /** The answer with the second page. */
  readonly page: Reply;
}

/** The references of an object that has twelve of them, where its read shows ten and a link tells of the others. */
export async function readReferencePages(context: CaseContext): Promise<ReferencePages | undefined> {
  const { service, notes, profile } = context;
  const { reference } = profile.primary;
  if (reference === undefined || reference.single === true) return undefined;
  const { read } = (await makeReferrer(context, 12)) ?? {};
  const link = read && onlyPageLink(read);
  if (read === undefined || link === undefined) return undefined;
  const first = referencesIn(dataOf(read)[reference.port]).filter(isObject);
  const page = await service.get(expandLink(link, 1), { base: read });
  notes.observe('status of the second page of references', page.status, page);
  const data = memberOf(page, 'data');
  if (first.length !== 10 || page.status !== 200 || !Array.isArray(data)) return undefined;
  return { first, second: data.filter(isObject), page };
}
