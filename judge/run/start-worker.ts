import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Starts a thread that has compiled code kept from its first module on: it inherits that from nobody, and what a module of its own could
 * ask for comes after that one was read, its types taken out by a compiler that has to be read as well.
 */
export function startWorker(url: URL, options?: WorkerOptions): Worker {
  const code = `import module from 'node:module'; module.enableCompileCache(); await import(${JSON.stringify(url.href)});`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), options);
}
