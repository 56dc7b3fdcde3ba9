import type { Journey } from '../journey.ts';
import type { JourneyName } from '../mix.ts';
import { bulkLoader } from './bulk-loader.ts';
import { approver, importer } from './creating.ts';
import { author, editorPair, reader } from './editing.ts';
import { extensionLife, keyHolder, taskRunner } from './extension-life.ts';
import { fileUser } from './file-user.ts';
import { gateKeeper } from './gate-keeper.ts';

export const journeys: Readonly<Record<JourneyName, Journey>> = {
  reader,
  author,
  'editor-pair': editorPair,
  importer,
  approver,
  'file-user': fileUser,
  'extension-life': extensionLife,
  'gate-keeper': gateKeeper,
  'bulk-loader': bulkLoader,
  'task-runner': taskRunner,
  'key-holder': keyHolder,
};
