import type { CommandPayload, ReplyPattern, TemplateBody } from '@thingwright/contracts/command-schemas'
import { type CheckResult, type CompiledModel, compileModel, parseModel } from '@thingwright/thing-model'
import { AppError } from '../../../lib/errors.ts'
import { checksumOf, crc16Modbus } from './checksums.ts'
import { FieldError, fieldsIn, renderHex, renderJson, renderText } from './fields.ts'
import { assertPattern } from './reply-pattern.ts'

/** What a template came to: a command of one of the three kinds. */
export interface RenderedCommand {
  kind: 'property_set' | 'service' | 'raw'
  identifier: string | null
  params: Record<string, unknown>
  /** Of kind raw. */
  bytes: Buffer | null
  /** Hex without fields. */
  expects: ReplyPattern | null
}

/** What a template may name besides its parameters. */
export interface TemplateContext {
  deviceNo: string
  /** Address on the bus; null: none. */
  subAddress: string | null
  /** Epoch ms. */
  now: number
}

/** Names that a template may use without declaring them. */
const GIVEN = new Set(['deviceNo', 'slave', 'now'])
const MAX_BYTES = 8192

/**
 * Parameters checked and defaults put in, then the payload written.
 * @throws AppError command.params_invalid for the caller's values; command_template.invalid and pattern.* for the template's
 * own faults
 */
export function renderTemplate(
  body: TemplateBody,
  params: Readonly<Record<string, unknown>>,
  context: TemplateContext,
): RenderedCommand {
  const values = { ...givenValues(context), ...checkParams(body, params) }
  try {
    const { payload } = body
    if (payload.kind === 'property_set')
      return plain('property_set', null, renderJson(payload.values, values, 'values'))
    if (payload.kind === 'service')
      return plain('service', payload.identifier, renderJson(payload.values, values, 'values'))
    const bytes = bytesOf(payload, values)
    if (bytes.length === 0 || bytes.length > MAX_BYTES) throw new FieldError('payload', 'length')
    return { kind: 'raw', identifier: null, params: {}, bytes, expects: expectsOf(body, bytes, values) }
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    const { path, reason } = error
    const name = path.split('.').at(-1) ?? path
    // A value that does not fit its field is the caller's; everything else is the template's.
    if (name in params && (reason === 'range' || reason === 'too_long' || reason === 'hex' || reason === 'bool'))
      throw new AppError('command.params_invalid', {
        params: { path: name, reason, detail: '' },
        fields: { [`params.${name}`]: { code: 'command.params_invalid', params: { path: name } } },
      })
    throw invalid(path, reason)
  }
}

function plain(kind: 'property_set' | 'service', identifier: string | null, params: unknown): RenderedCommand {
  return { kind, identifier, params: params as Record<string, unknown>, bytes: null, expects: null }
}

function givenValues(context: TemplateContext): Record<string, unknown> {
  const slave = Number(context.subAddress ?? 1)
  return {
    deviceNo: context.deviceNo,
    slave: Number.isInteger(slave) ? slave : 1,
    now: Math.floor(context.now / 1000),
  }
}

function bytesOf(payload: CommandPayload, values: Record<string, unknown>): Buffer {
  switch (payload.kind) {
    case 'hex': {
      const body = renderHex(payload.template, values)
      const checksum = checksumOf(payload.checksum ?? 'none', body.subarray(payload.checksumFrom ?? 0))
      return Buffer.concat([body, checksum, renderHex(payload.tail ?? '', {}, 'tail')])
    }
    case 'text':
      return renderText(payload.template, values)
    case 'json':
      return Buffer.from(JSON.stringify(renderJson(payload.template, values)))
    case 'modbus':
      return modbusFrame(payload, values)
    default:
      return Buffer.alloc(0)
  }
}

type ModbusPayload = Extract<CommandPayload, { kind: 'modbus' }>

/** One request of MODBUS Application Protocol 1.1b3 §6, with CRC (RTU) or MBAP head (TCP). */
function modbusFrame(payload: ModbusPayload, values: Record<string, unknown>): Buffer {
  const slave = payload.slave ?? Number(values.slave)
  const data = renderHex(payload.data ?? '', values, 'data')
  const pdu = Buffer.concat([modbusHead(payload, data), payload.function < 5 ? Buffer.alloc(0) : data])
  if (payload.framing === 'tcp') {
    const head = Buffer.alloc(7)
    head.writeUInt16BE(1, 0)
    head.writeUInt16BE(pdu.length + 1, 4)
    head.writeUInt8(slave, 6)
    return Buffer.concat([head, pdu])
  }
  const body = Buffer.concat([Buffer.from([slave]), pdu])
  const crc = Buffer.alloc(2)
  crc.writeUInt16LE(crc16Modbus(body))
  return Buffer.concat([body, crc])
}

function modbusHead(payload: ModbusPayload, data: Buffer): Buffer {
  const { function: code, address, quantity } = payload
  const head = (...words: number[]) => {
    const out = Buffer.alloc(1 + words.length * 2)
    out.writeUInt8(code)
    words.forEach((word, i) => {
      out.writeUInt16BE(word, 1 + i * 2)
    })
    return out
  }
  if (code < 5) return head(address, quantity ?? 1)
  if (code === 5 || code === 6) {
    if (data.length !== 2) throw new FieldError('data', 'length')
    return head(address)
  }
  if (data.length === 0 || data.length > 246 || (code === 16 && data.length % 2 !== 0))
    throw new FieldError('data', 'length')
  const count = code === 16 ? data.length / 2 : (quantity ?? data.length * 8)
  if (code === 15 && Math.ceil(count / 8) !== data.length) throw new FieldError('data', 'length')
  return Buffer.concat([head(address, count), Buffer.from([data.length])])
}

/** What was said, else what Modbus itself answers: the same slave and function, and of writes the same address. */
function expectsOf(body: TemplateBody, bytes: Buffer, values: Record<string, unknown>): ReplyPattern | null {
  const { payload, expects } = body
  if (expects) {
    const { equals, prefix, ...rest } = expects
    assertPattern(rest.regex, 'expects.regex')
    return {
      ...rest,
      ...(equals === undefined ? {} : { equals: renderHex(equals, values, 'equals').toString('hex') }),
      ...(prefix === undefined ? {} : { prefix: renderHex(prefix, values, 'prefix').toString('hex') }),
    }
  }
  if (payload.kind !== 'modbus') return null
  const tcp = payload.framing === 'tcp'
  if (payload.function < 5)
    return tcp
      ? { minLength: 9, carriesData: true }
      : { prefix: bytes.subarray(0, 2).toString('hex'), checksum: 'crc16_modbus_lohi', carriesData: true }
  if (tcp) return { minLength: 9 }
  return { prefix: bytes.subarray(0, 6).toString('hex'), checksum: 'crc16_modbus_lohi', minLength: 8, maxLength: 8 }
}

const compiled = new WeakMap<object, CompiledModel>()

/** The parameters as a service's input: the thing model knows how to check those. */
function inputOf(body: TemplateBody): CompiledModel {
  const known = compiled.get(body)
  if (known) return known
  const input = body.params.map(({ default: _, required, ...param }) => ({ ...param, required: required ?? true }))
  const parsed = parseModel({
    properties: [],
    events: [],
    services: [{ identifier: 'template', name: 'template', input, output: [] }],
  })
  if (!parsed.ok) {
    const [first] = parsed.problems
    throw invalid((first?.path ?? 'params').replace(/^services\[0\]\.input/, 'params'), first?.code ?? 'invalid')
  }
  const model = compileModel(parsed.model)
  compiled.set(body, model)
  return model
}

function checkParams(body: TemplateBody, params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { identifier, default: fallback } of body.params)
    if (params[identifier] === undefined && fallback !== undefined) values[identifier] = fallback
  const result: CheckResult = inputOf(body).checkServiceInput('template', { ...values, ...params })
  if (result.ok) return result.values
  const { path, reason, detail } = result
  throw new AppError('command.params_invalid', {
    params: { path, reason, detail },
    fields: { [path ? `params.${path}` : 'params']: { code: 'command.params_invalid', params: { path } } },
  })
}

/**
 * Everything about a template that can be known before it is used.
 * @throws AppError command_template.invalid with the place and the reason; pattern.* for the expression of its answer
 */
export function checkTemplate(body: TemplateBody): void {
  inputOf(body)
  const names = new Set([...body.params.map(param => param.identifier), ...GIVEN])
  const texts = [JSON.stringify(body.payload), body.expects?.equals ?? '', body.expects?.prefix ?? '']
  for (const field of texts.flatMap(fieldsIn)) if (!names.has(field.name)) throw invalid(field.name, 'param_unknown')
  if (texts.some(text => (text.match(/\{\{/g) ?? []).length !== fieldsIn(text).length))
    throw invalid('payload', 'field_unreadable')
  assertPattern(body.expects?.regex, 'body.expects.regex')
  if (body.confirm === 'read_back' && body.payload.kind !== 'property_set') throw invalid('confirm', 'read_back')
  if (Object.keys(body.expects ?? {}).some(key => key !== 'carriesData') === false && body.expects)
    throw invalid('expects', 'empty')
}

function invalid(path: string, reason: string): AppError {
  return new AppError('command_template.invalid', { params: { path, reason } })
}
