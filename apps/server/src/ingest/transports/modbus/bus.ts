import { afterSilence, type Silence } from '../../../lib/silence.ts'
import { type Adu, buildRtu, buildTcp, parseResponse, parseRtu, parseTcp } from '../../codecs/modbus/index.ts'

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
/** How long an answer with another number waits for one with the right number, ms. */
const GRACE_MS = 40
const MOST_BYTES = 1_024
const MOST_UNANSWERED = 8

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
  /** The server numbers its answers by itself. */
  private ownNumbers = false
  private grace: Silence | null = null
  /** Numbers of the last questions that nobody answered in time. */
  private unanswered: number[] = []

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
    if (this.options.mode === 'rtu') this.lookRtu(current)
    else this.lookTcp(current)
  }

  /**
   * Finds the answer in what came: RS-485 adapters repeat the question (local echo), DTUs send heartbeats, the line has
   * noise. A frame counts by its slave, its function and its checksum, wherever it begins.
   */
  private lookRtu(current: Question): void {
    this.dropEcho(current)
    let wrong: ReturnType<typeof parseResponse> | null = null
    for (let at = 0; at + 2 <= this.kept.length; at++) {
      if (this.kept[at] !== current.slave || (this.kept[at + 1]! & 0x7f) !== current.pdu[0]) continue
      const parsed = parseRtu(this.kept.subarray(at))
      if (parsed.kind !== 'frame') continue
      const answer = parseResponse(current.pdu, Buffer.from(parsed.adu.pdu))
      if (!answer.ok && answer.reason === 'mismatch') {
        wrong ??= answer
        continue
      }
      if (at > 0) this.options.received(Buffer.from(this.kept.subarray(0, at)), false)
      this.options.received(Buffer.from(this.kept.subarray(at, at + parsed.length)), true)
      this.take(current, answer)
      return
    }
    if (wrong) {
      this.options.received(Buffer.from(this.kept), true)
      this.take(current, wrong)
    } else if (this.kept.length > MOST_BYTES) this.kept = this.kept.subarray(this.kept.length - MOST_BYTES / 2)
  }

  /** The question itself, as some adapters hand it back. A write of one register is answered by the same bytes. */
  private dropEcho({ slave, pdu }: Question): void {
    if (pdu[0] === 5 || pdu[0] === 6) return
    const asked = buildRtu(slave, pdu)
    const at = this.kept.indexOf(asked)
    if (at < 0) return
    this.options.received(Buffer.from(this.kept.subarray(at, at + asked.length)), false)
    this.kept = Buffer.concat([this.kept.subarray(0, at), this.kept.subarray(at + asked.length)])
  }

  private lookTcp(current: Question): void {
    while (this.current === current && this.kept.length > 0) {
      const parsed = parseTcp(this.kept)
      if (parsed.kind === 'more') {
        if (this.kept.length > MOST_BYTES) this.kept = Buffer.alloc(0)
        return
      }
      if (parsed.kind === 'broken') {
        // Heartbeats of the DTU and noise stand between answers: the next byte may begin one.
        this.kept = this.kept.subarray(1)
        continue
      }
      const { adu, length } = parsed
      const bytes = Buffer.from(this.kept.subarray(0, length))
      const pdu = Buffer.from(adu.pdu)
      this.kept = this.kept.subarray(length)
      const exact = adu.slave === current.slave && adu.transaction === current.transaction
      const plausible = exact || this.isPlausible(current, adu, pdu)
      this.options.received(bytes, exact || (plausible && this.ownNumbers))
      // The answer of a question that timed out, or another slave's: not what was asked now.
      if (exact || (plausible && this.ownNumbers)) this.take(current, parseResponse(current.pdu, pdu))
      else if (plausible) this.waitForBetter(current, pdu)
    }
  }

  /**
   * Some servers answer every question with a transaction number of their own. As only one question is under way that is
   * its answer, unless it is the late one of a question that was given up.
   */
  private isPlausible(current: Question, { slave, transaction }: Adu, pdu: Buffer): boolean {
    if (slave !== current.slave || transaction === undefined || this.unanswered.includes(transaction)) return false
    const answer = parseResponse(current.pdu, pdu)
    return answer.ok || answer.reason === 'exception'
  }

  /** The right number may still come; when it does not, this server's numbers are its own. */
  private waitForBetter(current: Question, pdu: Buffer): void {
    this.grace?.end()
    this.grace = afterSilence(GRACE_MS, () => {
      this.grace = null
      if (this.current !== current) return
      this.ownNumbers = true
      this.take(current, parseResponse(current.pdu, pdu))
    })
  }

  private take(current: Question, answer: ReturnType<typeof parseResponse>): void {
    const again = !answer.ok && answer.reason === 'mismatch' && current.tries <= current.patience.retries
    if (again) this.send(current)
    else this.settle(answer)
  }

  close(): void {
    this.closed = true
    this.silence?.end()
    this.grace?.end()
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
    this.grace?.end()
    this.grace = null
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
      this.unanswered = [...this.unanswered, question.transaction].slice(-MOST_UNANSWERED)
      if (question.tries <= question.patience.retries) this.send(question)
      else this.settle({ ok: false, reason: 'timeout' })
    })
  }

  private settle(answer: BusAnswer): void {
    const question = this.current
    if (!question) return
    this.silence?.end()
    this.silence = null
    this.grace?.end()
    this.grace = null
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
