import type { Areas } from '../../../reference-server/areas.ts';
import { type Changes, type Variant, type Variants, breaks, within } from '../../breaks.ts';

export const subtleRegistrationFaults = {
  /** An extension can be switched off by one update, and by no later one. */
  'subtle.update.switched-off-only-once': (classes) => {
    const switched = new Set<string>();
    return alterUpdates(switched, (areas, isAgain, note) => {
      return {
        registrations: {
          extensionFrom: (body) => {
            const fields = areas.registrations.extensionFrom(body);
            if (!fields.active) note();
            return isAgain ? { ...fields, active: true } : fields;
          },
        },
      };
    })(classes);
  },
} satisfies Variants;

export const subtleMetadataFaults = {
  /** Only the first update of a registration makes the service fetch the metadata. */
  'subtle.update.second-one-fetches-nothing': (classes) =>
    alterUpdates(new Set(), (_areas, isAgain, note) => {
      note();
      return isAgain ? { metadata: { fetchMetadata: async () => ({ warning: 'The metadata is known.' }) } } : {};
    })(classes),

  /** What a host once validated it is asked about for good. */
  'subtle.update.capability-taken-away-stays': (classes) => {
    const known = new Map<string, Awaited<ReturnType<Areas['registry']['validatorsOf']>>>();
    return breaks('registry', 'validatorsOf', (right) => async (areas, reading, softTypeId) => {
      const now = await right(areas, reading, softTypeId);
      const isNow = (id: string): boolean => now.some(({ recordId }) => recordId === id);
      const former = (known.get(softTypeId) ?? []).filter(({ recordId }) => !isNow(recordId));
      known.set(softTypeId, [...now, ...former]);
      return [...now, ...former];
    })(classes);
  },
} satisfies Variants;

export const subtleSigningFaults = {
  /** Signatures are kept by key and length of the path. */
  'subtle.signature.of-path-of-same-length': (classes) => {
    const kept = new Map<string, { readonly Authorization: string }>();
    return breaks('signing', 'signatureHeaders', (right) => (areas, apiKey, url) => {
      const key = `${apiKey} ${areas.signing.signedPath(url).length}`;
      const headers = kept.get(key) ?? right(areas, apiKey, url);
      kept.set(key, headers);
      return headers;
    })(classes);
  },

  /** The key can be changed by one update, and by no later one. */
  'subtle.signature.key-changes-only-once': (classes) => {
    const keys = new Map<string, string>();
    return breaks('registrations', 'putExtension', (right) => (areas, call) => {
      const id = call.params['id'] ?? '';

      return right(
        within(areas, {
          registrations: {
            extensionFrom: (body) => {
              const fields = areas.registrations.extensionFrom(body);
              const apiKey = keys.get(id) ?? fields.apiKey;
              keys.set(id, apiKey);
              return { ...fields, apiKey };
            },
          },
        }),
        call,
      );
    })(classes);
  },
} satisfies Variants;

/** Updates of extensions are made with other methods. @param other is told whether the extension was noted before, and how it is noted */
function alterUpdates(
  noted: Set<string>,
  other: (areas: Areas, isAgain: boolean, note: () => void) => Changes,
): Variant {
  return breaks('registrations', 'putExtension', (right) => (areas, call) => {
    const id = call.params['id'] ?? '';
    return right(
      within(
        areas,
        other(areas, noted.has(id), () => noted.add(id)),
      ),
      call,
    );
  });
}
