import { afterSilence } from '../../lib/silence.ts'

/** A device does not wait longer for its answer; it asks again. */
const ANSWER_MS = 10_000

/** Questions that the gateway asked its parent process and that are not answered yet. */
export class Questions<Q, A> {
  private lastId = 0
  private readonly open = new Map<number, (answer: A | null) => void>()

  constructor(private readonly send: (id: number, question: Q) => void) {}

  /** @returns null when no answer came in time */
  ask(question: Q): Promise<A | null> {
    const id = ++this.lastId
    return new Promise(resolve => {
      const silence = afterSilence(ANSWER_MS, () => this.settle(id, null))
      this.open.set(id, answer => {
        silence.end()
        resolve(answer)
      })
      this.send(id, question)
    })
  }

  answered(id: number, answer: A | null): void {
    this.settle(id, answer)
  }

  private settle(id: number, answer: A | null): void {
    const resolve = this.open.get(id)
    this.open.delete(id)
    resolve?.(answer)
  }
}
