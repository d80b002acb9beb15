import { Readable } from 'node:stream'
import {
  DATA_TYPES,
  type DataType,
  type LinearMap,
  type ModelProblem,
  type Property,
  parseModel,
  type StorePolicy,
  type ThingModel,
} from '@thingwright/thing-model'
import type { Ctx } from '../../lib/context.ts'
import type { StreamReply } from '../../lib/http.ts'
import { tableExport } from '../../lib/table-export/table-export.ts'
import type { NumberedRow } from '../../lib/table-import/table-source.ts'
import { trimmedEnd } from '../../lib/trimmed.ts'
import words from './model-sheet.texts.json' with { type: 'json' }

/** Columns of the sheet of properties, in order. A head may be the key or the title in either language. */
const COLUMNS = [
  'identifier',
  'name',
  'ename',
  'type',
  'access',
  'unit',
  'decimals',
  'min',
  'max',
  'step',
  'maxLength',
  'items',
  'group',
  'sort',
  'widget',
  'default',
  'required',
  'history',
  'store',
  'retentionDays',
  'outOfRange',
  'late',
  'mapUp',
  'mapDown',
  'description',
  'spec',
] as const
type Column = (typeof COLUMNS)[number]

/** A row that cannot be taken: its line in the sheet (the head is 1), the column, what is wrong. */
export interface RowProblem {
  row: number
  column: string
  code: string
  params: Record<string, string | number>
}

export interface ReadSheet {
  properties: Property[]
  problems: RowProblem[]
}

const MOST_ROWS = 2_000
const MOST_PROBLEMS = 500

/** Properties out of the rows of a sheet. A row with a problem is left out and reported; the others are taken. */
export async function readModelSheet(rows: AsyncIterable<NumberedRow>): Promise<ReadSheet> {
  const properties: Property[] = []
  const problems: RowProblem[] = []
  const seen = new Set<string>()
  let head: (Column | null)[] | null = null
  let line = 0
  let taken = 0
  for await (const row of rows) {
    line = row.number
    taken++
    const cells = row.cells.map(cell => (typeof cell === 'string' ? cell.trim() : ''))
    if (!head) {
      if (cells.every(cell => cell === '')) continue
      head = cells.map(columnOf)
      if (!head.includes('identifier') || !head.includes('type')) {
        problems.push({ row: line, column: 'identifier', code: 'model.sheet_head', params: {} })
        break
      }
      continue
    }
    if (cells.every(cell => cell === '')) continue
    if (taken > MOST_ROWS || problems.length >= MOST_PROBLEMS) {
      problems.push({ row: line, column: '', code: 'model.too_many', params: { max: MOST_ROWS, count: taken } })
      break
    }
    const texts: Partial<Record<Column, string>> = {}
    head.forEach((column, at) => {
      const text = cells[at]
      if (column && text) texts[column] = text
    })
    const read = readRow(texts)
    if (read.property && seen.has(read.property.identifier))
      read.problems.push({
        column: 'identifier',
        code: 'model.identifier_duplicate',
        params: { identifier: read.property.identifier },
      })
    if (read.problems.length > 0 || !read.property) problems.push(...read.problems.map(p => ({ row: line, ...p })))
    else {
      seen.add(read.property.identifier)
      properties.push(read.property)
    }
  }
  return { properties, problems }
}

const TITLES = new Map<string, Column>(
  COLUMNS.flatMap(column => [
    [column.toLowerCase(), column] as const,
    [words.zh.columns[column].toLowerCase(), column] as const,
    [words.en.columns[column].toLowerCase(), column] as const,
  ]),
)

function columnOf(title: string): Column | null {
  return TITLES.get(trimmedEnd(title, /[\s*]/).toLowerCase()) ?? null
}

type CellProblem = Omit<RowProblem, 'row'>

function readRow(texts: Partial<Record<Column, string>>): { property: Property | null; problems: CellProblem[] } {
  const problems: CellProblem[] = []
  const complain = (column: Column, code: string, params: RowProblem['params'] = {}) => {
    problems.push({ column, code: `model.${code}`, params })
    return undefined
  }
  const number = (column: Column): number | undefined => {
    const text = texts[column]
    if (text === undefined) return undefined
    const value = Number(text)
    return Number.isFinite(value) ? value : complain(column, 'not_number')
  }
  const flag = (column: Column): boolean | undefined => {
    const text = texts[column]?.toLowerCase()
    if (text === undefined) return undefined
    if (['1', 'true', 'yes', 'y', words.zh.yes].includes(text)) return true
    if (['0', 'false', 'no', 'n', words.zh.no].includes(text)) return false
    return complain(column, 'not_boolean')
  }
  const type = texts.type?.toLowerCase()
  const dataType: Record<string, unknown> = {
    type,
    min: type === 'int64' ? texts.min : number('min'),
    max: type === 'int64' ? texts.max : number('max'),
    step: number('step'),
    maxLength: number('maxLength'),
  }
  if (!DATA_TYPES.some(known => known === type)) complain('type', 'type_unknown', { choices: DATA_TYPES.join(', ') })
  if (texts.items !== undefined) readItems(texts.items, dataType, complain)
  if (texts.spec !== undefined) Object.assign(dataType, readJson(texts.spec, complain))
  if (problems.length > 0) return { property: null, problems }
  const result = parseModel({
    properties: [
      {
        identifier: texts.identifier ?? '',
        name: texts.name,
        ename: texts.ename,
        dataType,
        access: texts.access?.toLowerCase(),
        unit: texts.unit,
        decimals: number('decimals'),
        group: texts.group,
        sort: number('sort'),
        widget: texts.widget,
        default: texts.default === undefined ? undefined : readValue(texts.default, type!),
        required: flag('required'),
        history: flag('history'),
        store: texts.store === undefined ? undefined : (readStore(texts.store) ?? complain('store', 'sheet_store')),
        retentionDays: number('retentionDays'),
        outOfRange: texts.outOfRange,
        late: texts.late,
        mapping: mappingOf(texts, column => complain(column, 'sheet_line')),
        description: texts.description,
      },
    ],
  })
  if (problems.length > 0) return { property: null, problems }
  if (result.ok) return { property: result.model.properties[0]!, problems }
  return { property: null, problems: result.problems.map(cellProblem) }
}

function mappingOf(
  { mapUp, mapDown }: Partial<Record<Column, string>>,
  complain: (column: Column) => undefined,
): { up?: LinearMap; down?: LinearMap } | undefined {
  if (mapUp === undefined && mapDown === undefined) return undefined
  const up = mapUp === undefined ? undefined : (readLine(mapUp) ?? complain('mapUp'))
  const down = mapDown === undefined ? undefined : (readLine(mapDown) ?? complain('mapDown'))
  return { ...(up ? { up } : {}), ...(down ? { down } : {}) }
}

/** `properties[0].dataType.min` → column `min`. */
function cellProblem({ path, code, params }: ModelProblem): CellProblem {
  const field = path.replace(/^properties\[0\]\.?/, '')
  const last = field.split('.').pop() ?? ''
  const column: Column | undefined = field.startsWith('mapping.up')
    ? 'mapUp'
    : field.startsWith('mapping.down')
      ? 'mapDown'
      : field.startsWith('mapping')
        ? 'mapUp'
        : field.startsWith('store')
          ? 'store'
          : /^dataType\.items/.test(field)
            ? 'items'
            : /^dataType\.(fields|element)/.test(field)
              ? 'spec'
              : COLUMNS.find(name => name === last)
  return { column: column ?? field, code: `model.${code}`, params }
}

/** `0=off;1=on` of an enum; of a bool the two words. */
function readItems(
  text: string,
  dataType: Record<string, unknown>,
  complain: (column: Column, code: string) => undefined,
): void {
  const items = text
    .split(/[;；\n]+/)
    .map(part => part.trim())
    .filter(Boolean)
    .map(part => {
      const at = part.search(/[=:：]/)
      const value = (at < 0 ? part : part.slice(0, at)).trim()
      return { value, name: at < 0 ? value : part.slice(at + 1).trim() }
    })
  if (dataType.type === 'bool') {
    dataType.falseText = items.find(item => item.value === '0')?.name
    dataType.trueText = items.find(item => item.value === '1')?.name
  } else if (dataType.type === 'enum') {
    const numeric = items.every(item => item.value !== '' && Number.isFinite(Number(item.value)))
    dataType.items = items.map(({ value, name }) => ({ value: numeric ? Number(value) : value, name }))
  } else complain('items', 'sheet_items')
}

function readJson(text: string, complain: (column: Column, code: string) => undefined): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Said below: what a cell holds is a person's text.
  }
  complain('spec', 'not_object')
  return {}
}

function readValue(text: string, type: string): unknown {
  if (['string', 'file', 'bytes', 'colour'].includes(type)) return text
  if (type === 'bool') return ['1', 'true', words.zh.yes].includes(text.toLowerCase())
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** `change`, `change max 3600`, `interval 60`, `deadband 0.5`, `deadband 2% max 3600` */
export function readStore(text: string): StorePolicy | null {
  const [, mode, amount, percent, max] =
    /^(every|change|interval|deadband)(?:\s+(\d+(?:\.\d+)?)(%?))?(?:\s+max\s+(\d+(?:\.\d+)?))?$/i.exec(text.trim()) ??
    []
  if (!mode) return null
  const name = mode.toLowerCase() as StorePolicy['mode']
  const number = amount === undefined ? undefined : Number(amount)
  return {
    mode: name,
    ...(name === 'interval' && number !== undefined ? { seconds: number } : {}),
    ...(name === 'deadband' && number !== undefined ? { band: number } : {}),
    ...(name === 'deadband' && percent === '%' ? { percent: true } : {}),
    ...(max === undefined ? {} : { maxSeconds: Number(max) }),
  }
}

function storeText(store: StorePolicy | undefined): string {
  if (!store) return ''
  const amount = store.seconds ?? store.band
  return [
    store.mode,
    amount === undefined ? '' : `${amount}${store.percent ? '%' : ''}`,
    store.maxSeconds === undefined ? '' : `max ${store.maxSeconds}`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** `0,0;4095,100` */
export function readLine(text: string): LinearMap | null {
  // Of what stands between two numbers the last dashes belong to the second.
  const numbers = text
    .replaceAll(/[\s,;；，>→-]+/g, between => {
      const separator = trimmedEnd(between, /-/)
      return separator === '' ? between : `\n${between.slice(separator.length)}`
    })
    .split('\n')
    .filter(part => part !== '')
  if (numbers.length !== 4) return null
  const [x1, y1, x2, y2] = numbers.map(Number) as [number, number, number, number]
  return [x1, y1, x2, y2].every(Number.isFinite) ? { x1, y1, x2, y2 } : null
}

const lineText = (line: LinearMap | undefined) => (line ? `${line.x1},${line.y1};${line.x2},${line.y2}` : '')

/** Properties as a workbook. */
export function modelSheet(ctx: Ctx, model: ThingModel, fileName: string): Promise<StreamReply> {
  const titles = words[ctx.locale].columns
  return tableExport({
    format: 'xlsx',
    fileName,
    columns: COLUMNS.map(key => ({ key, title: titles[key] })),
    rows: Readable.from(model.properties.map(toRow)),
  })
}

function toRow(property: Property): Record<string, unknown> {
  const { dataType, mapping } = property
  const type = dataType as DataType & Record<string, unknown>
  const text = (value: unknown) => (value === undefined ? '' : String(value))
  return {
    ...Object.fromEntries(COLUMNS.map(column => [column, ''])),
    identifier: property.identifier,
    name: property.name,
    ename: property.ename ?? '',
    type: dataType.type,
    access: property.access,
    unit: property.unit ?? '',
    decimals: text(property.decimals),
    min: text(type.min),
    max: text(type.max),
    step: text(type.step),
    maxLength: text(type.maxLength),
    items: itemsText(dataType),
    group: property.group ?? '',
    sort: text(property.sort),
    widget: property.widget ?? '',
    default: property.default === undefined ? '' : defaultText(property.default),
    required: property.required ? '1' : '',
    history: property.history === false ? '0' : '',
    store: storeText(property.store),
    retentionDays: text(property.retentionDays),
    outOfRange: property.outOfRange ?? '',
    late: property.late ?? '',
    mapUp: lineText(mapping?.up),
    mapDown: lineText(mapping?.down),
    description: property.description ?? '',
    spec: specText(dataType),
  }
}

const defaultText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function itemsText(dataType: DataType): string {
  if (dataType.type === 'enum') return dataType.items.map(({ value, name }) => `${value}=${name}`).join(';')
  if (dataType.type !== 'bool' || (!dataType.falseText && !dataType.trueText)) return ''
  return `0=${dataType.falseText ?? '0'};1=${dataType.trueText ?? '1'}`
}

/** What no column holds: the inside of structs and arrays, the kind of a file. */
function specText(dataType: DataType): string {
  if (dataType.type === 'struct') return JSON.stringify({ fields: dataType.fields })
  if (dataType.type === 'array') return JSON.stringify({ element: dataType.element, maxItems: dataType.maxItems })
  return dataType.type === 'file' && dataType.kind ? JSON.stringify({ kind: dataType.kind }) : ''
}

/** Two rows to begin with. */
export function exampleModel(ctx: Ctx): ThingModel {
  const { examples } = words[ctx.locale]
  return {
    properties: [
      {
        identifier: 'temperature',
        name: examples.temperature,
        dataType: { type: 'double', min: -40, max: 125 },
        access: 'r',
        unit: '°C',
        decimals: 1,
        store: { mode: 'deadband', band: 0.5, maxSeconds: 3600 },
        mapping: { up: { x1: 0, y1: -40, x2: 4095, y2: 125 } },
      },
      {
        identifier: 'speed',
        name: examples.speed,
        dataType: {
          type: 'enum',
          items: [
            { value: 0, name: examples.off },
            { value: 1, name: examples.low },
            { value: 2, name: examples.high },
          ],
        },
        access: 'rw',
        widget: 'levels',
      },
    ],
    events: [],
    services: [],
  }
}
