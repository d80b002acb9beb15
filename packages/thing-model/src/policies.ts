import { compileFields, type FieldTable } from './compound-checkers.ts'
import type { DataType, LatePolicy, LinearMap, Property, RangePolicy, StorePolicy } from './model.ts'

/** What the device path does with the values of one property besides checking them. */
export interface PropertyPolicy {
  readonly identifier: string
  readonly dataType: DataType
  readonly up: LinearMap | null
  /** Null: refused by the checker, as ever. */
  readonly outOfRange: Exclude<RangePolicy, 'refuse'> | null
  readonly min: number
  readonly max: number
  readonly store: StorePolicy | null
  readonly late: Exclude<LatePolicy, 'keep'> | null
}

/** Of the properties that have any policy; a model without one has none of this and pays nothing. */
export interface ModelPolicies {
  readonly byProperty: ReadonlyMap<string, PropertyPolicy>
  /** As the model's own checks, but without the bounds of properties whose values out of range are recorded. */
  readonly lenient: FieldTable
  readonly hasStore: boolean
}

/** @param reported the properties a device may report */
export function compilePolicies(reported: readonly Property[]): ModelPolicies | null {
  const byProperty = new Map<string, PropertyPolicy>()
  for (const property of reported) {
    const policy = policyOf(property)
    if (policy) byProperty.set(property.identifier, policy)
  }
  if (byProperty.size === 0) return null
  return {
    byProperty,
    lenient: compileFields(
      reported.map(({ identifier, dataType, outOfRange }) => ({
        identifier,
        dataType: outOfRange === 'bad' ? unbounded(dataType) : dataType,
      })),
    ),
    hasStore: [...byProperty.values()].some(policy => policy.store !== null),
  }
}

function policyOf({ identifier, dataType, mapping, outOfRange, store, late }: Property): PropertyPolicy | null {
  if (!mapping?.up && !outOfRange && !store && !late) return null
  return {
    identifier,
    dataType,
    up: mapping?.up ?? null,
    outOfRange: outOfRange && outOfRange !== 'refuse' ? outOfRange : null,
    ...boundsOf(dataType),
    store: store && store.mode !== 'every' ? store : null,
    late: late && late !== 'keep' ? late : null,
  }
}

function boundsOf(dataType: DataType): { min: number; max: number } {
  const { min, max } = dataType as { min?: number | string; max?: number | string }
  return {
    min: min === undefined ? Number.NEGATIVE_INFINITY : Number(min),
    max: max === undefined ? Number.POSITIVE_INFINITY : Number(max),
  }
}

function unbounded(dataType: DataType): DataType {
  const { min: _min, max: _max, ...rest } = dataType as DataType & { min?: unknown; max?: unknown }
  return rest as DataType
}
