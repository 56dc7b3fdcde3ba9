import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mixSchema, type Mix } from '../../simulator/traffic/mix.ts';
import { checkedBy } from '../../judge/profile/check.ts';
import { ProfileDocument } from '../../judge/profile/document.ts';
import { UsageError } from '../usage.ts';
import { assertMix } from './mix-sense.ts';

const bundledMix = fileURLToPath(new URL('../../fixtures/mix.yaml', import.meta.url));

/** A mix from a YAML file, the bundled one where none is named. @throws {UsageError | ProfileError} the latter with line and column */
export function loadMix(file: string = bundledMix): Mix {
  const document = new ProfileDocument(textIn(file), file);
  const mix = checkedBy<Mix>(document, mixSchema);
  assertMix(document, mix);
  return mix;
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `Cannot read the mix ${file} (${error instanceof Error ? error.message : String(error)}); name an existing file.`,
    );
  }
}
