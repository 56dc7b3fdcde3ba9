import type { Journey } from '../journey.ts';
import type { JourneyName } from '../mix.ts';
import { approver } from './approver.ts';
import { author } from './author.ts';
import { editorPair } from './editor-pair.ts';
import { extensionLife } from './extension-life.ts';
import { fileUser } from './file-user.ts';
import { gateKeeper } from './gate-keeper.ts';
import { importer } from './importer.ts';
import { reader } from './reader.ts';

export const journeys: Readonly<Record<JourneyName, Journey>> = {
  reader,
  author,
  'editor-pair': editorPair,
  importer,
  approver,
  'file-user': fileUser,
  'extension-life': extensionLife,
  'gate-keeper': gateKeeper,
};
