import type { CommandTemplateView } from '@thingwright/contracts/command-templates.contract'
import type { Body } from '../../../lib/api-client.ts'
import type { Values } from '../../../ui/schema-form/field.ts'

export type TemplateBody = CommandTemplateView['body']
export type NewTemplate = Body<'commandTemplates.create'>
type Param = TemplateBody['params'][number]

/** Types of parameters that the form knows; others stay as they are. */
export const PARAM_TYPES = ['int32', 'double', 'bool', 'string', 'bytes'] as const
export const PAYLOAD_KINDS = ['hex', 'modbus', 'text', 'json', 'property_set', 'service'] as const

/** What a new template begins with. */
export const FRESH: Values = {
  kind: 'hex',
  checksum: 'none',
  function: 6,
  address: 0,
  framing: 'rtu',
  params: [],
  confirm: 'auto',
  retries: 0,
  danger: 'none',
  interlock: [],
}

/** A template as the fields of its form. */
export function valuesOf({ code, name, description, body }: CommandTemplateView): Values {
  const { payload, expects, danger } = body
  return {
    ...FRESH,
    code,
    name,
    description,
    ...payloadValues(payload),
    params: body.params.map(param => ({
      identifier: param.identifier,
      name: param.name,
      type: String(param.dataType.type ?? 'int32'),
      ...limits(param),
      ...(param.default === undefined ? {} : { default: JSON.stringify(param.default) }),
    })),
    ...(expects
      ? {
          ...(expects.equals === undefined ? {} : { equals: expects.equals }),
          ...(expects.prefix === undefined ? {} : { prefix: expects.prefix }),
          ...(expects.regex === undefined ? {} : { regex: expects.regex }),
          ...(expects.minLength === undefined ? {} : { minLength: expects.minLength }),
          ...(expects.maxLength === undefined ? {} : { maxLength: expects.maxLength }),
          ...(expects.checksum === undefined ? {} : { answerChecksum: expects.checksum }),
          carriesData: expects.carriesData === true,
        }
      : {}),
    ...(body.timeoutMs === undefined ? {} : { timeoutMs: body.timeoutMs }),
    ...(body.retries === undefined ? {} : { retries: body.retries }),
    ...(body.confirm === undefined ? {} : { confirm: body.confirm }),
    danger: danger?.level ?? 'none',
    ...(danger?.text === undefined ? {} : { dangerText: danger.text }),
    interlock: (body.interlock ?? []).map(each => ({ ...each, value: JSON.stringify(each.value) })),
  }
}

function payloadValues(payload: TemplateBody['payload']): Values {
  switch (payload.kind) {
    case 'hex':
      return { ...payload }
    case 'text':
      return { kind: 'text', text: payload.template }
    case 'json':
      return { kind: 'json', json: payload.template }
    case 'property_set':
      return { kind: 'property_set', properties: payload.values }
    case 'service':
      return { kind: 'service', service: payload.identifier, input: payload.values }
    case 'modbus':
      return { ...payload }
  }
}

function limits({ dataType }: Param): Values {
  const { min, max } = dataType as { min?: number; max?: number }
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

/** The request of a filled form. @param before what the template was: keeps what the form does not show */
export function templateOf(values: Values, before: TemplateBody | null = null): NewTemplate {
  const rows = list(values.params)
  const known = new Map((before?.params ?? []).map(param => [param.identifier, param]))
  const expects = defined({
    equals: values.equals,
    prefix: values.prefix,
    regex: values.regex,
    minLength: values.minLength,
    maxLength: values.maxLength,
    checksum: values.answerChecksum === 'none' ? undefined : values.answerChecksum,
  })
  const interlock = list(values.interlock).map(row => ({
    ...(row as object),
    value: scalarOf(row.value),
  })) as TemplateBody['interlock']
  const body = {
    params: rows.map(row => paramOf(row, known.get(String(row.identifier)))),
    payload: payloadOf(values),
    ...(Object.keys(expects).length > 0 ? { expects: { ...expects, carriesData: values.carriesData === true } } : {}),
    ...defined({ timeoutMs: values.timeoutMs }),
    retries: Number(values.retries),
    ...(values.confirm === 'auto' ? {} : { confirm: values.confirm }),
    ...(values.danger === 'none'
      ? {}
      : { danger: { ...before?.danger, level: values.danger, ...defined({ text: values.dangerText }) } }),
    ...(interlock && interlock.length > 0 ? { interlock } : {}),
  } as TemplateBody
  return {
    code: String(values.code),
    name: String(values.name),
    description: String(values.description ?? ''),
    body,
  }
}

function paramOf(row: Values, before: Param | undefined): Param {
  const type = String(row.type)
  const numeric = type === 'int32' || type === 'double'
  const kept = before && before.dataType.type === type ? before.dataType : { type }
  const { min: _, max: __, ...rest } = kept as Record<string, unknown>
  return {
    ...before,
    identifier: String(row.identifier),
    name: String(row.name || row.identifier),
    dataType: numeric ? { ...rest, ...defined({ min: row.min, max: row.max }) } : kept,
    ...(row.default === undefined || row.default === null || row.default === ''
      ? { default: undefined }
      : { default: type === 'string' || type === 'bytes' ? textOf(row.default) : scalarOf(row.default) }),
  } as Param
}

function payloadOf(values: Values): TemplateBody['payload'] {
  switch (values.kind) {
    case 'text':
      return { kind: 'text', template: String(values.text ?? '') }
    case 'json':
      return { kind: 'json', template: values.json ?? {} }
    case 'property_set':
      return { kind: 'property_set', values: (values.properties ?? {}) as Record<string, unknown> }
    case 'service':
      return {
        kind: 'service',
        identifier: String(values.service ?? ''),
        values: (values.input ?? {}) as Record<string, unknown>,
      }
    case 'modbus':
      return {
        kind: 'modbus',
        function: Number(values.function) as 3,
        address: Number(values.address),
        framing: values.framing === 'tcp' ? 'tcp' : 'rtu',
        ...(defined({ slave: values.slave, quantity: values.quantity, data: values.data }) as { slave?: number }),
      }
    default:
      return {
        kind: 'hex',
        template: String(values.template ?? ''),
        ...(values.checksum === 'none' ? {} : { checksum: values.checksum as 'sum8' }),
        ...(defined({ checksumFrom: values.checksumFrom, tail: values.tail }) as { tail?: string }),
      }
  }
}

/** There is something to look at already. */
export function isWritten({ params, payload }: TemplateBody): boolean {
  if (params.some(param => !param.identifier || param.identifier === 'undefined')) return false
  switch (payload.kind) {
    case 'hex':
    case 'text':
      return payload.template.trim() !== ''
    case 'modbus':
      return payload.function < 5 || Boolean(payload.data)
    case 'service':
      return payload.identifier !== ''
    default:
      return true
  }
}

/** Parameters to look at a template with: defaults, else the smallest that is allowed. */
export function samplesOf(body: TemplateBody): Record<string, unknown> {
  const samples: Record<string, unknown> = {}
  for (const { identifier, dataType, default: fallback } of body.params) {
    if (fallback !== undefined) continue
    const { type, min } = dataType as { type: string; min?: number }
    samples[identifier] =
      type === 'bool' ? true : type === 'string' ? 'A' : type === 'bytes' ? '00' : Math.max(min ?? 0, 0)
  }
  return samples
}

const list = (value: unknown): Values[] => (Array.isArray(value) ? (value as Values[]) : [])

/** `true`, `2` and `"x"` as what they are; anything else as text. */
function scalarOf(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? text : value
  } catch {
    return text
  }
}

const textOf = (value: unknown): string => {
  const scalar = scalarOf(value)
  return typeof scalar === 'string' ? scalar : String(value)
}

function defined(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  )
}
