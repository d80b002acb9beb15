import { EventEmitter } from 'node:events'
import { connect, type Socket } from 'node:net'
import Modbus from 'jsmodbus'

export interface ModbusSlaveOptions {
  host: string
  port: number
  mode: 'rtu' | 'tcp'
  /** First packet, as it crosses the wire. */
  register: string
  /** Comes back this long after the connection was lost; null: stays away. */
  reconnectMs?: number | null
}

/**
 * A Modbus slave behind a DTU. The slave is `jsmodbus`, a program that is not ours; the DTU part dials out and hands the
 * connection over to it. Any slave address is answered from the same memory.
 */
export class ModbusSlave {
  /** Two bytes for each register. */
  readonly holding = Buffer.alloc(2_048)
  readonly input = Buffer.alloc(2_048)
  /** Eight to a byte, the lowest bit first. */
  readonly coils = Buffer.alloc(256)
  private socket: Socket | null = null
  private timer: NodeJS.Timeout | null = null
  private stopped = false

  constructor(private readonly options: ModbusSlaveOptions) {}

  start(): void {
    const { host, port, mode, register } = this.options
    const socket = connect({ host, port, noDelay: true }, () => socket.write(register))
    this.socket = socket
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const { reconnectMs = 5_000 } = this.options
      if (!this.stopped && reconnectMs !== null) this.timer = setTimeout(() => this.start(), reconnectMs)
    })
    const memory = { holding: this.holding, input: this.input, coils: this.coils, discrete: Buffer.alloc(256) }
    if (mode === 'rtu') new Modbus.server.RTU(socket as never, memory)
    else {
      // The library waits for connections; ours was made by dialling out.
      const door = new EventEmitter()
      new Modbus.server.TCP(door as never, memory)
      door.emit('connection', socket)
    }
  }

  /** Sets a holding register, 0 to 65535. */
  set(address: number, word: number): void {
    this.holding.writeUInt16BE(word, address * 2)
  }

  get(address: number): number {
    return this.holding.readUInt16BE(address * 2)
  }

  coil(address: number): boolean {
    return ((this.coils[address >> 3]! >> (address & 7)) & 1) === 1
  }

  stop(): void {
    this.stopped = true
    if (this.timer) clearTimeout(this.timer)
    this.socket?.destroy()
  }
}
