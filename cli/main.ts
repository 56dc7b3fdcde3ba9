#!/usr/bin/env node
// Nothing of our own is imported before the check: on an older Node it does not even load.
import module from 'node:module';

const oldestMajor = 24;
const usageExitCode = 2;
/** What a shell says of a process that wrote into a closed pipe: 128 and SIGPIPE. */
const closedPipeExitCode = 141;

if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
  process.stderr.write(
    `svc-conformance needs Node ${oldestMajor} or later and was started with ${process.versions.node}. ` +
      'Inside a clone, npm run check brings its own Node; elsewhere install a newer one.\n',
  );
  process.exitCode = usageExitCode;
} else {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(closedPipeExitCode);
  });
  // Compiled code is kept between processes: half of the start is reading modules.
  module.enableCompileCache();
  // before the modules, which fill it, and for runs that judge: a server under load makes good use of what Node gives it
  if (process.argv[2]?.startsWith('check')) (await import('./memory.ts')).boundMemory();
  const { run } = await import('./run.ts');
  process.exitCode = await run(process.argv.slice(2));
}
