/** Whether an error of the system is of this kind: `ENOENT`. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && codes.includes(code);
}
