#!/usr/bin/env node
// Nothing of our own is imported before the check: on an older Node it does not even load.
import module from 'node:module';

const oldestMajor = 24;
const usageExitCode = 2;

if (Number.parseInt(process.versions.node, 10) < oldestMajor) {
  process.stderr.write(
    `svc-conformance needs Node ${oldestMajor} or later and was started with ${process.versions.node}. ` +
      'Inside a clone, npm run check brings its own Node; elsewhere install a newer one.\n',
  );
  process.exitCode = usageExitCode;
} else {
  // Compiled code is kept between processes: half of the start is reading modules.
  module.enableCompileCache();
  const { runProcess } = await import('./ends.ts');
  await runProcess(process.argv.slice(2));
}
