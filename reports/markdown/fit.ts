/** A part of the document that can be left out by itself. */
export interface Part {
  /** What the reader misses when it is left out. */
  readonly name: string;
  readonly text: string;
}

/** The parts in order, without those that would make the whole longer than `limit` bytes of UTF-8; what is left out is announced. */
export function fitted(parts: readonly Part[], limit: number): string {
  const kept: string[] = [];
  const leftOut: string[] = [];
  let left = limit - noticeBytes;
  for (const { name, text } of parts) {
    const size = Buffer.byteLength(text) + 2;
    if (size > left) leftOut.push(name);
    else {
      left -= size;
      kept.push(text);
    }
  }
  return [...kept, ...notice(leftOut)].join('\n\n');
}

const noticeBytes = 2000;
const namesInNotice = 10;

function notice(leftOut: readonly string[]): string[] {
  if (leftOut.length === 0) return [];
  const named = leftOut.slice(0, namesInNotice).join(', ');
  const rest = leftOut.length > namesInNotice ? ` and ${leftOut.length - namesInNotice} more` : '';
  return [`> This page is cut to its size limit. Left out: ${named}${rest}. The JSON report holds all of it.`];
}
