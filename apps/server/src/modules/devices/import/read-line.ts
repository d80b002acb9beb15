import type { ImportField } from '@thingwright/contracts/device-imports.contract'
import type { Attributes } from '@thingwright/contracts/devices.contract'
import type { ErrorCode } from '@thingwright/contracts/errors'
import type { TableRow } from '../../../lib/table-import/table.ts'
import { writtenName } from '../../../lib/written-name.ts'
import { namedOnce } from '../attributes.ts'

/** What a line of a table says of a device; what it does not say is absent and stays as it is. */
export interface DeviceLine {
  deviceNo: string
  name?: string
  /** Name or key, as it stands there. */
  product?: string
  groupPath?: string[]
  tags?: string[]
  attributes?: Attributes
  description?: string
  location?: { lng: number; lat: number; address?: string }
  offlineDelaySeconds?: number
  /** User name or name of the end user whose it is. */
  user?: string
}

export interface Problem {
  field: ImportField | 'line'
  code: ErrorCode
  params?: Record<string, unknown>
}

export type ReadLine = { ok: true; line: DeviceLine } | { ok: false; problems: Problem[] }

/** Columns whose digits are a name, not a count. */
const DIGITS_FIELDS: ReadonlySet<ImportField> = new Set(['deviceNo'])
/** `8.65E+14`, `865432012345678.0`: as spreadsheets and data frames write what they take for a number. */
const MANGLED = /^\d+(?:\.\d+)?e\+?\d+$|^\d+[.,]0+$/i

function digitsLost(field: ImportField, value: string): Problem {
  return { field, code: 'import.digits_lost', params: { value: value.slice(0, 64) } }
}

const NUMBER = /^[A-Za-z0-9_.:-]{1,64}$/
const LONGEST: Partial<Record<ImportField, number>> = {
  name: 64,
  description: 1000,
  address: 256,
  user: 128,
  product: 64,
}
const MAX_TAGS = 20
const MAX_TAG = 32
const MAX_ATTRIBUTES = 32
const ATTRIBUTE = { name: 32, value: 256 }
const GROUP_NAME = 64
const GROUP_LEVELS = 8
const SHOWN = 64

/** `name: value`, as the export writes it, or `name=value`; null: neither, or too long. */
function pairOf(text: string): Attributes[number] | null {
  const at = text.search(/[:：=＝]/)
  const [name, value] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()]
  return at > 0 && name !== '' && [...name].length <= ATTRIBUTE.name && [...value].length <= ATTRIBUTE.value
    ? { name, value }
    : null
}

/** Reads one line by the columns that a person assigned; all that is wrong with it is told at once. */
export function readLine(row: TableRow, columns: readonly (ImportField | null)[], decimalComma = false): ReadLine {
  const problems: Problem[] = []
  const texts = new Map<ImportField, string>()
  for (const [at, field] of columns.entries()) {
    if (field === null) continue
    const cell = row[at] ?? ''
    if (typeof cell !== 'string') {
      problems.push('lost' in cell ? digitsLost(field, cell.lost) : { field, code: 'import.formula' })
      continue
    }
    const text = cell.trim()
    // A number that a spreadsheet made of digits: what stood there before nobody knows.
    if (DIGITS_FIELDS.has(field) && MANGLED.test(text)) {
      problems.push(digitsLost(field, text))
      continue
    }
    if (text === '') continue
    const name = field === 'name' ? writtenName(text) : text
    if (name === null) {
      problems.push({ field, code: 'import.control' })
      continue
    }
    if (name === '') continue
    const longest = LONGEST[field]
    if (longest !== undefined && [...text].length > longest)
      problems.push({ field, code: 'import.too_long', params: { limit: longest } })
    else texts.set(field, name)
  }
  const wrong = (field: ImportField, value: string) =>
    problems.push({ field, code: 'import.invalid', params: { value: value.slice(0, SHOWN) } })
  const text = (field: ImportField) => texts.get(field)

  const deviceNo = text('deviceNo')
  if (deviceNo === undefined) {
    if (!problems.some(({ field }) => field === 'deviceNo'))
      problems.push({ field: 'deviceNo', code: 'import.required' })
  } else if (!NUMBER.test(deviceNo)) wrong('deviceNo', deviceNo)

  const tags = text('tags')
    ?.split(/[,，;；、|]/)
    .map(tag => tag.trim())
    .filter(Boolean)
  if (tags && (tags.length > MAX_TAGS || tags.some(tag => [...tag].length > MAX_TAG))) wrong('tags', text('tags')!)

  const pairs = text('attributes')
    ?.split(/[;；\n]/)
    .map(pairOf)
  const attributes = pairs?.filter(pair => pair !== null)
  if (pairs && (pairs.includes(null) || pairs.length > MAX_ATTRIBUTES)) wrong('attributes', text('attributes')!)

  const groupPath = text('group')
    ?.split(/[/\\>＞]/)
    .map(name => name.trim())
    .filter(Boolean)
  if (groupPath && (groupPath.length > GROUP_LEVELS || groupPath.some(name => [...name].length > GROUP_NAME)))
    wrong('group', text('group')!)

  const coordinate = (field: 'lng' | 'lat', most: number) => {
    const given = text(field)
    if (given === undefined) return undefined
    const value = Number(decimalComma ? given.replace(',', '.') : given)
    if (Number.isFinite(value) && Math.abs(value) <= most) return value
    wrong(field, given)
    return undefined
  }
  const [lng, lat] = [coordinate('lng', 180), coordinate('lat', 90)]
  if (text('lng') !== undefined && text('lat') === undefined) problems.push({ field: 'lat', code: 'import.required' })
  if (text('lat') !== undefined && text('lng') === undefined) problems.push({ field: 'lng', code: 'import.required' })
  const address = text('address')

  const delay = text('offlineDelay')
  const seconds = delay === undefined ? undefined : Number(delay)
  if (delay !== undefined && !(Number.isInteger(seconds) && seconds! >= 10 && seconds! <= 604_800))
    wrong('offlineDelay', delay)

  if (problems.length > 0) return { ok: false, problems }
  const given = <K extends keyof DeviceLine>(key: K, value: DeviceLine[K] | undefined) =>
    value === undefined ? {} : { [key]: value }
  return {
    ok: true,
    line: {
      deviceNo: deviceNo!,
      ...given('name', text('name')),
      ...given('product', text('product')),
      ...given('groupPath', groupPath && groupPath.length > 0 ? groupPath : undefined),
      ...given('tags', tags && [...new Set(tags)]),
      ...given('attributes', attributes && namedOnce(attributes)),
      ...given('description', text('description')),
      ...given(
        'location',
        lng === undefined || lat === undefined ? undefined : { lng, lat, ...(address ? { address } : {}) },
      ),
      ...given('offlineDelaySeconds', seconds),
      ...given('user', text('user')),
    },
  }
}
