/** The table after a run: seconds by file. */
export function durationsAfter(
  before: Record<string, number>,
  files: { name: string; startTime: number; endTime: number }[],
  isThere: (file: string) => boolean,
): Record<string, number>
