/** One line of a client's log. */
export interface LogLine {
  id: number
  at: number
  kind: 'in' | 'out' | 'note' | 'error'
  /** Topic, or what happened. */
  title: string
  /** Body as text; '' for none. */
  body: string
  /** Small facts: QoS, size. */
  detail: string
}

/** More lines than this are let go, oldest first: a busy topic must not fill the page. */
export const MOST_LINES = 300
/** Of one body, characters. */
export const MOST_BODY = 16_384

let counter = 0

/** Lines with new ones at the end, no more than may be kept. */
export function withLines(lines: readonly LogLine[], more: readonly Omit<LogLine, 'id'>[]): LogLine[] {
  const added = more.map(line => ({ ...line, id: ++counter, body: line.body.slice(0, MOST_BODY) }))
  return [...lines, ...added].slice(-MOST_LINES)
}

/** Lines that hold the text, in the title or the body. */
export function matching(lines: readonly LogLine[], text: string): readonly LogLine[] {
  const wanted = text.trim().toLowerCase()
  return wanted === '' ? lines : lines.filter(line => `${line.title}\n${line.body}`.toLowerCase().includes(wanted))
}

/** A body as text: UTF-8 where it is that, otherwise its bytes as hex. */
export function bodyText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return Array.from(bytes.slice(0, MOST_BODY / 3), byte => byte.toString(16).padStart(2, '0')).join(' ')
  }
}
