import type { QueryOf, ResponseOf } from '@thingwright/contracts'
import type { deviceMapContract } from '@thingwright/contracts/device-map.contract'
import type { Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { devicesOfMap } from './device-map.repo.ts'
import { deviceSelector } from './device-selector.views.ts'

type Cells = (typeof deviceMapContract)['cells']

/** Up to so many devices each has a mark of its own. */
const EACH = 200
/** Devices nearer to each other than this stand at one place: about a metre. */
const SAME_PLACE = 0.000_01
const MOST = 2_000

/** What stands in a part of the map, as far as the caller may see it. */
export function devicesOnMap(
  database: Database,
  ctx: Ctx,
  { west, south, east, north, cell, ...selection }: QueryOf<Cells>,
): Promise<ResponseOf<Cells>> {
  return database.withTenant(ctx, async scope => {
    const filter = await deviceSelector(scope, selection)
    const { counts, cells } = await devicesOfMap(scope, filter, {
      part: { west, south, east, north },
      cell,
      each: EACH,
      samePlace: SAME_PLACE,
      limit: MOST + 1,
    })
    return {
      items: cells.slice(0, MOST).map(({ id, name, deviceNo, productName, link, ...row }) => ({
        ...row,
        device:
          id === null
            ? null
            : { id, name: name ?? '', deviceNo: deviceNo ?? '', productName: productName ?? '', link: link ?? 'never' },
      })),
      count: counts.inside,
      located: counts.located,
      unlocated: counts.unlocated,
      truncated: cells.length > MOST,
    }
  })
}
