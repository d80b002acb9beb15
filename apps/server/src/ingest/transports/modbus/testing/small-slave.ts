import { connect, type Socket } from 'node:net'
import { buildRtu, buildTcp } from '../../../codecs/modbus/index.ts'

/** Registers and coils of one slave. */
export interface Memory {
  holding: Map<number, number>
  coils: Map<number, boolean>
  /** Questions it does not answer, counted down. */
  deaf: number
  /** Takes writes and does not keep them. */
  stubborn: boolean
  /** Registers that are not there. */
  missing: Set<number>
}

/** Slaves behind one connection to a gateway under test, answering as Modbus asks. Every question is written down. */
export class SmallSlaves {
  readonly asked: { slave: number; pdu: Buffer }[] = []
  readonly socket: Socket
  private readonly memories = new Map<number, Memory>()
  private kept: Buffer = Buffer.alloc(0)

  constructor(
    private readonly mode: 'rtu' | 'tcp',
    port: number,
    hello: string,
  ) {
    this.socket = connect({ host: '127.0.0.1', port })
    this.socket.on('error', () => undefined)
    this.socket.write(hello)
    this.socket.on('data', bytes => {
      this.kept = Buffer.concat([this.kept, bytes])
      for (let length = this.questionLength(); length !== null; length = this.questionLength()) {
        const question = this.kept.subarray(0, length)
        this.kept = this.kept.subarray(length)
        this.take(question)
      }
    })
  }

  slave(address: number, holding: Record<number, number> = {}): Memory {
    const memory: Memory = {
      holding: new Map(Object.entries(holding).map(([at, word]) => [Number(at), word])),
      coils: new Map(),
      deaf: 0,
      stubborn: false,
      missing: new Set(),
    }
    this.memories.set(address, memory)
    return memory
  }

  close(): void {
    this.socket.destroy()
  }

  /** Bytes of the first question, or null while it is not whole: it may come in pieces, and with the next behind it. */
  private questionLength(): number | null {
    const { kept } = this
    if (kept.length < 8) return null
    // Of writes of several the seventh byte says how many follow it; all others have one length.
    const rtu = kept[1]! >= 15 ? 9 + kept[6]! : 8
    const length = this.mode === 'rtu' ? rtu : 6 + kept.readUInt16BE(4)
    return kept.length < length ? null : length
  }

  private take(bytes: Buffer): void {
    const rtu = this.mode === 'rtu'
    const slave = bytes[rtu ? 0 : 6]!
    const pdu = rtu ? bytes.subarray(1, -2) : bytes.subarray(7)
    this.asked.push({ slave, pdu: Buffer.from(pdu) })
    const memory = this.memories.get(slave)
    if (!memory) return
    if (memory.deaf > 0) {
      memory.deaf--
      return
    }
    const answer = this.answer(memory, pdu)
    this.socket.write(rtu ? buildRtu(slave, answer) : buildTcp(bytes.readUInt16BE(0), slave, answer))
  }

  private answer(memory: Memory, pdu: Buffer): Buffer {
    const code = pdu[0]!
    const address = pdu.readUInt16BE(1)
    const count = pdu.readUInt16BE(3)
    if (code === 3) {
      const data = Buffer.alloc(2 + count * 2)
      data[0] = 3
      data[1] = count * 2
      for (let i = 0; i < count; i++) {
        if (address + i >= 1_000 || memory.missing.has(address + i)) return Buffer.from([0x83, 2])
        data.writeUInt16BE(memory.holding.get(address + i) ?? 0, 2 + i * 2)
      }
      return data
    }
    if (code === 1) {
      const data = Buffer.alloc(2 + Math.ceil(count / 8))
      data[0] = 1
      data[1] = data.length - 2
      for (let i = 0; i < count; i++) if (memory.coils.get(address + i)) data[2 + (i >> 3)]! |= 1 << (i & 7)
      return data
    }
    if (!memory.stubborn) {
      if (code === 5) memory.coils.set(address, count === 0xff00)
      if (code === 6) memory.holding.set(address, count)
      if (code === 16) for (let i = 0; i < count; i++) memory.holding.set(address + i, pdu.readUInt16BE(6 + i * 2))
    }
    return pdu.subarray(0, 5)
  }
}
