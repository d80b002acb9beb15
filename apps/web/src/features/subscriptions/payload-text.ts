/** A body as people read it: JSON with line breaks, everything else as it is. */
export function shownBody(body: string): string {
  // What the log cut off is no whole JSON any more and stays as it is; numbers beyond 2^53 would change by parsing.
  if (/\d{16,}/.test(body)) return body
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? JSON.stringify(parsed, null, 2) : body
  } catch {
    return body
  }
}
