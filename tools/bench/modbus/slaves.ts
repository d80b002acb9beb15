import { connect, type Socket } from 'node:net'
import { Histogram } from '../core/histogram.ts'

const REGISTERS = 200

/** Many Modbus RTU slaves, each behind a connection of its own, answering after the time that a serial line takes. */
export class Slaves {
  /** Time between one question for the same block and the next, ms. */
  intervals = new Histogram()
  questions = 0
  writes = 0
  private readonly sockets: Socket[] = []

  constructor(
    private readonly port: number,
    private readonly answerMs: number,
  ) {}

  /** Connects one more. Resolves when its register packet has left. */
  add(register: string): Promise<void> {
    const socket = connect({ host: '127.0.0.1', port: this.port, noDelay: true })
    this.sockets.push(socket)
    const memory = new Uint16Array(REGISTERS)
    for (let i = 0; i < REGISTERS; i++) memory[i] = i
    let last = 0
    socket.on('error', () => undefined)
    socket.on('data', question => {
      this.questions++
      if (question[1] === 3 && question.readUInt16BE(2) === 0) {
        const now = performance.now()
        if (last > 0) this.intervals.record(now - last)
        last = now
      }
      if (question[1] !== 3) this.writes++
      memory[3] = (memory[3]! + 1) & 0x7fff
      const answer = answerOf(memory, question)
      setTimeout(() => socket.write(answer), this.answerMs)
    })
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.once('connect', () => socket.write(register, () => resolve()))
    })
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy()
  }
}

function answerOf(memory: Uint16Array, question: Buffer): Buffer {
  const code = question[1]!
  const address = question.readUInt16BE(2)
  const count = question.readUInt16BE(4)
  if (code !== 3) {
    if (code === 6) memory[address] = count
    return withCrc(Buffer.from(question.subarray(0, 6)))
  }
  const answer = Buffer.alloc(3 + count * 2)
  answer[0] = question[0]!
  answer[1] = 3
  answer[2] = count * 2
  for (let i = 0; i < count; i++) answer.writeUInt16BE(memory[address + i] ?? 0, 3 + i * 2)
  return withCrc(answer)
}

/** CRC-16 of Modbus over serial line 1.02 §6.2.2, low byte first. */
function withCrc(bytes: Buffer): Buffer {
  let crc = 0xffff
  for (const byte of bytes) {
    crc ^= byte
    for (let i = 0; i < 8; i++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1
  }
  return Buffer.concat([bytes, Buffer.from([crc & 0xff, crc >> 8])])
}
