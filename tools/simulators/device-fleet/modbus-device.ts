import type { FleetDeviceConfig } from './config.ts'
import type { Address, FleetDevice, FleetDeviceContext } from './fleet-device.ts'
import { answerTo, ILLEGAL_ADDRESS, ILLEGAL_VALUE, QuestionReader, rtuFrame, type SlaveTables } from './modbus-slave.ts'
import type { Values } from './models/physical-model.ts'
import type { SimulatedDevice } from './models/simulation.ts'
import { TcpLink } from './tcp-link.ts'

/** A line of the drive's manual: where a value stands. Addresses as on the wire, from 0. */
export interface RegisterLine {
  identifier: string
  /** The function that reads it: 1 coils, 3 holding registers, 4 input registers. */
  function: 1 | 3 | 4
  address: number
  dataType: 'bool' | 'int16' | 'uint16' | 'uint32' | 'float32'
  /** CDAB: the low word first; ABCD when absent. */
  byteOrder?: 'CDAB'
  /** value = raw × scale; 1 when absent */
  scale?: number
}

export const DRIVE_REGISTERS: readonly RegisterLine[] = [
  { identifier: 'run', function: 1, address: 0, dataType: 'bool' },
  { identifier: 'speed_setpoint', function: 3, address: 0, dataType: 'uint16', scale: 0.01 },
  { identifier: 'ramp_time', function: 3, address: 1, dataType: 'uint16', scale: 0.1 },
  { identifier: 'frequency', function: 4, address: 0, dataType: 'uint16', scale: 0.01 },
  { identifier: 'current', function: 4, address: 1, dataType: 'uint16', scale: 0.1 },
  { identifier: 'bus_voltage', function: 4, address: 2, dataType: 'uint16', scale: 0.1 },
  { identifier: 'power', function: 4, address: 3, dataType: 'float32', byteOrder: 'CDAB' },
  { identifier: 'run_hours', function: 4, address: 5, dataType: 'uint32', scale: 0.01 },
  { identifier: 'temperature', function: 4, address: 7, dataType: 'int16', scale: 0.1 },
  { identifier: 'fault_code', function: 4, address: 8, dataType: 'uint16' },
]

/** Address of a drive on its line, as it leaves the factory. */
export const DRIVE_SLAVE = 1
/** A master that asked for nothing for so long is gone. */
const SILENCE_MS = 90_000
/** One poll asks several questions: they see one moment. */
const MOMENT_MS = 500

/** A device behind a DTU that only answers: its Modbus master reads its registers and writes them. */
export class ModbusDevice implements FleetDevice {
  readonly config: FleetDeviceConfig
  readonly simulation: SimulatedDevice
  readonly inFlight = 0
  readonly #context: FleetDeviceContext
  readonly #link: TcpLink
  readonly #tables: SlaveTables
  #questions = new QuestionReader()

  constructor(
    config: FleetDeviceConfig,
    simulation: SimulatedDevice,
    context: FleetDeviceContext & { tcp: Address | null },
  ) {
    this.config = config
    this.simulation = simulation
    this.#context = context
    this.#tables = tablesOf(DRIVE_REGISTERS, {
      report: () => simulation.report(),
      set: params => {
        const done = simulation.set(params).code === 0
        if (done) context.counters.commands++
        return done
      },
    })
    this.#link = new TcpLink(
      {
        address: context.tcp,
        register: `${config.productKey}/${config.deviceNo}/${config.deviceSecret}\r\n`,
        heartbeat: null,
        silenceMs: SILENCE_MS,
        random: context.random,
        now: context.now,
      },
      {
        ready: () => {
          this.#questions = new QuestionReader()
        },
        data: bytes => this.#asked(bytes),
      },
      context.firstConnectAt,
    )
  }

  get connected(): boolean {
    return this.#link.ready
  }

  tick(now: number): void {
    this.#link.tick(now)
  }

  stop(): Promise<void> {
    return this.#link.stop()
  }

  #asked(bytes: Buffer): void {
    const { counters, now } = this.#context
    for (const { slave, pdu } of this.#questions.push(bytes)) {
      // Others on the line are not ours to answer for; a broadcast (0) is not answered by anybody.
      if (slave !== DRIVE_SLAVE) continue
      const at = now()
      if (at - this.simulation.at >= MOMENT_MS) this.simulation.advance(at)
      if (this.#link.write(rtuFrame(slave, answerTo(pdu, this.#tables)))) counters.sent++
      else counters.skipped++
    }
  }
}

/** A device's values as a slave shows them, by its manual. */
export function tablesOf(
  registers: readonly RegisterLine[],
  device: { report(): Values; set(params: Values): boolean },
): SlaveTables {
  const lineAt = (table: number, address: number) =>
    registers.find(line => line.function === table && address >= line.address && address < line.address + sizeOf(line))
  const wordAt = (table: number, address: number) => {
    const line = lineAt(table, address)
    return line && toWords(line, device.report()[line.identifier])[address - line.address]
  }
  const write = (
    table: number,
    address: number,
    count: number,
    read: (from: number, line: RegisterLine) => unknown,
  ) => {
    const params: Values = {}
    for (let at = address; at < address + count; ) {
      const line = lineAt(table, at)
      // Half of a value cannot be written.
      if (line?.address !== at || at + sizeOf(line) > address + count) return ILLEGAL_ADDRESS
      params[line.identifier] = read(at - address, line)
      at += sizeOf(line)
    }
    return device.set(params) ? 0 : ILLEGAL_VALUE
  }
  return {
    coil: address => {
      const line = lineAt(1, address)
      return line && device.report()[line.identifier] === true
    },
    holding: address => wordAt(3, address),
    input: address => wordAt(4, address),
    writeCoils: (address, values) => write(1, address, values.length, from => values[from]),
    writeHolding: (address, words) =>
      write(3, address, words.length, (from, line) => fromWords(line, words.slice(from, from + sizeOf(line)))),
  }
}

function sizeOf({ dataType }: RegisterLine): number {
  return dataType === 'uint32' || dataType === 'float32' ? 2 : 1
}

function toWords(line: RegisterLine, value: unknown): number[] {
  const { dataType, scale = 1 } = line
  const bytes = Buffer.alloc(4)
  const raw = Math.round(Number(value) / scale)
  if (dataType === 'float32') bytes.writeFloatBE(Number(value) / scale)
  else if (dataType === 'uint32') bytes.writeUInt32BE(held(raw, 0, 0xffff_ffff))
  else if (dataType === 'int16') bytes.writeInt16BE(held(raw, -0x8000, 0x7fff))
  else bytes.writeUInt16BE(held(raw, 0, 0xffff))
  const words = [bytes.readUInt16BE(0), bytes.readUInt16BE(2)].slice(0, sizeOf(line))
  return line.byteOrder === 'CDAB' ? words.reverse() : words
}

function fromWords(line: RegisterLine, words: readonly number[]): number {
  const { dataType, scale = 1 } = line
  const [high = 0, low = 0] = line.byteOrder === 'CDAB' ? words.toReversed() : words
  const bytes = Buffer.alloc(4)
  bytes.writeUInt16BE(high, 0)
  bytes.writeUInt16BE(low, 2)
  if (dataType === 'float32') return bytes.readFloatBE() * scale
  if (dataType === 'uint32') return bytes.readUInt32BE() * scale
  return (dataType === 'int16' ? bytes.readInt16BE() : high) * scale
}

/** A register that is full shows its last value; it does not begin again. */
function held(raw: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, raw))
}
