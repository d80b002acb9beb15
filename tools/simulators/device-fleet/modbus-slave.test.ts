import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DRIVE_REGISTERS, DRIVE_SLAVE, tablesOf } from './modbus-device.ts'
import { answerTo, crc16, QuestionReader, rtuFrame, type SlaveTables } from './modbus-slave.ts'
import type { Values } from './models/physical-model.ts'

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const product = JSON.parse(
  readFileSync(
    new URL('../../../apps/server/src/db/seeds/demo/products/pump-drive.json', import.meta.url).pathname,
    'utf8',
  ),
) as { format: { registers: unknown }; link: { modbus: { slave: number } } }

describe('the frame of the serial line', () => {
  it('carries the sum of the guide (2.5.1.2) and of known frames', () => {
    expect(crc16(bytes('02 07'))).toBe(0x1241)
    expect(rtuFrame(1, bytes('03 0000 000a')).toString('hex')).toBe('01030000000ac5cd')
  })

  it('is found in pieces, one behind the other, and behind noise', () => {
    const read = rtuFrame(1, bytes('03 0000 0002'))
    const write = rtuFrame(1, bytes('10 0000 0002 04 0fa0 00c8'))
    const stream = Buffer.concat([bytes('ff 00'), read, write, read])
    const reader = new QuestionReader()
    const found = [...stream].flatMap(byte => reader.push(Buffer.from([byte])))
    expect(found.map(({ slave, pdu }) => `${slave}:${pdu.toString('hex')}`)).toEqual([
      '1:0300000002',
      '1:1000000002040fa000c8',
      '1:0300000002',
    ])
    expect(new QuestionReader().push(stream)).toHaveLength(3)
  })

  it('with a wrong sum is no question, and the next one is heard', () => {
    const broken = rtuFrame(1, bytes('06 0000 0fa0'))
    broken[5]! ^= 1
    const reader = new QuestionReader()
    expect(reader.push(broken)).toEqual([])
    expect(reader.push(rtuFrame(1, bytes('01 0000 0001')))).toHaveLength(1)
  })

  it('of a function without a known length is heard when it stands alone', () => {
    expect(new QuestionReader().push(rtuFrame(1, bytes('2b 0e 01 00')))).toHaveLength(1)
  })
})

describe('a drive that is asked', () => {
  const values: Values = {}
  let refuses = false
  const tables: SlaveTables = tablesOf(DRIVE_REGISTERS, {
    report: () => values,
    set: params => {
      if (!refuses) Object.assign(values, params)
      return !refuses
    },
  })
  const ask = (hex: string) => answerTo(bytes(hex), tables).toString('hex')
  const now = (more: Values) => {
    refuses = false
    Object.assign(values, { run: true, speed_setpoint: 42.5, ramp_time: 20, frequency: 42.5, current: 31.2 })
    Object.assign(values, { bus_voltage: 537.4, power: 12.5, run_hours: 1_234.56, temperature: -4.2, fault_code: 2 })
    Object.assign(values, more)
  }

  it('has the table that its product is polled by', () => {
    expect(DRIVE_REGISTERS).toEqual(product.format.registers)
    expect(DRIVE_SLAVE).toBe(product.link.modbus.slave)
  })

  it('shows its values as words, the float with its low word first', () => {
    now({})
    expect(ask('01 0000 0001')).toBe('010101')
    expect(ask('03 0000 0002')).toBe('0304109a00c8')
    // 12.5 is 4148 0000; 123456 is 0001 e240; -42 is ffd6
    expect(ask('04 0000 0009')).toBe('0412109a013814fe000041480001e240ffd60002')
  })

  it('takes single and several values, and shows them afterwards', () => {
    now({})
    expect(ask('05 0000 0000')).toBe('0500000000')
    expect(ask('06 0000 0bb8')).toBe('0600000bb8')
    expect(values).toMatchObject({ run: false, speed_setpoint: 30 })
    expect(ask('0f 0000 0001 01 01')).toBe('0f00000001')
    expect(ask('10 0000 0002 04 1194 0032')).toBe('1000000002')
    expect(values).toMatchObject({ run: true, speed_setpoint: 45, ramp_time: 5 })
    expect(ask('03 0000 0002')).toBe('030411940032')
  })

  it.each([
    ['a function it does not have', '02 0000 0001', '8201'],
    ['a question that is cut short', '03 00', '8301'],
    ['a register that it does not have', '03 0001 0002', '8302'],
    ['a coil that it does not have', '01 0001 0001', '8102'],
    ['no registers at all', '04 0000 0000', '8403'],
    ['more registers than an answer holds', '04 0000 007e', '8403'],
    ['a coil that is neither on nor off', '05 0000 1234', '8503'],
    ['a list that is shorter than it says', '10 0000 0002 02 1194', '9003'],
    ['writing what can only be read', '06 0002 0001', '8602'],
  ])('answers with an exception: %s', (_, question, answer) => {
    now({})
    expect(ask(question)).toBe(answer)
  })

  it('answers with an exception what the drive refuses, and keeps its value', () => {
    now({})
    refuses = true
    expect(ask('06 0000 ffff')).toBe('8603')
    expect(values.speed_setpoint).toBe(42.5)
  })

  it('shows the last value of a register that is full', () => {
    now({ current: 9_999, temperature: -9_999 })
    expect(ask('04 0001 0001')).toBe('0402ffff')
    expect(ask('04 0007 0001')).toBe('04028000')
  })
})
