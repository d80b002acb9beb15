import { afterSilence, type Silence } from '../../../lib/silence.ts'
import { buildRtu, buildTcp, parseResponse, parseRtu, parseTcp } from '../../codecs/modbus/index.ts'

export type BusAnswer =
  /** Of a read its data bytes, of a write nothing. */
  | { ok: true; data: Buffer }
  | { ok: false; reason: 'timeout' | 'closed' | 'unwritable' }
  | { ok: false; reason: 'exception'; exception: number }
  | { ok: false; reason: 'mismatch'; detail: string }

export interface BusOptions {
  /** RTU frames, or those of Modbus TCP, over the device's connection. */
  mode: 'rtu' | 'tcp'
  write(bytes: Buffer): boolean
  /** Bytes as they came, for the raw view: an answer, or what nobody asked for. */
  received(bytes: Buffer, asked: boolean): void
  /** Silence between two questions, ms. */
  pauseMs: number
}

/** How long one slave is waited for, which is its product's matter, not the carrier's. */
export interface Patience {
  timeoutMs: number
  retries: number
  /** Silence after its answer, ms; the bus's own when that is longer. */
  pauseMs: number
}

/** One question to a slave. Writes go before reads; a series of one command stays together by its place in the queue. */
interface Question {
  slave: number
  pdu: Buffer
  patience: Patience
  answer(answer: BusAnswer): void
  tries: number
  transaction: number
}

/** After an unanswered question, bytes that come within this time belong to it and are thrown away, ms. */
export const QUIET_MS = 120
const MOST_BYTES = 1_024

/**
 * A Modbus bus behind one connection: one question at a time, the answer or a time-out, then the next. Questions of
 * commands go first, so polling waits while a write does.
 */
export class Bus {
  private readonly writes: Question[] = []
  private readonly reads: Question[] = []
  private current: Question | null = null
  private kept: Buffer = Buffer.alloc(0)
  private silence: Silence | null = null
  private pausing = false
  private closed = false
  private transaction = 0

  constructor(private readonly options: BusOptions) {}

  /** Questions that wait or are under way. */
  get waiting(): number {
    return this.writes.length + this.reads.length + (this.current ? 1 : 0)
  }

  ask(slave: number, pdu: Buffer, patience: Patience, urgent = false): Promise<BusAnswer> {
    if (this.closed) return Promise.resolve({ ok: false, reason: 'closed' })
    return new Promise(answer => {
      const queue = urgent ? this.writes : this.reads
      queue.push({ slave, pdu, patience, answer, tries: 0, transaction: 0 })
      this.next()
    })
  }

  push(chunk: Buffer): void {
    const { current } = this
    if (!current) {
      this.options.received(Buffer.from(chunk), false)
      return
    }
    this.kept = Buffer.concat([this.kept, chunk])
    const parse = this.options.mode === 'rtu' ? parseRtu : parseTcp
    while (this.current === current && this.kept.length > 0) {
      const parsed = parse(this.kept)
      if (parsed.kind === 'more') {
        if (this.kept.length > MOST_BYTES) this.kept = Buffer.alloc(0)
        return
      }
      if (parsed.kind === 'broken') {
        // Heartbeats of the DTU and noise stand between answers: the next byte may begin one.
        this.kept = this.kept.subarray(Math.max(1, parsed.skip))
        continue
      }
      const { adu, length } = parsed
      const bytes = Buffer.from(this.kept.subarray(0, length))
      const pdu = Buffer.from(adu.pdu)
      this.kept = this.kept.subarray(length)
      const ours =
        adu.slave === current.slave && (adu.transaction === undefined || adu.transaction === current.transaction)
      this.options.received(bytes, ours)
      // The answer of a question that timed out, or another slave's: not what was asked now.
      if (!ours) continue
      const answer = parseResponse(current.pdu, pdu)
      const again = !answer.ok && answer.reason === 'mismatch' && current.tries <= current.patience.retries
      if (again) this.send(current)
      else this.settle(answer)
    }
  }

  close(): void {
    this.closed = true
    this.silence?.end()
    const all = [...(this.current ? [this.current] : []), ...this.writes, ...this.reads]
    this.current = null
    this.writes.length = 0
    this.reads.length = 0
    for (const question of all) question.answer({ ok: false, reason: 'closed' })
  }

  private next(): void {
    if (this.current || this.pausing || this.closed) return
    const question = this.writes.shift() ?? this.reads.shift()
    if (!question) return
    this.current = question
    this.send(question)
  }

  private send(question: Question): void {
    this.silence?.end()
    this.kept = Buffer.alloc(0)
    question.tries++
    this.transaction = (this.transaction + 1) & 0xffff
    question.transaction = this.transaction
    const bytes =
      this.options.mode === 'rtu'
        ? buildRtu(question.slave, question.pdu)
        : buildTcp(this.transaction, question.slave, question.pdu)
    if (!this.options.write(bytes)) {
      this.settle({ ok: false, reason: 'unwritable' })
      return
    }
    this.silence = afterSilence(question.patience.timeoutMs, () => {
      if (question.tries <= question.patience.retries) this.send(question)
      else this.settle({ ok: false, reason: 'timeout' })
    })
  }

  private settle(answer: BusAnswer): void {
    const question = this.current
    if (!question) return
    this.silence?.end()
    this.silence = null
    this.current = null
    this.kept = Buffer.alloc(0)
    // Modbus TCP numbers its questions; on a serial bus a late answer looks like that to the next question.
    const late = this.options.mode === 'rtu' && (question.tries > 1 || (!answer.ok && answer.reason === 'timeout'))
    const pause = Math.max(this.options.pauseMs, question.patience.pauseMs, late ? QUIET_MS : 0)
    if (pause > 0) {
      this.pausing = true
      this.silence = afterSilence(pause, () => {
        this.silence = null
        this.pausing = false
        this.next()
      })
    }
    question.answer(answer)
    // Whoever asked may have something urgent now: it is queued before the next is chosen.
    if (pause === 0) queueMicrotask(() => this.next())
  }
}
