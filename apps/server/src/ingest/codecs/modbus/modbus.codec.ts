import type { ModbusFormat } from '@thingwright/contracts/format-schemas'
import type { CompiledModel } from '@thingwright/thing-model'
import {
  type Codec,
  type CommandToEncode,
  type DecodeResult,
  type EncodeResult,
  type FramePart,
  mismatch,
  notEncodable,
  readBeside,
  unreadable,
} from '../codec.ts'
import { buildRtu, parseRtu, parseTcp } from './adu.ts'
import { dataBytes, decodeRegisters } from './decode.ts'
import { encodeWrite } from './encode.ts'
import { writePdu } from './pdu.ts'
import { planReads, type ReadRequest } from './plan.ts'
import { compileRegisters, type Register } from './registers.ts'

/** The address that a slave has unless somebody changed it. */
const USUAL_SLAVE = 1

/**
 * A register table. Whoever polls uses `registers`; a slave that sends answers unasked (a DTU that polls by itself) is
 * understood when its answer fits exactly one of the questions that the table makes.
 */
export class ModbusCodec implements Codec {
  readonly kind = 'modbus'
  readonly registers: readonly Register[]
  private readonly plan: readonly ReadRequest[]

  constructor(format: ModbusFormat, model: CompiledModel) {
    this.registers = compileRegisters(format.registers, model)
    this.plan = planReads(this.registers, { slave: USUAL_SLAVE })
  }

  decode(frame: Buffer): DecodeResult {
    const answer = this.answerOf(frame)
    if ('ok' in answer) return answer
    const { values, problems } = decodeRegisters(answer.request, answer.data)
    return readBeside(
      [{ values }],
      problems.map(({ identifier, detail }) => unreadable(identifier, detail)),
    )
  }

  explain(frame: Buffer): FramePart[] {
    const answer = this.answerOf(frame)
    if ('ok' in answer) return []
    const { request, data, at } = answer
    const { values } = decodeRegisters(request, data)
    return request.registers.map(register => {
      const place = register.address - request.address
      return {
        identifier: register.identifier,
        role: 'value',
        type: register.dataType,
        at: at + (request.function <= 2 ? place >> 3 : place * 2),
        length: request.function <= 2 ? 1 : register.size * 2,
        value: values[register.identifier],
      }
    })
  }

  /** The question that a frame answers, its data bytes, and where they begin in the frame. */
  private answerOf(frame: Buffer): { request: ReadRequest; data: Buffer; at: number } | DecodeResult {
    const tcp = frame.length > 8 && frame.readUInt16BE(2) === 0 && frame.readUInt16BE(4) === frame.length - 6
    const parsed = tcp ? parseTcp(frame) : parseRtu(frame)
    if (parsed.kind === 'broken' && parsed.reason === 'checksum')
      return { ok: false, reason: 'checksum', path: `@${frame.length - 2}`, detail: 'crc16_modbus differs' }
    if (parsed.kind !== 'frame' || parsed.length !== frame.length)
      return mismatch('', 'not an answer of a Modbus slave')
    const { slave, pdu } = parsed.adu
    if (pdu[0]! > 4) return { ok: true, readings: [] }
    const data = pdu.subarray(2)
    const fitting = this.plan.filter(request => request.function === pdu[0] && dataBytes(request) === data.length)
    const own = fitting.filter(request => request.slave === slave)
    const [request, more] = own.length > 0 ? own : fitting
    if (!request) return mismatch('', `no question of the table has ${data.length} data bytes with function ${pdu[0]}`)
    if (more) return mismatch('', 'answers more than one question of the table; let the platform poll')
    return { request, data, at: tcp ? 9 : 3 }
  }

  encode(command: CommandToEncode): EncodeResult {
    if (command.kind === 'service') return notEncodable('a register table has no services')
    const encoded = encodeWrite(this.registers, command.params, USUAL_SLAVE)
    if (!encoded.ok) return notEncodable(encoded.detail)
    return { ok: true, frames: encoded.writes.map(write => buildRtu(write.slave, writePdu(write))) }
  }
}
