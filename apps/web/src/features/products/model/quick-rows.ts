import { type Property, parseModel, type SensorKindName, sensorKind } from '@thingwright/thing-model'
import { suggestIdentifier } from './model-edit.ts'

/** One line of the quick mode: a kind everybody knows, a name, and the few words that kind needs. */
export interface QuickRow {
  /** Identity on the screen. */
  key: number
  kind: SensorKindName
  name: string
  /** Empty: made from the name. */
  identifier: string
  unit: string
  /** Names of the levels or of off and on, separated by commas. */
  words: string
}

/** Words of a row, whichever comma they were typed with. */
export function splitWords(text: string): string[] {
  return text
    .split(/[,\uff0c\u3001;\uff1b]/)
    .map(word => word.trim())
    .filter(word => word !== '')
}

/** The property a row stands for, under an identifier that is free. */
export function propertyOfRow(row: QuickRow, taken: readonly string[]): Property {
  const { kind, dataType, access, widget, decimals } = sensorKind(row.kind)
  const words = splitWords(row.words)
  const name = row.name.trim()
  const type =
    dataType.type === 'enum' && words.length > 0
      ? { ...dataType, items: words.map((word, at) => ({ value: at + 1, name: word })) }
      : dataType.type === 'bool' && words.length >= 2
        ? { ...dataType, falseText: words[0]!, trueText: words[1]! }
        : dataType
  const unit = row.unit.trim()
  return {
    identifier: row.identifier.trim() || suggestIdentifier(name, kind, taken),
    name,
    dataType: type,
    access,
    widget,
    ...(decimals === undefined ? {} : { decimals }),
    ...(unit === '' || kind !== 'number' ? {} : { unit }),
  }
}

export interface QuickResult {
  properties: Property[]
  /** Complaints by the key of the row: codes of the model's problems, or `name_missing`. */
  problems: Map<number, string>
}

/** All rows as properties; rows without any word are left out. `taken` are the identifiers already in the model. */
export function readRows(rows: readonly QuickRow[], taken: readonly string[] = []): QuickResult {
  const properties: Property[] = []
  const problems = new Map<number, string>()
  const used = [...taken]
  for (const row of rows) {
    if (row.name.trim() === '' && row.identifier.trim() === '') continue
    if (row.name.trim() === '') {
      problems.set(row.key, 'name_missing')
      continue
    }
    const property = propertyOfRow(row, used)
    const parsed = parseModel({ properties: [property] })
    if (!parsed.ok) problems.set(row.key, parsed.problems[0]!.code)
    else if (used.includes(property.identifier)) problems.set(row.key, 'identifier_duplicate')
    used.push(property.identifier)
    properties.push(property)
  }
  return { properties, problems }
}
