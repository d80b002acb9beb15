import { MAX_TRIGGERS } from '@thingwright/contracts/triggers.contract'
import { type Action, type RuleDocument, SCOPE_FIELDS, type Scope } from '@thingwright/rules'
import { actorName, type Ctx, ownerIdOf } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { TenantScope } from '../../lib/database/database.ts'
import { AppError, isAppError } from '../../lib/errors.ts'
import { isUuid, newId } from '../../lib/ids.ts'
import { judgedFences } from '../geofences/geofences.views.ts'
import * as stored from './transfer.repo.ts'
import type { TriggerAlarms } from './trigger-alarms.port.ts'
import { fencesOf } from './trigger-fences.ts'
import { otherDevices, readRule } from './trigger-rule.ts'
import * as repo from './triggers.repo.ts'
import { checkWebhook, sealWebhooks } from './webhook-secrets.ts'

/** A trigger as it stands in the file of a company; ids in it are the exporting company's. */
export interface PackedTrigger {
  id: string
  name: string
  description: string
  document: Record<string, unknown>
  enabled: boolean
  expiresAt: string | null
  /** Devices that it names. */
  devices: { id: string; productId: string; deviceNo: string }[]
  /** Names of the products and groups that it names, by id. */
  names: Record<string, string>
}

/** Where what a file names is in this company; undefined: it is not here. */
export interface Here {
  product(id: string): string | undefined
  group(id: string): string | undefined
  page(id: string): string | undefined
  fence(id: string): string | undefined
  device(productId: string, deviceNo: string): Promise<string | undefined>
}

/** Ids that triggers of a file have here. */
export type TriggerPlaces = ReadonlyMap<string, { id: string; isNew: boolean }>

export interface BroughtTrigger {
  what: 'created' | 'replaced' | 'kept'
  id: string
  /** What it names and is not here: it came in disabled. */
  missing: string[]
  /** Secrets of webhooks and receivers of notices are not in the file. */
  isIncomplete: boolean
}

/** Triggers of a company to and from its file. */
export interface TriggerTransfer {
  pack(scope: TenantScope): AsyncGenerator<PackedTrigger>
  /** Before any is brought in, as they may name one another: what is here already has the same name and the same scope. */
  places(scope: TenantScope, lines: readonly PackedTrigger[], here: Here): Promise<TriggerPlaces>
  /** @throws AppError trigger.rule_invalid, trigger.limit */
  bring(
    scope: TenantScope,
    ctx: Ctx,
    line: PackedTrigger,
    to: { here: Here; places: TriggerPlaces; existing: 'keep' | 'replace' },
  ): Promise<BroughtTrigger>
}

export interface TriggerTransferDeps {
  alarms: TriggerAlarms
  box: CryptoBox
  outboundAllow: readonly string[]
  onChanged(ids: readonly string[]): void
}

/** Names that stand in the reason why a trigger came in disabled. */
const MOST_NAMED = 10
const SECRET_HEADER = /auth|cookie|token|key|secret|password|signature/i

export function createTriggerTransfer({ alarms, box, outboundAllow, onChanged }: TriggerTransferDeps): TriggerTransfer {
  return {
    async *pack(scope) {
      for (let after: string | null = null; ; ) {
        const page = await stored.readPage(scope, after)
        if (page.length === 0) return
        after = page.at(-1)!.id
        const ids = page.map(({ document }) => namedOf(document))
        const all = (field: keyof Named) => [...new Set(ids.flatMap(named => named[field]))].filter(isUuid)
        const devices = new Map((await stored.devicesOf(scope, all('devices'))).map(device => [device.id, device]))
        const names = new Map([
          ...(await repo.namesOf(scope, 'productIds', all('products'))),
          ...(await repo.namesOf(scope, 'groupIds', all('groups'))),
          ...(await judgedFences(scope, all('fences'))).map(({ id, name }) => [id, name] as const),
        ])
        for (const [i, { document, expiresAt, ...row }] of page.entries()) {
          const { format: _, ...rule } = document
          const named = ids[i]!
          yield {
            ...row,
            document: { ...rule, ...(rule.actions ? { actions: rule.actions.map(withoutSecretHeaders) } : {}) },
            expiresAt: expiresAt?.toISOString() ?? null,
            devices: named.devices.flatMap(id => devices.get(id) ?? []),
            names: Object.fromEntries(
              [...named.products, ...named.groups, ...named.fences].flatMap(id =>
                names.has(id) ? [[id, names.get(id)!]] : [],
              ),
            ),
          }
        }
      }
    },

    async places(scope, lines, here) {
      const found = new Map<string, { id: string; isNew: boolean }>()
      const taken = new Map<string, string[]>()
      for (const line of lines) {
        const chosen = (line.document.scope ?? {}) as Scope
        const own = repointedScope(chosen, await devicesHere(line, here), here, () => undefined)
        const key = JSON.stringify([line.name, own])
        const but = taken.get(key) ?? []
        const id = await stored.findLike(scope, line.name, own, but)
        if (id !== undefined) taken.set(key, [...but, id])
        found.set(line.id, { id: id ?? newId(), isNew: id === undefined })
      }
      return found
    },

    async bring(scope, ctx, line, { here, places, existing }) {
      const { id, isNew } = places.get(line.id)!
      const done = { id, missing: [], isIncomplete: false }
      if (!isNew && existing === 'keep') return { ...done, what: 'kept' }
      const before = isNew ? undefined : await repo.find(scope, id, true)
      if (isNew && (await repo.count(scope)) >= MAX_TRIGGERS)
        throw new AppError('trigger.limit', { params: { limit: MAX_TRIGGERS } })
      const missing: string[] = []
      const { document, leftOut } = await repointed(line, before?.document, here, places, name => missing.push(name))
      const rule = readRule(document)
      for (const [i, { kind, url }] of (rule.actions ?? []).entries())
        if (kind === 'webhook')
          try {
            checkWebhook(String(url), outboundAllow, `actions[${i}].url`)
          } catch (error) {
            if (!isAppError(error)) throw error
            missing.push(String(url))
          }
      const { rule: own, secrets } = sealWebhooks(box, id, rule, before?.secrets ?? null)
      const lostSecret = (rule.actions ?? []).some(
        ({ hasSecret }, i) => hasSecret === true && own.actions![i]!.hasSecret !== true,
      )
      const what = [...new Set(missing)]
      const shown = [...what.slice(0, MOST_NAMED), ...(what.length > MOST_NAMED ? ['…'] : [])].join(', ')
      const facts = {
        name: line.name,
        description: line.description,
        document: own,
        kind: own.kind,
        enabled: line.enabled && what.length === 0,
        expiresAt: line.expiresAt === null ? null : new Date(line.expiresAt),
        secrets,
        fault: what.length === 0 ? null : { code: 'import_missing', params: { what: shown } },
      }
      if (before) {
        if (before.fault?.code === 'loop') {
          await repo.signal(scope, { kind: 'resumed', triggerId: id, device: null, key: null })
          await alarms.clearOf(scope, ctx, [id], 'loop')
        }
        if (before.enabled && !facts.enabled) await alarms.clearOf(scope, ctx, [id])
        const isSame = JSON.stringify(own) === JSON.stringify(before.document)
        await repo.update(scope, id, { ...facts, ...(isSame ? {} : { ruleVersion: before.ruleVersion + 1 }) })
      } else
        await repo.insert(scope, {
          ...facts,
          id,
          tenantId: scope.tenantId,
          ownerId: ownerIdOf(ctx.actor),
          ownerName: actorName(ctx.actor),
        })
      scope.afterCommit(() => onChanged([id]))
      return {
        what: before ? 'replaced' : 'created',
        id,
        missing: what,
        isIncomplete: lostSecret || leftOut,
      }
    },
  }
}

interface Named {
  devices: string[]
  products: string[]
  groups: string[]
  fences: string[]
}

function namedOf(rule: RuleDocument): Named {
  const { deviceIds = [], productIds = [], groupIds = [] } = rule.scope
  const ofActions = (rule.actions ?? []).flatMap(({ deviceId }) => (typeof deviceId === 'string' ? [deviceId] : []))
  return {
    devices: [...deviceIds, ...otherDevices(rule), ...ofActions],
    products: productIds,
    groups: groupIds,
    fences: [...fencesOf(rule).keys()],
  }
}

/** Headers that may say who calls stay at home, as secrets do. */
function withoutSecretHeaders(action: Action): Action {
  const { headers } = action
  if (action.kind !== 'webhook' || headers === null || typeof headers !== 'object') return action
  const kept = Object.entries(headers).filter(([name]) => !SECRET_HEADER.test(name))
  if (kept.length === Object.keys(headers).length) return action
  return { ...action, headers: Object.fromEntries(kept), headersLeftOut: true }
}

type Lose = (name: string) => void

/** Ids here of the devices that a line names. */
async function devicesHere(line: PackedTrigger, here: Here): Promise<Map<string, { id?: string; deviceNo: string }>> {
  const found = new Map<string, { id?: string; deviceNo: string }>()
  for (const { id, productId, deviceNo } of line.devices) {
    const own = await here.device(productId, deviceNo)
    found.set(id, { deviceNo, ...(own === undefined ? {} : { id: own }) })
  }
  return found
}

/** What is not here keeps its id, which means nothing here, so that a person sees that something stood there. */
function repointedScope(
  chosen: Scope,
  devices: ReadonlyMap<string, { id?: string; deviceNo: string }>,
  here: Here,
  lose: (id: string, name?: string) => void,
): Scope {
  const field = SCOPE_FIELDS.find(name => chosen[name] !== undefined)
  if (field === undefined || field === 'tags') return chosen
  const found = {
    deviceIds: (id: string) => devices.get(id)?.id,
    productIds: here.product,
    groupIds: here.group,
  }[field]
  const ids = (chosen[field] ?? []).map(id => {
    const own = found(id)
    if (own === undefined) lose(id, devices.get(id)?.deviceNo)
    return own ?? id
  })
  return { ...chosen, [field]: ids }
}

/** The rule of a line with ids of this company. */
async function repointed(
  line: PackedTrigger,
  before: RuleDocument | undefined,
  here: Here,
  places: TriggerPlaces,
  lose: Lose,
): Promise<{ document: Record<string, unknown>; leftOut: boolean }> {
  const devices = await devicesHere(line, here)
  const lost = (id: string, name?: string) => lose(name ?? line.names[id] ?? id)
  const device = (id: string) => {
    const own = devices.get(id)?.id
    if (own === undefined) lost(id, devices.get(id)?.deviceNo)
    return own ?? id
  }
  const fence = (id: string) => {
    const own = here.fence(id)
    if (own === undefined) lost(id)
    return own ?? id
  }
  const inCondition = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inCondition)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === 'device' && typeof inner === 'string'
          ? device(inner)
          : key === 'fence' && typeof inner === 'string'
            ? fence(inner)
            : inCondition(inner),
      ]),
    )
  }
  // A replaced trigger keeps what is in no file: receivers of notices and scenes.
  const known = before === undefined ? '' : JSON.stringify(before)
  let leftOut = false
  const action = (value: unknown, i: number): unknown => {
    if (value === null || typeof value !== 'object') return value
    const { loginIds, headersLeftOut, ...given } = value as Record<string, unknown>
    leftOut ||= headersLeftOut === true
    const own: Record<string, unknown> = { ...given }
    if (Array.isArray(loginIds)) {
      const kept = loginIds.filter(id => typeof id === 'string' && known.includes(`"${id}"`))
      leftOut ||= kept.length < loginIds.length
      if (kept.length > 0) own.loginIds = kept
    }
    if (typeof own.deviceId === 'string') own.deviceId = device(own.deviceId)
    if (typeof own.triggerId === 'string') {
      const other = places.get(own.triggerId)?.id
      if (other === undefined) lost(own.triggerId)
      else own.triggerId = other
    }
    if (typeof own.pageId === 'string') {
      const page = here.page(own.pageId)
      if (page === undefined) lost(`actions[${i}].pageId`)
      else own.pageId = page
    }
    if (typeof own.sceneId === 'string' && !known.includes(`"${own.sceneId}"`)) lost(`actions[${i}].sceneId`)
    return own
  }
  const { scope, condition, clear, actions, ...rest } = line.document
  return {
    leftOut,
    document: {
      ...rest,
      scope: repointedScope((scope ?? {}) as Scope, devices, here, lost),
      ...(condition === undefined ? {} : { condition: inCondition(condition) }),
      ...(clear === undefined ? {} : { clear: inCondition(clear) }),
      ...(Array.isArray(actions) ? { actions: actions.map(action) } : {}),
    },
  }
}
