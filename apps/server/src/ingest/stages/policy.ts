import {
  type CompiledModel,
  type ModelPolicies,
  type PropertyPolicy,
  type Refused,
  rawKey,
} from '@thingwright/thing-model'
import { isObject } from '../codecs/shared/envelope.ts'
import { JournalKind, Quality } from '../uplink.ts'
import { mapUp } from './mapping.ts'
import type { StoreMemory } from './store-memory.ts'
import type { EventTime } from './times.ts'

/** Values of one message that share a fate: their quality, and whether history gets them. */
export interface ValueGroup {
  kind: typeof JournalKind.property | typeof JournalKind.latest
  quality: Quality
  values: Record<string, unknown>
}

/** Whose values these are, when they count, and what was stored before; no memory: everything is stored. */
export interface PolicyContext {
  device: number
  time: EventTime
  memory?: StoreMemory
}

/**
 * What the policies of a thing model make of one post: mapped, out of range handled, checked, and divided into what is
 * stored and what is only the latest value. A post of which nothing is left is an empty group: the device was seen.
 */
export function applyPolicies(
  model: CompiledModel,
  policies: ModelPolicies,
  sent: unknown,
  context: PolicyContext,
  check: CompiledModel['checkLeniently'] = model.checkLeniently,
): ValueGroup[] | Refused {
  if (!isObject(sent)) return model.checkProperties(sent) as Refused
  const { values, raws } = mapUp(policies, sent)
  const marks = handleRange(policies, values, raws)
  const checked = check(values)
  if (!checked.ok) return checked
  const groups = new Groups()
  for (const identifier in checked.values) {
    const value = checked.values[identifier]
    const policy = policies.byProperty.get(identifier)
    const quality = qualityOf(policy, context.time, marks.get(identifier))
    if (quality === null) continue
    const stored = !policy?.store || isStored(policy, value, quality, context)
    const group = groups.of(stored ? JournalKind.property : JournalKind.latest, quality)
    group[identifier] = value
    if (Object.hasOwn(raws, identifier)) group[rawKey(identifier)] = raws[identifier]
  }
  return groups.all(context.time.quality)
}

/** Handles numbers beyond their bounds; what is left beyond them is refused or taken by the check. */
function handleRange(
  { byProperty }: ModelPolicies,
  values: Record<string, unknown>,
  raws: Record<string, unknown>,
): ReadonlyMap<string, Quality> {
  const marks = new Map<string, Quality>()
  for (const identifier of Object.keys(values)) {
    const policy = byProperty.get(identifier)
    if (!policy?.outOfRange) continue
    const value = values[identifier]
    const number = numberOf(value)
    if (number === null || (number >= policy.min && number <= policy.max)) continue
    if (policy.outOfRange === 'ignore') delete values[identifier]
    else if (policy.outOfRange === 'bad') marks.set(identifier, Quality.bad)
    else {
      if (!Object.hasOwn(raws, identifier)) raws[identifier] = value
      values[identifier] = nearestBound(policy, number)
      marks.set(identifier, Quality.uncertain)
    }
  }
  return marks
}

/** A number, or the digits of a 64-bit one; null: the check has the word. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? Number(value) : null
}

function nearestBound({ dataType, min, max }: PropertyPolicy, value: number): unknown {
  const below = value < min
  if (dataType.type === 'int64') return below ? dataType.min : dataType.max
  if (dataType.type !== 'int32') return below ? min : max
  return below ? Math.ceil(min) : Math.floor(max)
}

/** Null: left out altogether. */
function qualityOf(policy: PropertyPolicy | undefined, time: EventTime, mark: Quality | undefined): Quality | null {
  let quality = Math.max(time.quality, mark ?? Quality.good) as Quality
  if (time.late && policy?.late === 'ignore') return null
  if (time.late && policy?.late === 'uncertain') quality = Math.max(quality, Quality.uncertain) as Quality
  return quality
}

function isStored(policy: PropertyPolicy, value: unknown, quality: Quality, context: PolicyContext): boolean {
  if (!context.memory || !policy.store) return true
  const reading = { value, ts: context.time.ts, quality }
  return context.memory.isStored(context.device, policy.identifier, policy.store, reading)
}

class Groups {
  private readonly groups: ValueGroup[] = []

  of(kind: ValueGroup['kind'], quality: Quality): Record<string, unknown> {
    let group = this.groups.find(other => other.kind === kind && other.quality === quality)
    if (!group) {
      group = { kind, quality, values: {} }
      this.groups.push(group)
    }
    return group.values
  }

  all(quality: Quality): ValueGroup[] {
    return this.groups.length > 0 ? this.groups : [{ kind: JournalKind.property, quality, values: {} }]
  }
}
