const names = ['SIGINT', 'SIGTERM'] as const;

/** Makes something without letting it listen to the signals that end a process: how a run ends on Ctrl-C is ours to say. */
export async function withOwnSignals<T>(make: () => Promise<T>): Promise<T> {
  const before = names.map((name) => new Set(process.listeners(name)));
  const made = await make();
  names.forEach((name, index) => {
    for (const listener of process.listeners(name))
      if (before[index]?.has(listener) === false) process.off(name, listener);
  });
  return made;
}
