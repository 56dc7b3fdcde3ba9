#!/usr/bin/env node
// In JavaScript that every Node can read, so that an older one gets as far as the sentence. Node tries `.js` behind a name that no file has:
// `node cli/main.ts` finds this, where a file of that name would be refused before its first line. The package has it as dist/cli/main.js.

const oldestMajor = 24;
const [usageExitCode, incompleteExitCode] = [2, 3];

if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
  process.stderr.write(
    `svc-conformance needs Node ${oldestMajor} or later and was started with ${process.versions.node}: ` +
      'install a newer one, or in a clone write npm run check --, which brings its own.\n',
  );
  process.exitCode = usageExitCode;
} else {
  // whatever ends this process before it has come to a code of its own has shown nothing
  process.exitCode = incompleteExitCode;
  start();
}

async function start() {
  // Compiled code is kept between processes: half of the start is reading modules.
  // The threads of a run ask for it as well.
  if (!(await canKeep())) process.env.NODE_DISABLE_COMPILE_CACHE = '1';
  const { enableCompileCache } = await import('node:module');
  enableCompileCache();
  // before the modules, which fill it, and for runs that judge: a server under load makes good use of what Node gives it
  if (process.argv[2]?.startsWith('check')) (await import('./memory.ts')).boundMemory();
  const ends = await import('./ends.ts').catch(sayUnread);
  await ends?.runProcess(process.argv.slice(2));
}

/** @param {unknown} error */
function sayUnread(error) {
  const why = error instanceof Error ? error.message : String(error);
  process.stderr.write(`svc-conformance: the suite could not be loaded: ${why.replaceAll(/\s+/g, ' ')}\n`);
}

/** Whether a folder can be made where it is kept: where none can, as below /proc, Node tries for ever. */
async function canKeep() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return true;
  const { mkdirSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  try {
    mkdirSync(`${tmpdir()}/node-compile-cache`);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EEXIST';
  }
  return true;
}
