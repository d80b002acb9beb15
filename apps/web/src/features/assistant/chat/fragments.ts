import type { Card } from '@thingwright/contracts/assistant-cards'

/** What one event of a reply says. */
export type ReplyPart =
  | { kind: 'text'; text: string }
  | { kind: 'card'; card: Card }
  | { kind: 'error'; code: string; message: string }

/** Unparsable text beyond this is given up: it will never become an event. */
const MAX_WAITING = 64 * 1024

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/**
 * Makes parts of a reply out of event data: JSON arrays whose second element's `data` is the next piece of text. Data
 * that does not parse is kept and tried again together with what follows. Whatever stands in an array's first place,
 * its text counts: other programs name their events differently.
 */
export class FragmentReader {
  private waiting = ''

  push(data: string): ReplyPart | null {
    const together = parse(this.waiting + data)
    // What waited may never have been the beginning of anything: then this one still counts by itself.
    const value = together === undefined && this.waiting !== '' ? parse(data) : together
    if (value === undefined) {
      this.waiting += data
      if (this.waiting.length > MAX_WAITING) this.waiting = ''
      return null
    }
    this.waiting = ''
    return partOf(value)
  }
}

/** The parsed array; undefined while it is none. */
function parse(text: string): unknown[] | undefined {
  // Only an array can be complete; a number or a word alone may be the middle of one.
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function partOf([kind, body]: unknown[]): ReplyPart | null {
  if (!isObject(body)) return null
  if (kind === 'card' && isObject(body.card)) return { kind: 'card', card: body.card as unknown as Card }
  if (kind === 'error')
    return { kind: 'error', code: String(body.code ?? ''), message: String(body.message ?? body.code ?? '') }
  return typeof body.data === 'string' ? { kind: 'text', text: body.data } : null
}
