/** `unreadable`: no text. `yaml`: no YAML. `variable`: an environment variable is missing. `content`: not what a profile holds. */
export type ProfileErrorCode = 'unreadable' | 'yaml' | 'variable' | 'content';

/** A profile that cannot be used. The message is one sentence that begins with file, line and column (1-based). */
export class ProfileError extends Error {
  readonly code: ProfileErrorCode;
  readonly file: string;
  readonly line: number;
  readonly column: number;

  constructor(
    code: ProfileErrorCode,
    sentence: string,
    at: { readonly file: string; readonly line?: number; readonly column?: number },
  ) {
    const { file, line = 1, column = 1 } = at;
    super(`${file}:${line}:${column}: ${sentence}`);
    this.code = code;
    this.file = file;
    this.line = line;
    this.column = column;
  }
}
