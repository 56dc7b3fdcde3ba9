import type { Service } from '../../service.ts';
import { replacing, type Fault } from '../fault.ts';
import { within } from '../reads.ts';

export const subtleRegistrationFaults = {
  /** An extension can be switched off by one update, and by no later one. */
  'subtle.update.switched-off-only-once': (behaviours) => {
    const switched = new Set<string>();
    return updated(switched, (service, isAgain, note) => {
      const { extensionFrom } = service.behaviours;
      return {
        extensionFrom: (itself, body) => {
          const fields = extensionFrom(itself, body);
          if (!fields.active) note();
          return isAgain ? { ...fields, active: true } : fields;
        },
      };
    })(behaviours);
  },
} satisfies Readonly<Record<string, Fault>>;

export const subtleMetadataFaults = {
  /** Only the first update of a registration makes the service fetch the metadata. */
  'subtle.update.second-one-fetches-nothing': (behaviours) =>
    updated(new Set(), (_service, isAgain, note) => {
      note();
      return isAgain ? { fetchMetadata: async () => ({ warning: 'The metadata is known.' }) } : {};
    })(behaviours),

  /** What a host once validated it is asked about for good. */
  'subtle.update.capability-taken-away-stays': (behaviours) => {
    const known = new Map<string, Awaited<ReturnType<typeof behaviours.validatorsOf>>>();
    return replacing('validatorsOf', (right) => async (reading, softTypeId) => {
      const now = await right(reading, softTypeId);
      const isNow = (id: string): boolean => now.some(({ recordId }) => recordId === id);
      const former = (known.get(softTypeId) ?? []).filter(({ recordId }) => !isNow(recordId));
      known.set(softTypeId, [...now, ...former]);
      return [...now, ...former];
    })(behaviours);
  },
} satisfies Readonly<Record<string, Fault>>;

export const subtleSigningFaults = {
  /** Signatures are kept by key and length of the path. */
  'subtle.signature.of-path-of-same-length': (behaviours) => {
    const kept = new Map<string, { readonly Authorization: string }>();
    return replacing('signatureHeaders', (right) => (service, apiKey, url) => {
      const key = `${apiKey} ${service.behaviours.signedPath(url).length}`;
      const headers = kept.get(key) ?? right(service, apiKey, url);
      kept.set(key, headers);
      return headers;
    })(behaviours);
  },

  /** The key can be changed by one update, and by no later one. */
  'subtle.signature.key-changes-only-once': (behaviours) => {
    const keys = new Map<string, string>();
    return replacing('putExtension', (right) => (service, call) => {
      const id = call.params['id'] ?? '';
      const { extensionFrom } = service.behaviours;
      return right(
        within(service, {
          extensionFrom: (itself, body) => {
            const fields = extensionFrom(itself, body);
            const apiKey = keys.get(id) ?? fields.apiKey;
            keys.set(id, apiKey);
            return { ...fields, apiKey };
          },
        }),
        call,
      );
    })(behaviours);
  },
} satisfies Readonly<Record<string, Fault>>;

/** Updates of extensions are made with other behaviours. @param other is told whether the extension was noted before, and how it is noted */
function updated(
  noted: Set<string>,
  other: (service: Service, isAgain: boolean, note: () => void) => Partial<Service['behaviours']>,
): Fault {
  return replacing('putExtension', (right) => (service, call) => {
    const id = call.params['id'] ?? '';
    return right(
      within(
        service,
        other(service, noted.has(id), () => noted.add(id)),
      ),
      call,
    );
  });
}
