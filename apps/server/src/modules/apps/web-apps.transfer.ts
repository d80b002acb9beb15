import { randomBytes } from 'node:crypto'
import { PORTAL_IMAGES } from '@thingwright/contracts/apps.words'
import { Words } from '@thingwright/contracts/common'
import { PortalView } from '@thingwright/contracts/web-apps.contract'
import { Type } from 'typebox'
import type { Database } from '../../lib/database/database.ts'
import { type TransferSource, transferSource, within } from '../../lib/transfer-source.ts'
import * as repo from './web-apps.repo.ts'
import type { WebAppsService } from './web-apps.service.ts'

const { appId: _, stamp: __, images: ___, ...brand } = PortalView.properties
const Line = Type.Object({
  ...brand,
  pictures: Type.Array(Type.Object({ kind: Words(PORTAL_IMAGES), data: Type.String({ maxLength: 750_000 }) }), {
    maxItems: PORTAL_IMAGES.length,
  }),
})

/**
 * The brand, menus and pictures of the portal in the file of a company. Its host and certificate belong to one
 * installation and stay there; it comes in disabled, because people are to look at it first.
 */
export function webAppsTransfer(
  database: Database,
  serviceOf: (database: Database) => Pick<WebAppsService, 'create' | 'update' | 'setImage'>,
): TransferSource {
  return transferSource({
    kind: 'portals',
    permissions: ['app:write'],
    line: Line,
    async pack(scope) {
      const rows = await repo.list(scope)
      return Promise.all(
        rows.map(async row => ({
          suffix: row.suffix,
          name: row.name,
          nameEn: row.nameEn,
          colour: row.colour,
          copyright: row.copyright,
          icp: row.icp,
          language: row.language,
          menus: row.menus,
          home: row.home,
          pictures: (await repo.imagesOf(scope, row.id)).map(({ kind, type, bytes }) => ({
            kind,
            data: `data:${type};base64,${bytes.toString('base64')}`,
          })),
        })),
      )
    },
    async bring(scope, ctx, { suffix, pictures, ...line }, { existing }) {
      const [found] = await repo.list(scope)
      if (found && existing === 'keep') return { what: 'kept', id: found.id }
      const service = serviceOf(within(database, scope))
      let row: { id: string; version: number } | undefined = found
      if (!row) {
        const isTaken = await database.withSystemScope('apps', system => repo.isSuffixTaken(system, suffix))
        // The address is another company's here: this one gets its own.
        const own = isTaken ? `${suffix.slice(0, 25)}-${randomBytes(3).toString('hex')}` : suffix
        row = await service.create(ctx, { name: line.name, suffix: own })
      }
      for (const { kind, data } of pictures) row = await service.setImage(ctx, { id: row.id, kind }, data)
      await service.update(ctx, row.id, { ...line, version: row.version })
      return { what: found ? 'replaced' : 'created', id: row.id }
    },
  })
}
