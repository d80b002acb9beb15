export interface ServerEvent {
  /** The last id that was told, this event's own or an earlier one's; empty when there was none. */
  id: string
  data: string
}

/**
 * Reads the lines of an event stream (WHATWG HTML, "server-sent events") out of text that arrives in pieces of any
 * length. `push` gives the events that are complete; `end` gives what stood at the end without its closing empty line.
 */
export class EventReader {
  private rest = ''
  private data: string[] = []
  private id = ''
  private afterReturn = false

  push(text: string): ServerEvent[] {
    const events: ServerEvent[] = []
    // A line may end with \r\n, and the two may come apart.
    let chunk = this.afterReturn && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') this.afterReturn = text.endsWith('\r')
    chunk = this.rest + chunk
    let from = 0
    for (let end = nextBreak(chunk, from); end >= 0; end = nextBreak(chunk, from)) {
      this.line(chunk.slice(from, end), events)
      from = chunk[end] === '\r' && chunk[end + 1] === '\n' ? end + 2 : end + 1
    }
    this.rest = chunk.slice(from)
    return events
  }

  end(): ServerEvent[] {
    const events: ServerEvent[] = []
    if (this.rest !== '') this.line(this.rest, events)
    this.rest = ''
    this.line('', events)
    return events
  }

  private line(line: string, events: ServerEvent[]): void {
    if (line === '') {
      if (this.data.length > 0) events.push({ id: this.id, data: this.data.join('\n') })
      this.data = []
      return
    }
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') this.data.push(value)
    else if (field === 'id' && !value.includes('\0')) this.id = value
  }
}

function nextBreak(text: string, from: number): number {
  const feed = text.indexOf('\n', from)
  const back = text.indexOf('\r', from)
  return back < 0 || (feed >= 0 && feed < back) ? feed : back
}
