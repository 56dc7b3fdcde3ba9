import type { Areas } from '../../../reference-server/areas.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { type Variants, within, replaces } from '../../breaks.ts';
import { isObject } from '../../dialect/choice.ts';

export const subtleRegistrationFaults = {
  /** A pattern without ends looks for the content type among the headers. */
  'subtle.registration.content-type-within-a-name': replaces(
    'registrations',
    'requireHeaders',
    (right, areas, headers) => {
      if (!headers.some(({ name }) => name.includes('content-type'))) right(areas, headers);
    },
  ),

  /** An extension can be switched off by one update, and by no later one. */
  'subtle.update.switched-off-only-once': (classes) => {
    const switched = new Set<string>();
    return replaces('registrations', 'putExtension', (right, areas, call) => {
      const id = call.params['id'] ?? '';
      const active = switched.has(id) || call.json.active;
      if (!call.json.active) switched.add(id);
      return right(areas, { ...call, json: { ...call.json, active } });
    })(classes);
  },
} satisfies Variants;

export const subtleMetadataFaults = {
  /** Names that sort behind the documented ones are not looked at. */
  'subtle.metadata.late-names-are-dropped': replaces('metadata', 'recordFrom', (right, areas, item) =>
    right(
      areas,
      isObject(item) ? Object.fromEntries(Object.entries(item).filter(([name]) => name <= 'version')) : item,
    ),
  ),

  /** A list inside a member of a record has to hold something. */
  'subtle.metadata.empty-lists-are-no-lists': replaces('metadata', 'recordFrom', (right, areas, item) =>
    /:\[\]\}./.test(JSON.stringify(item)) ? new Misfit('', 'must list something') : right(areas, item),
  ),

  /** Numbers in a capability are as good as texts. */
  'subtle.metadata.capabilities-may-be-numbers': replaces('metadata', 'recordFrom', (right, areas, item) =>
    right(areas, JSON.parse(JSON.stringify(item).replace(/("capabilities":\[)(\d+)\]/, '$1"$2"]'))),
  ),

  /** Only the first update of a registration makes the service fetch the metadata. */
  'subtle.update.second-one-fetches-nothing': (classes) => {
    const updated = new Set<string>();
    const metadata = { fetchMetadata: async () => ({ warning: 'The metadata is known.' }) };
    return replaces('registrations', 'putExtension', (right, areas, call) => {
      const id = call.params['id'] ?? '';
      const isAgain = updated.has(id);
      updated.add(id);
      return right(isAgain ? within(areas, { metadata }) : areas, call);
    })(classes);
  },

  /** A pattern without an end looks for the SoftType among the capabilities. */
  'subtle.capability.first-letters-suffice': replaces(
    'registry',
    'validatorsOf',
    async (right, areas, reading, softTypeId) => [
      ...(await right(areas, reading, softTypeId)),
      ...(await right(areas, reading, softTypeId.slice(0, -1))),
    ],
  ),

  /** What a host once validated it is asked about for good. */
  'subtle.update.capability-taken-away-stays': (classes) => {
    const known = new Map<string, Awaited<ReturnType<Areas['registry']['validatorsOf']>>>();
    return replaces('registry', 'validatorsOf', async (right, areas, reading, softTypeId) => {
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
    return replaces('signing', 'signatureHeaders', (right, areas, apiKey, url) => {
      const key = `${apiKey} ${areas.signing.signedPath(url).length}`;
      const headers = kept.get(key) ?? right(areas, apiKey, url);
      kept.set(key, headers);
      return headers;
    })(classes);
  },

  /** The key can be changed by one update, and by no later one. */
  'subtle.signature.key-changes-only-once': (classes) => {
    const keys = new Map<string, string>();
    return replaces('registrations', 'putExtension', (right, areas, call) => {
      const id = call.params['id'] ?? '';
      const apiKey = keys.get(id) ?? call.json.apiKey;
      keys.set(id, apiKey);
      return right(areas, { ...call, json: { ...call.json, apiKey } });
    })(classes);
  },

  /** Actions are signed with the key of the extension that was the first to be sent one. */
  'subtle.signature.of-first-actions': (classes) => {
    let first: string | undefined;
    return replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      if (delivery.kind !== 'action') return right(areas, delivery, callee);
      first ??= callee.extension.apiKey;
      return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey: first } });
    })(classes);
  },
} satisfies Variants;
