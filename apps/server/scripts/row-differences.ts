/** A column of an answer, as the server describes it. */
export interface Field {
  name: string
  dataTypeID: number
  tableID: number
  columnID: number
}

/** What types say of rows, by the place of the statement: names of columns, and what their values can be. */
export type Rows = Record<string, [name: string, kinds: string[]][]>

/** What the driver makes of PostgreSQL's types (lib/database/database.ts: int8 is a number). */
const KINDS: Record<number, string> = {
  16: 'boolean',
  17: 'Buffer',
  20: 'number',
  21: 'number',
  23: 'number',
  26: 'number',
  700: 'number',
  701: 'number',
  1082: 'Date',
  1114: 'Date',
  1184: 'Date',
}
const JSON_TYPES = [114, 3802]
const ARRAYS = [199, 1000, 1001, 1003, 1005, 1007, 1009, 1015, 1016, 1021, 1022, 1115, 1182, 1185, 1231, 2951, 3807]

/**
 * How a row's type differs from what the statement answers with.
 * @param nullable whether a column can be null, as far as that is known
 */
export function differences(row: Rows[string], fields: Field[], nullable: (field: Field) => boolean): string[] {
  const found: string[] = []
  const typed = new Map(row)
  const names = new Set(fields.map(({ name }) => name))
  for (const [name, kinds] of row)
    if (!names.has(name) && !kinds.includes('undefined')) found.push(`no column "${name}"`)
  for (const field of fields) {
    const kinds = typed.get(field.name)
    if (!kinds) {
      found.push(`column "${field.name}" is not in the row's type`)
      continue
    }
    if (kinds.includes('any')) continue
    const may = kinds.filter(kind => kind !== 'null' && kind !== 'undefined')
    if (!JSON_TYPES.includes(field.dataTypeID)) {
      const is = ARRAYS.includes(field.dataTypeID) ? 'array' : (KINDS[field.dataTypeID] ?? 'string')
      if (may.length > 0 && !may.includes(is))
        found.push(`column "${field.name}" is ${is}, the type says ${may.join(' | ')}`)
    }
    if (nullable(field) && !kinds.includes('null')) found.push(`column "${field.name}" can be null`)
  }
  return found
}
