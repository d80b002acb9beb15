import type { ModbusRegister } from '@thingwright/contracts/format-schemas'
import { compileModel, emptyModel } from '@thingwright/thing-model'
import { describe, expect, it } from 'vitest'
import fc from '../../../lib/testing/fast-check.ts'
import {
  buildRtu,
  buildTcp,
  compileRegisters,
  dataBytes,
  decodeRegisters,
  encodeWrite,
  parseResponse,
  parseRtu,
  parseTcp,
  planReads,
  readPdu,
  writePdu,
} from './index.ts'

const model = compileModel(emptyModel())
const line = (over: Partial<ModbusRegister>): ModbusRegister => ({
  identifier: 'a',
  function: 3,
  address: 0,
  dataType: 'uint16',
  ...over,
})
const compile = (...lines: Partial<ModbusRegister>[]) => compileRegisters(lines.map(line), model)
const planOf = (...lines: Partial<ModbusRegister>[]) =>
  planReads(compile(...lines), { slave: 1 }).map(({ slave, function: code, address, quantity, registers }) => [
    slave,
    code,
    address,
    quantity,
    registers.length,
  ])

describe('the plan of reads', () => {
  it('reads neighbours together, over up to eight unused registers', () => {
    expect(planOf({ address: 0 }, { address: 1, dataType: 'float32' }, { address: 11 })).toEqual([[1, 3, 0, 12, 3]])
    expect(planOf({ address: 0 }, { address: 10 })).toEqual([
      [1, 3, 0, 1, 1],
      [1, 3, 10, 1, 1],
    ])
  })

  it('keeps slaves and functions apart', () => {
    expect(planOf({ address: 1 }, { address: 0, slave: 2 }, { address: 0, function: 4 }, { address: 0 })).toEqual([
      [1, 3, 0, 2, 2],
      [1, 4, 0, 1, 1],
      [2, 3, 0, 1, 1],
    ])
  })

  it('asks for at most 125 registers or 2000 coils at once, and never for half a value', () => {
    const many = Array.from({ length: 63 }, (_, i) => ({ address: i * 2, dataType: 'uint32' as const }))
    expect(planOf(...many)).toEqual([
      [1, 3, 0, 124, 62],
      [1, 3, 124, 2, 1],
    ])
    const coils = Array.from({ length: 2_001 }, (_, address) => ({ function: 1, address, dataType: 'bool' as const }))
    expect(planOf(...coils)).toEqual([
      [1, 1, 0, 2_000, 2_000],
      [1, 1, 2_000, 1, 1],
    ])
  })

  it('covers every line exactly once, whatever the table', () => {
    const anyLine = fc.record({
      address: fc.nat(400),
      slave: fc.integer({ min: 1, max: 2 }),
      dataType: fc.constantFrom('int16', 'float32', 'float64'),
    })
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 60 }), lines => {
        const registers = compile(...(lines as Partial<ModbusRegister>[]))
        const plan = planReads(registers, { slave: 1 })
        expect(plan.flatMap(request => request.registers).length).toBe(registers.length)
        for (const { address, quantity, registers: inside } of plan) {
          expect(quantity).toBeLessThanOrEqual(125)
          for (const register of inside) {
            expect(register.address).toBeGreaterThanOrEqual(address)
            expect(register.address + register.size).toBeLessThanOrEqual(address + quantity)
          }
        }
      }),
    )
  })
})

describe('values', () => {
  it('come back as they were written, in every type and order', () => {
    const types = ['int16', 'uint16', 'bits16', 'int32', 'uint32', 'float32', 'float64', 'bcd16', 'bcd32'] as const
    for (const dataType of types)
      for (const byteOrder of ['ABCD', 'BADC', 'CDAB', 'DCBA'] as const)
        fc.assert(
          fc.property(fc.nat(9_999), value => {
            const registers = compile({ dataType, byteOrder })
            const written = encodeWrite(registers, { a: value }, 1)
            if (!written.ok) throw new Error(written.detail)
            const [request] = planReads(registers, { slave: 1 })
            expect(decodeRegisters(request!, written.writes[0]!.data).values).toEqual({ a: value })
          }),
          { numRuns: 20 },
        )
  })

  it('a line whose data is missing or no value of its type is left out and named', () => {
    const registers = compile({ dataType: 'bcd16' }, { identifier: 'b', address: 1, dataType: 'float32' })
    const [request] = planReads(registers, { slave: 1 })
    expect(decodeRegisters(request!, Buffer.from('1a3f', 'hex'))).toEqual({
      values: {},
      problems: [
        { identifier: 'a', detail: 'not BCD' },
        { identifier: 'b', detail: 'no data' },
      ],
    })
    expect(decodeRegisters(request!, Buffer.from('12347fc00000', 'hex')).problems).toEqual([
      { identifier: 'b', detail: 'not a finite number' },
    ])
  })

  it('bits of one register are written together, around what stands there', () => {
    const registers = compile(
      { identifier: 'x', dataType: 'bits16', bit: 0 },
      { identifier: 'y', dataType: 'bits16', bit: 15 },
    )
    const written = encodeWrite(registers, { x: true, y: false }, 5)
    expect(written).toMatchObject({ ok: true, writes: [{ slave: 5, modify: { and: 0x7ffe, or: 1 } }] })
    if (!written.ok) return
    expect(writePdu(written.writes[0]!, 0xfff0).toString('hex')).toBe('0600007ff1')
    expect(writePdu(written.writes[0]!).toString('hex')).toBe('1600007ffe0001')
  })

  it('what cannot be written is said by name', () => {
    const refusal = (over: Partial<ModbusRegister>, value: unknown) => {
      const written = encodeWrite(compile(over), { a: value }, 1)
      return written.ok ? 'written' : written.detail
    }
    expect(refusal({ function: 4 }, 1)).toBe('a has no register that can be written')
    expect(refusal({ write: 'none' }, 1)).toBe('a has no register that can be written')
    expect(refusal({}, 65_536)).toBe('a: 65536 is not between 0 and 65535')
    expect(refusal({}, 'x')).toBe('a: not a number')
    expect(refusal({ function: 1, dataType: 'bool' }, 2)).toBe('a: a coil is 0 or 1')
    expect(refusal({ dataType: 'float32' }, 1e300)).toBe('a: beyond a 32 bit float')
  })
})

describe('registers of 64 bits', () => {
  const table = (dataType: string, over: object = {}) =>
    compileRegisters(
      [{ identifier: 'energy', function: 3, address: 0, dataType, ...over } as ModbusRegister],
      compileModel(emptyModel()),
    )
  const read = (registers: ReturnType<typeof table>, hex: string) =>
    decodeRegisters(planReads(registers, { slave: 1 })[0]!, Buffer.from(hex, 'hex'))

  it('are read in every order, with all their digits', () => {
    expect(read(table('uint64'), '00000000000186a0').values).toEqual({ energy: 100_000 })
    expect(read(table('uint64', { byteOrder: 'CDAB' }), '86a0000100000000').values).toEqual({ energy: 100_000 })
    expect(read(table('uint64', { byteOrder: 'DCBA' }), 'a086010000000000').values).toEqual({ energy: 100_000 })
    expect(read(table('int64', { scale: 0.01 }), 'ffffffffffffff9c').values).toEqual({ energy: -1 })
    expect(read(table('uint64'), 'ffffffffffffffff').values).toEqual({ energy: '18446744073709551615' })
    expect(read(table('uint64', { scale: 0.1 }), 'ffffffffffffffff')).toMatchObject({
      values: {},
      problems: [{ identifier: 'energy', detail: 'more digits than a number holds' }],
    })
  })

  it('are written with all their digits, or not at all', () => {
    const write = (dataType: string, value: unknown) => encodeWrite(table(dataType), { energy: value }, 1)
    expect(write('int64', '9223372036854775807')).toMatchObject({
      writes: [{ function: 16, quantity: 4, data: Buffer.from('7fffffffffffffff', 'hex') }],
    })
    expect(write('uint64', 100_000)).toMatchObject({ writes: [{ data: Buffer.from('00000000000186a0', 'hex') }] })
    expect(write('int64', '9223372036854775808')).toMatchObject({ ok: false })
    expect(write('uint64', -1)).toMatchObject({ ok: false })
  })
})

describe('frames', () => {
  // Modbus application protocol 1.1b3 §6.3, and its frame on a serial line.
  const question = readPdu({ function: 3, address: 0x6b, quantity: 3 })

  it('are those of the standard', () => {
    expect(question.toString('hex')).toBe('03006b0003')
    expect(buildRtu(0x11, question).toString('hex')).toBe('1103006b00037687')
    expect(buildTcp(1, 0x11, question).toString('hex')).toBe('0001000000061103006b0003')
  })

  it('an answer is read as soon as it is whole, and not before', () => {
    const answer = Buffer.concat([buildRtu(0x11, Buffer.from('0306022b00000064', 'hex')), Buffer.from('ff')])
    for (let i = 0; i < answer.length - 2; i++) expect(parseRtu(answer.subarray(0, i)).kind).toBe('more')
    const parsed = parseRtu(answer)
    expect(parsed).toMatchObject({ kind: 'frame', length: answer.length - 2, adu: { slave: 0x11 } })
    if (parsed.kind !== 'frame') return
    expect(parseResponse(question, parsed.adu.pdu)).toEqual({ ok: true, data: Buffer.from('022b00000064', 'hex') })
    const tcp = buildTcp(7, 3, Buffer.from('0302abcd', 'hex'))
    expect(parseTcp(tcp)).toMatchObject({ kind: 'frame', length: tcp.length, adu: { slave: 3, transaction: 7 } })
    expect(parseTcp(tcp.subarray(0, 9)).kind).toBe('more')
  })

  it('damaged ones are told apart', () => {
    const answer = buildRtu(1, Buffer.from('0302abcd', 'hex'))
    answer[4]! ^= 1
    expect(parseRtu(answer)).toMatchObject({ kind: 'broken', reason: 'checksum' })
    expect(parseRtu(Buffer.from('0155000000', 'hex'))).toMatchObject({ kind: 'broken', reason: 'header' })
    expect(parseTcp(Buffer.from('0001000100060103', 'hex'))).toMatchObject({ kind: 'broken', reason: 'header' })
    expect(parseTcp(Buffer.from('00010000ffff0103', 'hex'))).toMatchObject({ kind: 'broken', reason: 'header' })
  })

  it('exceptions and answers to something else are no data', () => {
    expect(parseResponse(question, Buffer.from('8302', 'hex'))).toEqual({
      ok: false,
      reason: 'exception',
      exception: 2,
    })
    for (const other of ['', '83', '0406', '0304aabbccdd', '0306aabb'])
      expect(parseResponse(question, Buffer.from(other, 'hex'))).toMatchObject({ ok: false, reason: 'mismatch' })
    const write = Buffer.from('0600010003', 'hex')
    expect(parseResponse(write, Buffer.from('0600010003', 'hex')).ok).toBe(true)
    expect(parseResponse(write, Buffer.from('0600010004', 'hex')).ok).toBe(false)
  })

  it('any bytes are read without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), array => {
        const bytes = Buffer.from(array)
        parseRtu(bytes)
        parseTcp(bytes)
        parseResponse(question, bytes)
        expect(dataBytes({ function: 1, quantity: 9 })).toBe(2)
      }),
    )
  })
})
