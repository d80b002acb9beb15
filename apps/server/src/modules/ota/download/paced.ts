import { pipeline, type Readable, Transform } from 'node:stream'

const PIECE = 16 * 1024

/**
 * The stream, limited to so many kilobytes a second; unlimited without a rate. Destroying either stream destroys the
 * other.
 */
export function paced(body: Readable, kilobytes: number | null): Readable {
  if (kilobytes === null) return body
  const bytesPerMs = (kilobytes * 1024) / 1000
  // Time at which everything that went out so far has been paid for.
  let paidAt = performance.now()
  const pace = new Transform({
    transform(chunk: Buffer, _, done) {
      const send = (at: number): void => {
        if (at >= chunk.length) {
          done()
          return
        }
        const piece = chunk.subarray(at, at + PIECE)
        const now = performance.now()
        paidAt = Math.max(paidAt, now) + piece.length / bytesPerMs
        this.push(piece)
        setTimeout(() => send(at + PIECE), paidAt - now)
      }
      send(0)
    },
  })
  // An error is raised on the stream that is returned; the callback has nothing to add.
  return pipeline(body, pace, () => undefined) as unknown as Readable
}
