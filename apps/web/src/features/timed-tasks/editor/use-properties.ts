import type { StepScope } from '@thingwright/contracts/timed-tasks.contract'
import type { Property, ThingModel } from '@thingwright/thing-model/model'
import { useMay } from '../../../lib/permissions.ts'
import { useReads } from '../../../lib/server-state/use-read.ts'

/** Things whose models are looked at; that is enough to choose from. */
const LOOKED_AT = 3
const KEPT = 60_000

/** Properties that can be set on the devices of a step; empty where its scope is groups or tags. */
export function useProperties(scope: StepScope): Property[] {
  const ofDevices = useReads(
    'thingModels.deviceModel',
    (scope.deviceIds ?? []).slice(0, LOOKED_AT).map(id => ({ params: { id } })),
    { enabled: useMay('thingModels.deviceModel'), staleTime: KEPT },
  )
  const ofProducts = useReads(
    'products.get',
    (scope.productIds ?? []).slice(0, LOOKED_AT).map(id => ({ params: { id } })),
    { enabled: useMay('products.get'), staleTime: KEPT },
  )
  const models = [
    ...ofDevices.map(({ data }) => data?.model),
    ...ofProducts.map(({ data }) => data?.publishedModel ?? data?.thingModel),
  ] as (Partial<ThingModel> | null | undefined)[]
  const found = models.flatMap(model => model?.properties ?? []).filter(({ access }) => access !== 'r')
  return [...new Map(found.map(property => [property.identifier, property])).values()]
}
