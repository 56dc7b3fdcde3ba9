import { headerNames } from '../../../contract/names.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { Step, type Variant, type Variants, together, replaces } from '../../breaks.ts';

const versionHeader = headerNames.version.toLowerCase();

/** Wrong for some versions, or for the version after something happened. */
export const versionFaults = {
  /** Versions are compared as texts, of which the greater one counts as the newer. */
  'subtle.version.compared-as-text': replaces(
    'versioning',
    'sameVersion',
    (right, areas, sent, current) => right(areas, sent, current) || (sent < current && String(sent) > String(current)),
  ),

  'subtle.version.sign-counts-for-nothing': replaces('versioning', 'sameVersion', (right, areas, sent, current) =>
    right(areas, Math.abs(sent), current),
  ),

  /** Whoever has read no version yet sends none. */
  'subtle.version.empty-one-passes': replaces('versioning', 'assertVersion', (right, areas, call, object) =>
    call.headers[versionHeader] === '' ? object.version : right(areas, call, object),
  ),

  'subtle.version.first-digits-suffice': replaces(
    'versioning',
    'sameVersion',
    (right, areas, sent, current) =>
      right(areas, sent, current) || (sent > 0 && String(current).startsWith(String(sent))),
  ),

  'subtle.version.further-digits-pass': replaces(
    'versioning',
    'sameVersion',
    (right, areas, sent, current) => right(areas, sent, current) || String(sent).startsWith(String(current)),
  ),

  'subtle.version.last-digits-suffice': replaces(
    'versioning',
    'sameVersion',
    (right, areas, sent, current) => right(areas, sent, current) || String(sent).endsWith(String(current)),
  ),

  /** The column behind the header holds one character. */
  'subtle.version.header-has-one-digit': replaces('versioning', 'editedAnswer', (right, areas, version) => {
    const answer = right(areas, version);
    return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(version).slice(0, 1) } };
  }),

  /** The next version is one more than the greatest text among those before, which stays '9'. */
  'subtle.version.sorted-as-text': replaces('versioning', 'nextVersion', (right, areas, version) =>
    Math.min(right(areas, version), 10),
  ),

  'subtle.version.not-told-by-demote': replaces('maturity', 'demoteObject', async (right, areas, ...rest) => {
    const answer = await right(areas, ...rest);
    const { [headerNames.version]: _version, ...headers } = answer.headers ?? {};
    return { ...answer, headers };
  }),

  'subtle.version.former-passes-after-promote': (classes) => {
    const promoted = new Set<string>();
    return together(
      replaces('maturity', 'versionAfterPromote', (right, areas, object) => {
        promoted.add(object.oid);
        return right(areas, object);
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) =>
        promoted.has(object.oid) && call.headers[versionHeader] === String(object.version - 1)
          ? object.version
          : right(areas, call, object),
      ),
    )(classes);
  },

  'subtle.version.needless-after-conflict': (classes) => {
    const conflicts = new Set<string>();
    return replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      if (call.headers[versionHeader] === undefined && conflicts.has(object.oid)) return object.version;
      try {
        return right(areas, call, object);
      } catch (error) {
        if (error instanceof Refusal && error.status === 409) conflicts.add(object.oid);
        throw error;
      }
    })(classes);
  },

  'subtle.version.newer-passes-behind-first-of-batch': inOperations(
    (index) => index > 0,
    (step) =>
      replaces('versioning', 'sameVersion', (right, areas, sent, current) =>
        step.isOn() ? sent >= current : right(areas, sent, current),
      ),
  ),

  'subtle.version.second-of-three-in-batch-stays': inOperations(
    (index, count) => count > 2 && index === 1,
    (step) =>
      replaces('versioning', 'nextVersion', (right, areas, version) => (step.isOn() ? version : right(areas, version))),
  ),
} satisfies Variants;

/** What is wrong in some operations of a batch. @param isMeant is told the index of one, and how many there are */
export function inOperations(
  isMeant: (index: number, count: number) => boolean,
  wrong: (step: Step) => Variant,
): Variant {
  const step = new Step();
  return together(
    wrong(step),
    replaces('batch', 'runOperation', (right, areas, batch, ...rest) => {
      const index = rest[3];
      const work = () => right(areas, batch, ...rest);
      return isMeant(index, areas.batch.batchOperationsOf(areas.messages.jsonBodyOf(batch)).length)
        ? step.run(work)
        : work();
    }),
  );
}
