const MB = 1024 * 1024

/** Bytes as the megabytes that a form shows; none stays none. */
export const megabytesOf = (bytes: number | null | undefined): number | null =>
  bytes == null ? null : Math.round(bytes / MB)

/** And back. */
export const bytesOf = (megabytes: unknown): number | null => (typeof megabytes === 'number' ? megabytes * MB : null)
