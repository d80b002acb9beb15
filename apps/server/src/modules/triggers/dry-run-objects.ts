import type { DryRunView } from '@thingwright/contracts/triggers.contract'
import { answerOf, type ObjectKind, type ObjectSource, type RuleDocument, Schedule } from '@thingwright/rules'
import type { TenantScope } from '../../lib/database/database.ts'
import type { ObjectFactsPort } from './object-facts.port.ts'

/** Alarms that the answer lists. */
const LISTED = 2_000

/** The objects that a source is about. */
function kindOf({ type }: ObjectSource): ObjectKind {
  if (type === 'lora.gateway') return 'lora_gateway'
  return type === 'camera.alarm' ? 'camera' : 'sim'
}

/**
 * What a trigger about cards, gateways or cameras says now. How they were before is not recorded as values are, and what
 * happens for a moment (another machine, something that a camera noticed) is not so now: `missing` says both.
 */
export async function dryRunOfObjects(
  scope: TenantScope,
  rule: RuleDocument,
  ports: ReadonlyMap<ObjectKind, ObjectFactsPort>,
  { now, isPast }: { now: number; isPast: boolean },
): Promise<DryRunView> {
  const missing: DryRunView['missing'] = isPast ? ['objects'] : []
  const source = rule.source!
  const kind = kindOf(source)
  if (source.type === 'sim.imei_changed' || source.type === 'camera.alarm') missing.push('moments')
  const facts = (await ports.get(kind)?.facts(scope, now)) ?? []
  const isActive = !rule.active || new Schedule(rule.active, undefined).isActive(now)
  const held = isActive
    ? facts.filter(fact => answerOf(source, { kind, moment: null, values: fact.values }) === true)
    : []
  const actions = (rule.actions ?? []).flatMap((action, index) =>
    action.on === 'clear' ? [] : [{ index, kind: action.kind }],
  )
  const often = (wanted: string) => actions.filter(action => action.kind === wanted).length * held.length
  return {
    from: now,
    to: now,
    devices: 0,
    moreDevices: 0,
    objects: { kind, looked: facts.length },
    rows: facts.length,
    alarms: held.slice(0, LISTED).map(({ name, values }) => ({
      deviceId: null,
      deviceName: name,
      level: rule.alarm?.level ?? null,
      raisedAt: now,
      clearedAt: null,
      count: 1,
      raiseValues: Object.entries(values).map(([property, value]) => ({ deviceId: null, property, value, ts: now })),
      clearValues: [],
    })),
    notices: often('notify'),
    commands: often('command'),
    actions: held
      .slice(0, 1_000)
      .flatMap(() => actions.map(action => ({ deviceId: null, at: now, ...action })))
      .slice(0, 1_000),
    pausedAt: null,
    missing,
    moreAlarms: Math.max(0, held.length - LISTED),
  }
}
