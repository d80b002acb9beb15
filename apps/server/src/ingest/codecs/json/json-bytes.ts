/** Stands for a number that is not finite while a payload is written; no text of a device holds a lone surrogate. */
const ENDLESS = '\ud800 not finite'

/**
 * A value as a JSON payload. A number that is not finite (`1e400`, an unreadable value) stays one, so that the thing
 * model refuses it by name; `JSON.stringify` would write null, which means "no value".
 */
export function bytesOf(value: unknown): Buffer {
  let endless = false
  const text = JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== 'number' || Number.isFinite(part)) return part
    endless = true
    return ENDLESS
  })
  return Buffer.from(endless ? text.replaceAll(JSON.stringify(ENDLESS), '1e999') : (text ?? 'null'))
}
