import { build } from 'esbuild';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lackingIn } from '../k6/lacking.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const adaptor = fileURLToPath(new URL(`../k6/adaptor${extname(import.meta.url)}`, import.meta.url));

/** Source of the script: journeys, chooser and adaptor in one file. The modules of k6 are left to k6. */
export async function bundledScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [adaptor],
    // so that the comments that name files are the same wherever this is started
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    external: ['k6', 'k6/*'],
    charset: 'ascii',
    logLevel: 'silent',
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error('esbuild made no file of the adaptor.');
  const lacking = lackingIn(script.text);
  if (lacking.length > 0) throw new Error(`The script holds ${lacking.join(' and ')}, which k6 cannot run.`);
  return script.text;
}
