import { isIdentifier, isReservedIdentifier } from './identifier.ts'
import { LIMITS } from './model.ts'
import { compact, type ModelReader } from './problems.ts'

/** Identifier, name and English name: what every feature of a model begins with. An absent name is the identifier. */
export function parseNaming(
  reader: ModelReader,
  input: Record<string, unknown>,
  path: string,
  seen: Set<string>,
  place: 'property' | 'other',
): { identifier: string; name: string; ename?: string } {
  const raw = input.identifier
  const identifier = typeof raw === 'string' && isIdentifier(raw) ? raw : ''
  const here = `${path}.identifier`
  if (identifier === '') reader.report(here, 'identifier_invalid')
  else if (isReservedIdentifier(identifier, place)) reader.report(here, 'identifier_reserved', { identifier })
  else if (seen.has(identifier)) reader.report(here, 'identifier_duplicate', { identifier })
  seen.add(identifier)
  if (input.name === '') reader.report(`${path}.name`, 'text_missing')
  const name = reader.someText(input.name, `${path}.name`, LIMITS.name) ?? identifier
  return compact({ identifier, name, ename: reader.someText(input.ename, `${path}.ename`, LIMITS.name) })
}
