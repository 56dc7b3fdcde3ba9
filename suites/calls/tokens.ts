import type { RuleId } from '../../contract/rules.ts';
import { decoded, partsOf, type Claims } from '../auth/token.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import type { Thing } from '../../judge/given.ts';
import type { Made } from './words.ts';

/** The token in the envelope of a call. */
export function tokenOf({ given }: CaseContext, { envelope }: Call): string {
  return given.present(envelope.accessToken, 'an accessToken in the envelope', ['calls.envelope.all-fields']);
}

/** The claims of a token. `standsOn`: the rule that says that it is a JWT. */
export function claimsOf({ given }: CaseContext, token: string, standsOn: RuleId): Claims {
  return given.present(decoded(partsOf(token)[1]), 'a token whose claims can be read', [standsOn]);
}

/** Statuses that a read of the object may have for those whom the token of an event or of an endpoint may speak for. */
export async function readableAs({ service, profile }: CaseContext, thing: Thing): Promise<readonly number[]> {
  const { subscribedAs } = profile.all.triggers ?? {};
  const speakers = ['editor', ...(subscribedAs === undefined ? [] : [subscribedAs])] as const;
  return Promise.all(speakers.map(async (as) => (await service.read(thing, { as })).status));
}

const lateSeconds = 5;

/** Asserts that a token lives for so many minutes from its issue, or, where it does not say when that was, from about its trigger on. */
export function expectLife(
  { expect, notes }: CaseContext,
  claims: Claims,
  minutes: number,
  { triggered, call }: Made,
): void {
  const { exp, iat } = claims;
  notes.observe(`claims of a token for ${minutes} min`, Object.keys(claims).toSorted().join(', '));
  const seen = [triggered.reply.headers['date'] ?? call.arrivedWall, call.arrivedWall].map(
    (time) => Date.parse(time) / 1000,
  );
  const [begins, tolerance] = typeof iat === 'number' ? [[iat], 1] : [seen, lateSeconds];
  const lives = begins.map((begin) => (typeof exp === 'number' ? exp - begin : Number.NaN));
  expect(lives, `seconds from the issue of the token to its expiry, with a tokenLifeTime of ${minutes}`).toSatisfy(
    `${minutes * 60}, give or take ${tolerance}`,
    (candidates) => candidates.some((seconds) => Math.abs(seconds - minutes * 60) <= tolerance),
  );
}
