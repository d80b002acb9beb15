import {
  FORMAT_FIELDS,
  type FormatBody,
  type LabelFrame,
  type ModbusRegister,
  type ProductFormat,
} from '@thingwright/contracts/format-schemas'
import type { ThingModel } from '@thingwright/thing-model'
import { BY_NAME } from '../codecs/cayenne/cayenne-types.ts'
import { parseJsonPath } from '../codecs/json/json-path.ts'
import { parseLabel } from '../codecs/label/label-grammar.ts'
import { wordsOf } from '../codecs/modbus/registers.ts'
import type { ScriptRunner } from '../codecs/script/script.codec.ts'

/** A mistake in a format: where, and which text says so. */
export interface FormatProblem {
  path: string
  code: string
  params?: Record<string, unknown>
}

export interface CheckedFormat {
  /** As stored: without what does not belong to its kind. */
  format: ProductFormat
  problems: FormatProblem[]
}

/** What a format may name: features of the draft and of the published model. */
class Names {
  readonly properties: ReadonlySet<string>
  private readonly events = new Map<string, Set<string>>()
  private readonly services = new Map<string, Set<string>>()

  constructor(models: readonly ThingModel[]) {
    this.properties = new Set(models.flatMap(model => model.properties.map(property => property.identifier)))
    for (const model of models) {
      for (const { identifier, params } of model.events) add(this.events, identifier, params)
      for (const { identifier, input } of model.services) add(this.services, identifier, input)
    }
  }

  event = (identifier: string) => this.events.get(identifier)
  service = (identifier: string) => this.services.get(identifier)
}

function add(map: Map<string, Set<string>>, identifier: string, params: readonly { identifier: string }[]): void {
  const known = map.get(identifier) ?? new Set()
  for (const param of params) known.add(param.identifier)
  map.set(identifier, known)
}

/**
 * Checks a format as it was sent, after its fields were checked one by one: whether they fit the kind, each other and the
 * thing model; a script is read by the engine.
 */
export async function checkFormat(
  body: FormatBody,
  models: readonly ThingModel[],
  scripts: ScriptRunner,
): Promise<CheckedFormat> {
  const problems: FormatProblem[] = []
  const report = (path: string, code: string, params?: Record<string, unknown>) =>
    void problems.push({ path, code, ...(params ? { params } : {}) })
  // What comes from a file was checked by nobody.
  if (!Object.hasOwn(FORMAT_FIELDS, body.kind)) {
    report('kind', 'field.enum')
    return { format: { kind: 'json' }, problems }
  }
  const own = new Set(['kind', ...FORMAT_FIELDS[body.kind]])
  for (const key of Object.keys(body)) if (!own.has(key)) report(key, 'field.of_other_kind')
  const format = Object.fromEntries(Object.entries(body).filter(([key]) => own.has(key))) as unknown as ProductFormat
  const names = new Names(models)
  const property = (path: string, identifier: string) => {
    if (!names.properties.has(identifier)) report(path, 'field.property_unknown', { identifier })
  }
  switch (format.kind) {
    case 'json':
      checkJson(format, property, report)
      break
    case 'label':
      checkLabel(format, names, property, report)
      break
    case 'modbus':
      if (!format.registers?.length) report('registers', 'field.required')
      for (const [i, register] of (format.registers ?? []).entries())
        checkRegister(register, `registers.${i}`, property, report)
      break
    case 'cayenne':
      for (const [i, channel] of (format.channels ?? []).entries()) {
        property(`channels.${i}.identifier`, channel.identifier)
        if (channel.type !== undefined && !BY_NAME.has(channel.type)) report(`channels.${i}.type`, 'field.enum')
      }
      break
    case 'script':
      if (!format.source?.trim()) report('source', 'field.required')
      else await checkScript(format.source, scripts, report)
  }
  return { format, problems }
}

type Report = (path: string, code: string, params?: Record<string, unknown>) => void
type CheckName = (path: string, identifier: string) => void

function checkJson(format: ProductFormat & { kind: 'json' }, property: CheckName, report: Report): void {
  const path = (where: string, text: string) => {
    if (!parseJsonPath(text)) report(where, 'field.path_invalid', { detail: text.slice(0, 64) })
  }
  for (const [i, value] of (format.values ?? []).entries()) {
    property(`values.${i}.identifier`, value.identifier)
    path(`values.${i}.path`, value.path)
    if (value.scale === 0) report(`values.${i}.scale`, 'field.enum')
  }
  for (const [i, { sensorId }] of (format.flags ?? []).entries()) property(`flags.${i}.sensorId`, sensorId)
  if (format.rows) path('rows', format.rows)
  if (format.device) path('device', format.device)
  if (format.time) path('time.path', format.time.path)
}

function checkLabel(
  format: ProductFormat & { kind: 'label' },
  names: Names,
  property: CheckName,
  report: Report,
): void {
  if (!format.label && !format.frames?.length) report('label', 'field.required')
  if (format.label) {
    const parsed = parseLabel(format.label)
    if (!parsed.ok) report('label', 'field.label_invalid', { detail: parsed.detail })
  }
  for (const [i, identifier] of (format.fields ?? []).entries())
    if (identifier !== '') property(`fields.${i}`, identifier)
  for (const [i, frame] of (format.frames ?? []).entries()) checkFrame(frame, `frames.${i}`, names, report)
}

function checkFrame(frame: LabelFrame, path: string, names: Names, report: Report): void {
  const { event, command, separator, fields } = frame
  if (event && !names.event(event)) report(`${path}.event`, 'field.property_unknown', { identifier: event })
  const service = command?.kind === 'service' ? (command.identifier ?? '') : null
  if (service !== null && !names.service(service))
    report(`${path}.command.identifier`, 'field.property_unknown', { identifier: service })
  const known = event ? names.event(event) : service === null ? names.properties : names.service(service)
  for (const [i, field] of fields.entries()) {
    const at = `${path}.fields.${i}`
    if (field.at === undefined && (field.index === undefined || !separator)) report(`${at}.at`, 'field.required')
    if (field.scale === 0) report(`${at}.scale`, 'field.enum')
    if ((field.role ?? 'value') !== 'value') continue
    if (!field.identifier) report(`${at}.identifier`, 'field.required')
    else if (known && !known.has(field.identifier))
      report(`${at}.identifier`, 'field.property_unknown', { identifier: field.identifier })
  }
}

function checkRegister(register: ModbusRegister, path: string, property: CheckName, report: Report): void {
  property(`${path}.identifier`, register.identifier)
  const bits = register.function <= 2
  if (bits !== (register.dataType === 'bool')) report(`${path}.dataType`, 'field.register_type')
  if (register.bit !== undefined && register.dataType !== 'bits16') report(`${path}.bit`, 'field.of_other_kind')
  const size = bits ? 1 : wordsOf(register.dataType)
  if (register.address + size > 65_536) report(`${path}.address`, 'field.maximum', { limit: 65_536 - size })
  if (register.write === 'single' && size > 1) report(`${path}.write`, 'field.register_single')
  if (register.scale === 0) report(`${path}.scale`, 'field.enum')
}

async function checkScript(source: string, scripts: ScriptRunner, report: Report): Promise<void> {
  const script = scripts.open(source)
  const outcome = await script.run({ kind: 'check' })
  script.close()
  if (!outcome.ok) report('source', 'field.script_invalid', { line: outcome.line ?? 1, detail: outcome.detail })
  else if (outcome.found?.length === 0) report('source', 'field.script_empty')
}
