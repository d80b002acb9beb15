import type { FenceShape as GivenShape } from '@thingwright/contracts/geofences.contract'
import { type FenceShape, fenceProblems, SCOPE_FIELDS, type Scope } from '@thingwright/rules'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { isUuid } from '../../lib/ids.ts'
import { namesOf } from './geofences.repo.ts'

type Fields = Record<string, { code: string; params?: Record<string, unknown> }>

function refuse(fields: Fields): never {
  throw new AppError('geofence.invalid', { fields })
}

/** A shape that is one. @throws AppError geofence.invalid with every field that is wrong */
export function checkedShape(given: GivenShape): FenceShape {
  const problems = fenceProblems(given)
  if (problems.length > 0)
    refuse(
      Object.fromEntries(
        problems.map(({ path, code, params }) => [
          `shape.${path}`,
          code === 'missing' ? { code: 'field.required' } : { code: `geofence.${code}`, params },
        ]),
      ),
    )
  const { kind, centre, radius = 0, points = [] } = given
  const plain = ({ lng, lat }: { lng: number; lat: number }) => ({ lng, lat })
  return kind === 'circle' ? { kind, centre: plain(centre!), radius } : { kind, points: points.map(plain) }
}

/** Devices of a fence: one way to choose them, of what the caller may see. @throws AppError geofence.invalid */
export async function checkedScope(scope: TenantScope, given: Scope | null | undefined): Promise<Scope | null> {
  if (!given) return null
  const chosen = SCOPE_FIELDS.filter(field => given[field] !== undefined)
  if (chosen.length !== 1)
    refuse({ scope: { code: 'rule.scope_choice', params: { choices: SCOPE_FIELDS.join(', ') } } })
  const field = chosen[0]!
  const values = [...new Set(given[field])]
  if (values.length === 0) refuse({ [`scope.${field}`]: { code: 'field.required' } })
  if (field !== 'tags') {
    const known = await namesOf(scope, field, values.filter(isUuid))
    const missing = values.findIndex(id => !known.has(id))
    if (missing >= 0) refuse({ [`scope.${field}.${missing}`]: { code: 'trigger.scope_unknown' } })
  }
  return { [field]: values }
}
