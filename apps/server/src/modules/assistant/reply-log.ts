import { Readable } from 'node:stream'

/** Kept of one reply, so that a cut connection can go on where it stopped. */
const KEPT_BYTES = 1_048_576
/** Comment lines keep proxies from closing a reply that waits for a person. */
export const PING_MS = 15_000

/** The events of one reply, numbered from 0, and the connections that read them. */
export interface ReplyLog {
  /** `["text",{…}]`: what is after `data:`; one line of JSON. */
  add(event: readonly unknown[]): void
  /** No more events: connections end cleanly when they have read everything. */
  end(): void
  readonly ended: boolean
  /** Number of the last event; -1: none yet. */
  readonly last: number
  /** Connections that are open. */
  readonly readers: number
  /** Whether what follows event `after` is still kept. */
  holds(after: number): boolean
  /** What follows event `after` (-1: everything), as the bytes of an event stream; ends with the reply. */
  read(after: number): Readable
  /** Told whenever a connection came or went. */
  onReaders(listener: () => void): void
}

export function createReplyLog(replyId: string): ReplyLog {
  const events: { n: number; chunk: string }[] = []
  const readers = new Set<Reader>()
  let bytes = 0
  let last = -1
  let ended = false
  let listener = () => {}

  const firstKept = () => events[0]?.n ?? last + 1
  const holds = (after: number) => after <= last && after + 1 >= firstKept()

  /** One connection. Reads on only as fast as it is read itself; nobody waits for it. */
  class Reader extends Readable {
    private wants = false
    constructor(private at: number) {
      super({ highWaterMark: 65_536 })
      this.ping = setInterval(() => this.wants && this.pushed(': ping\n\n'), PING_MS)
      this.ping.unref()
    }
    private readonly ping: NodeJS.Timeout

    private pushed(chunk: string): boolean {
      this.wants = this.push(chunk)
      return this.wants
    }

    flow(): void {
      if (this.destroyed) return
      // Too slow by a whole megabyte: a cut, from which it may come back as it may from any other.
      if (!holds(this.at)) return void this.destroy(new Error('the reader is too far behind'))
      while (this.wants && this.at < last) {
        const event = events[this.at + 1 - firstKept()]!
        this.at = event.n
        this.pushed(event.chunk)
      }
      if (ended && this.wants && this.at === last) {
        this.wants = false
        clearInterval(this.ping)
        this.push(null)
      }
    }

    override _read(): void {
      this.wants = true
      this.flow()
    }

    override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
      clearInterval(this.ping)
      if (readers.delete(this)) listener()
      done(error)
    }
  }

  return {
    add(event) {
      if (ended) return
      last++
      const chunk = `id: ${replyId}:${last}\ndata: ${JSON.stringify(event)}\n\n`
      events.push({ n: last, chunk })
      bytes += chunk.length
      while (bytes > KEPT_BYTES && events.length > 1) bytes -= events.shift()!.chunk.length
      for (const reader of readers) reader.flow()
    },
    end() {
      if (ended) return
      ended = true
      for (const reader of readers) reader.flow()
    },
    get ended() {
      return ended
    },
    get last() {
      return last
    },
    get readers() {
      return readers.size
    },
    holds,
    read(after) {
      const reader = new Reader(after)
      readers.add(reader)
      listener()
      return reader
    },
    onReaders(told) {
      listener = told
    },
  }
}
