import { headerNames } from '../../../contract/names.ts';
import { Refusal } from '../../problem.ts';
import { replacing, together, type Fault } from '../fault.ts';
import { within } from '../reads.ts';

const versionHeader = headerNames.version.toLowerCase();

/** Wrong for some versions, or for the version after something happened. */
export const versionFaults = {
  /** Versions are compared as texts, of which the greater one counts as the newer. */
  'subtle.version.compared-as-text': replacing(
    'sameVersion',
    (right) => (sent, current) => right(sent, current) || (sent < current && String(sent) > String(current)),
  ),

  'subtle.version.first-digits-suffice': replacing(
    'sameVersion',
    (right) => (sent, current) => right(sent, current) || (sent > 0 && String(current).startsWith(String(sent))),
  ),

  /** The column behind the header holds one character. */
  'subtle.version.header-has-one-digit': replacing('editedAnswer', (right) => (version) => {
    const answer = right(version);
    return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(version).slice(0, 1) } };
  }),

  /** The next version is one more than the greatest text among those before, which stays '9'. */
  'subtle.version.sorted-as-text': replacing('nextVersion', (right) => (version) => Math.min(right(version), 10)),

  'subtle.version.former-passes-after-promote': (behaviours) => {
    const promoted = new Set<string>();
    return together(
      replacing('versionAfterPromote', (right) => (service, object) => {
        promoted.add(object.oid);
        return right(service, object);
      }),
      replacing(
        'assertVersion',
        (right) => (service, call, object) =>
          promoted.has(object.oid) && call.headers[versionHeader] === String(object.version - 1)
            ? object.version
            : right(service, call, object),
      ),
    )(behaviours);
  },

  'subtle.version.needless-after-conflict': (behaviours) => {
    const conflicts = new Set<string>();
    return replacing('assertVersion', (right) => (service, call, object) => {
      if (call.headers[versionHeader] === undefined && conflicts.has(object.oid)) return object.version;
      try {
        return right(service, call, object);
      } catch (error) {
        if (error instanceof Refusal && error.status === 409) conflicts.add(object.oid);
        throw error;
      }
    })(behaviours);
  },

  'subtle.version.newer-passes-behind-first-of-batch': replacing(
    'runOperation',
    (right) => (service, batch, writing, table, operation, index) =>
      right(
        index === 0 ? service : within(service, { sameVersion: (sent, current) => sent >= current }),
        batch,
        writing,
        table,
        operation,
        index,
      ),
  ),

  'subtle.version.second-of-three-in-batch-stays': replacing('runBatch', (right) => (service, call, writing, table) => {
    const many = service.behaviours.batchOperationsOf(service, call).length > 2;
    const { runOperation } = service.behaviours;
    return right(
      within(service, {
        runOperation: (itself, batch, inner, routes, operation, index) =>
          runOperation(
            many && index === 1 ? within(itself, { nextVersion: (version) => version }) : itself,
            batch,
            inner,
            routes,
            operation,
            index,
          ),
      }),
      call,
      writing,
      table,
    );
  }),
} satisfies Readonly<Record<string, Fault>>;
