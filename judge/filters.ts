import type { CaseContext } from './case.ts';
import type { Changes } from './exchange.ts';
import type { Owner } from './given.ts';

/** An object with entries that the fixed filter admits and others that it does not, mixed. */
export async function entriesForFilter(
  { given, profile }: CaseContext,
  counts: { readonly matching: number; readonly other: number },
): Promise<{ owner: Owner; matching: readonly string[] }> {
  const fixed = profile.all.filters?.fixed;
  const total = counts.matching + counts.other;
  const matches = (index: number) =>
    Math.floor(((index + 1) * counts.matching) / total) > Math.floor((index * counts.matching) / total);
  const owner = await given.objectWithEntries(total, {
    members: (index) => (matches(index) ? fixed?.matching : fixed?.other) ?? {},
  });
  return { owner, matching: owner.texts.filter((_text, index) => matches(index)) };
}

/** Adds the fixed filter to an instance read by the short route. */
export function withFilter({ service, profile }: CaseContext, owner: Owner): Changes {
  return {
    url: withQuery(service.requests.read(owner).url, { softTypeFilterId: profile.all.filters?.fixed?.id ?? '' }),
  };
}

/** Adds the fixed filter to a page read. */
export function withFilterOnPage({ service, profile }: CaseContext, owner: Owner, pageNumber: number): Changes {
  return {
    url: withQuery(service.requests.page(owner, pageNumber).url, {
      softTypeFilter: profile.all.filters?.fixed?.id ?? '',
    }),
  };
}

/** Adds the filter with a blank value, and that value, to a page read. */
export function withValueOnPage(context: CaseContext, owner: Owner, pageNumber: number, value: string): Changes {
  return {
    url: withQuery(context.service.requests.page(owner, pageNumber).url, {
      softTypeFilter: blankFilter(context).id,
      ...valueParameter(context, value),
    }),
  };
}

/** The same on an instance read by the short route. */
export function withValue(context: CaseContext, owner: Owner, value: string): Changes {
  return {
    url: withQuery(context.service.requests.read(owner).url, {
      softTypeFilterId: blankFilter(context).id,
      ...valueParameter(context, value),
    }),
  };
}

function valueParameter(context: CaseContext, value: string): Record<string, string> {
  const { groupId, criteriaPort } = blankFilter(context);
  return { [`${groupId}.${criteriaPort}`]: value };
}

function blankFilter({ profile }: CaseContext): { id: string; groupId: string; criteriaPort: string } {
  return profile.all.filters?.withValue ?? { id: '', groupId: '', criteriaPort: '' };
}

/** The URL with these query parameters added. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): string {
  const query = Object.entries(parameters).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return `${url}${url.includes('?') ? '&' : '?'}${query.join('&')}`;
}
