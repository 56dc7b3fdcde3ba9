import { journeyNames } from '../journey.ts';
import type { JourneyName, Mix } from '../mix.ts';

/** What each journey does, by the names that its steps carry: k6 wants every counter before the first request. */
const operationsOfJourney: Readonly<Record<JourneyName, readonly string[]>> = {
  reader: ['read', 'page', 'filtered'],
  author: [
    'create',
    'read',
    'operations',
    'page',
    'stale edit',
    'edit without version',
    'edit by a reader',
    'batch in vain',
  ],
  'editor-pair': ['read', 'edit'],
  importer: ['multi-create', 'batch', 'read'],
  approver: ['create', 'promote', 'demote', 'read', 'batch'],
  'file-user': ['upload', 'chunk', 'download', 'upload in vain', 'delete file', 'look for deleted file'],
  'extension-life': ['trigger event'],
  'gate-keeper': [
    'grant',
    'read',
    'without token',
    'altered token',
    'expired token',
    'read by a stranger',
    'conditional read',
    'conditional change',
  ],
  'bulk-loader': ['bulk upload', 'upload', 'look for file', 'look beside', 'download', 'delete file'],
  'task-runner': ['trigger task'],
  'key-holder': ['acquire key', 'acquire in vain'],
};

/** Names of the journeys that a mix begins. */
export function journeysIn(mix: Pick<Mix, 'journeys'>): readonly JourneyName[] {
  return journeyNames.filter((name) => (mix.journeys[name]?.weight ?? 0) > 0);
}

/** Every operation that a mix can come to, once. */
export function operationsIn(mix: Pick<Mix, 'journeys'>): readonly string[] {
  return [...new Set(journeysIn(mix).flatMap((name) => operationsOfJourney[name]))];
}
