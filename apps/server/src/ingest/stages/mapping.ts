import { type ModelPolicies, mapNumber } from '@thingwright/thing-model'

/** Values on their way through their lines, and what the device had sent in their place. */
export interface MappedValues {
  values: Record<string, unknown>
  /** Identifier → raw value, of those that have a line. */
  raws: Record<string, unknown>
}

/**
 * Raw values of the device → engineering values. What is no number is left for the check to refuse. The object that was
 * handed in stays as it is.
 */
export function mapUp({ byProperty }: ModelPolicies, sent: Record<string, unknown>): MappedValues {
  const values: Record<string, unknown> = { ...sent }
  const raws: Record<string, unknown> = {}
  for (const identifier in sent) {
    const policy = byProperty.get(identifier)
    const raw = sent[identifier]
    if (!policy?.up || typeof raw !== 'number' || !Number.isFinite(raw)) continue
    values[identifier] = mapNumber(policy.up, policy.dataType, raw)
    raws[identifier] = raw
  }
  return { values, raws }
}
