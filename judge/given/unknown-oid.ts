/**
 * An id of the same form in which one character is another one of its kind. Numbers change in front, where a neighbour is not likely to
 * be the id of another object; other ids at their end.
 */
export function changedOid(oid: string, isTaken: (oid: string) => boolean): string {
  const numeric = /^\d+$/.test(oid);
  const positions = Array.from({ length: oid.length }, (_position, index) =>
    numeric ? index : oid.length - 1 - index,
  );
  const candidates = positions.flatMap((at) =>
    alternatives(oid[at] ?? '').map((other) => oid.slice(0, at) + other + oid.slice(at + 1)),
  );
  return candidates.find((candidate) => !isTaken(candidate)) ?? `${oid}0`;
}

/** Characters of the same kind; a first digit stays away from zero. */
function alternatives(character: string): readonly string[] {
  const kinds = ['987654321', 'fedcba', 'FEDCBA', 'zyxwvutsrqponmlkjihg', 'ZYXWVUTSRQPONMLKJIHG'];
  const kind = kinds.find((letters) => letters.includes(character)) ?? (character === '0' ? '987654321' : '');
  return [...kind].filter((other) => other !== character);
}
