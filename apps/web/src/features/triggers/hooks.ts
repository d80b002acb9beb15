import type { TriggerView } from '@thingwright/contracts/triggers.contract'
import type { Property, ThingModel } from '@thingwright/thing-model/model'
import { useCallback, useMemo } from 'react'
import { call, type Query } from '../../lib/api-client.ts'
import { locale } from '../../lib/i18n.ts'
import { useMay } from '../../lib/permissions.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useRead, useReads } from '../../lib/server-state/use-read.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import { nameOf } from '../../ui/schema-form/from-thing-model.ts'
import type { Draft } from './draft.ts'

export const fetchTriggers: FetchPage<TriggerView> = ({ filters, ...input }, signal) =>
  call('triggers.list', { query: { ...input, ...filters } as Query<'triggers.list'>, signal })

export function useTrigger(id: string) {
  const allowed = useMay('triggers.get')
  return useRead('triggers.get', { params: { id } }, { enabled: allowed && id !== '' })
}

/** Takes over a trigger as the server returned it. */
export function useTriggerChanged(): (view: TriggerView) => void {
  const cache = useCache()
  return useCallback(view => cache.put('triggers.get', { params: { id: view.id } }, view), [cache])
}

/** Products and devices whose models are looked at; that is enough to choose from. */
const LOOKED_AT = 5
const MODEL_KEPT = 60_000

export interface ScopeModel {
  properties: readonly Property[]
  events: readonly { identifier: string; name: string; ename?: string }[]
  /** Of the scope's products, where they are known. */
  productIds: readonly string[]
}

/** Properties and events of the devices that a trigger watches; empty where its scope is groups or tags. */
export function useScopeModel(draft: Pick<Draft, 'scopeKind' | 'scope'>): ScopeModel {
  const mayProducts = useMay('products.get')
  const mayDevices = useMay('devices.get')
  const deviceIds = draft.scopeKind === 'devices' ? draft.scope.devices.slice(0, LOOKED_AT) : []
  const ofDevices = useReads(
    'devices.get',
    deviceIds.map(id => ({ params: { id } })),
    { enabled: mayDevices, staleTime: MODEL_KEPT },
  ).flatMap(({ data }) => (data ? [data.productId] : []))
  const productIds = [...new Set(draft.scopeKind === 'products' ? draft.scope.products.slice(0, LOOKED_AT) : ofDevices)]
  const products = useReads(
    'products.get',
    productIds.map(id => ({ params: { id } })),
    { enabled: mayProducts, staleTime: MODEL_KEPT },
  )
  const models = products.map(
    ({ data }) => (data?.publishedModel ?? data?.thingModel ?? null) as Partial<ThingModel> | null,
  )
  const key = products.map(({ data }) => `${data?.id} ${data?.version}`).join()
  const ids = productIds.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: models follow their products' versions
  return useMemo(() => {
    const unique = <T extends { identifier: string }>(list: readonly T[]) => [
      ...new Map(list.map(each => [each.identifier, each])).values(),
    ]
    return {
      properties: unique(models.flatMap(model => model?.properties ?? [])),
      events: unique(models.flatMap(model => model?.events ?? [])),
      productIds: ids === '' ? [] : ids.split(','),
    }
  }, [key, ids])
}

/** Properties as choices: name, identifier, unit. */
export function propertyOptions(properties: readonly Property[]): { value: string; label: string }[] {
  return properties.map(property => {
    const name = nameOf(property, locale() === 'en')
    return {
      value: property.identifier,
      label: name === property.identifier ? name : `${name} · ${property.identifier}`,
    }
  })
}
