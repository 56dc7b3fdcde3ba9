import { silences } from '../../contract/silences.ts';
import type { AnswerKind } from './reading.ts';
import type { CoveringSilence } from './result.ts';

/** The point of the ledger with that id. */
export function silenceById(id: string | undefined): CoveringSilence | undefined {
  const found = [...silences.core, ...silences.extensions].find((silence) => silence.id === id);
  if (found === undefined) return undefined;
  const { profile = [], open } = found;
  return { id: found.id, open, profile: typeof profile === 'string' ? [profile] : profile };
}

const byHeader: Readonly<Record<string, string>> = {
  'cache-control': 'cache-control',
  etag: 'softtype-etag',
  'svc-uoiversion': 'version-header-on-other-responses',
  'www-authenticate': 'challenge-on-401',
  'x-correlation-id': 'correlation-id-echo',
  allow: 'unknown-method-on-route',
};

const byKind: Readonly<Partial<Record<AnswerKind, string>>> = {
  create: 'create-response-body',
  edit: 'operations-patch-success-status',
  delete: 'delete-success-status',
  refusal: 'error-body-shape',
  'refusal without token': 'error-body-shape',
  'failed batch': 'batch-result-body-of-failure',
  'multi-create': 'multi-create-response-body',
};

/** Id of the silence that leaves open what stands at that place of such an answer. */
export function silenceOfPlace(kind: AnswerKind, place: string, aspect: string): string | undefined {
  const [, header] = /^header (.+)$/.exec(place) ?? [];
  if (header !== undefined && header !== 'content-type' && header !== 'location')
    return kind === 'multi-create' ? 'multi-create-location-header' : byHeader[header];
  if (place === 'form of URIs') return 'uri-absolute-or-relative';
  if (kind !== 'instance read' && kind !== 'page') return byKind[kind];
  if (place.endsWith('.$entryId')) return 'entry-id-form';
  if (place.endsWith('.sectionPath')) return 'section-path-form';
  if (place.endsWith('.schema')) return kind === 'page' ? 'page-response-extra-members' : 'schema-member-content';
  if (place.includes('.links')) return kind === 'page' ? 'page-response-extra-members' : 'link-rels';
  if (aspect === 'members without value') return 'empty-and-absent-members';
  return kind === 'page' ? 'page-response-extra-members' : undefined;
}

/** Id of the silence that leaves open an aspect of an object after a write that is decided. */
export function silenceOfFacet(aspect: string, command: string): string | undefined {
  if (aspect.startsWith('order of')) return 'order-of-entries';
  if (aspect.startsWith('entry ids')) return command === 'PUT' ? 'put-entry-ids' : 'entry-id-stability';
  if (aspect.startsWith('page links')) return 'page-link-when-not-needed';
  if (aspect.startsWith('tag of')) return 'softtype-etag';
  if (aspect === 'state') return command === 'demote' ? 'demote-effect' : 'maturity-states-and-conditions';
  return undefined;
}
