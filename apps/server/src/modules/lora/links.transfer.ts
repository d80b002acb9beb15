import { Type } from 'typebox'
import { AppError } from '../../lib/errors.ts'
import { type TransferSource, transferSource, within } from '../../lib/transfer-source.ts'
import * as connections from './connections.repo.ts'
import * as repo from './links.repo.ts'
import { createLinksService, type LinksDeps } from './links.service.ts'
import * as profiles from './profiles.repo.ts'

const Line = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64 }),
  product: Type.String({ maxLength: 64 }),
  connection: Type.String({ maxLength: 64 }),
  applicationId: Type.String({ maxLength: 64 }),
  profile: Type.String({ maxLength: 256 }),
})

/**
 * Where LoRaWAN products are connected, in the file of a company. Connections hold secrets and are made by hand: a link
 * is brought in once there is one of the same name, and ChirpStack is asked whether the application is there.
 */
export function linksTransfer(deps: LinksDeps): TransferSource {
  const missing = (reference: string) => new AppError('transfer.reference_missing', { params: { reference } })
  return transferSource({
    kind: 'lora_links',
    permissions: ['lora:write'],
    line: Line,
    pack: repo.namedLinks,
    async bring(scope, ctx, line, { existing, product }) {
      const productId = product(line.product)
      if (productId === undefined) throw missing(line.name)
      const there = await repo.findProduct(scope, productId)
      if (there && existing === 'keep') return { what: 'kept', id: null }
      const connectionId = await connections.idNamed(scope, line.connection)
      if (!connectionId) throw missing(line.connection)
      const profileId = await profiles.idNamed(scope, connectionId, line.profile)
      if (!profileId) throw missing(line.profile)
      const links = createLinksService({ ...deps, database: within(deps.database, scope) })
      await links.setProduct(ctx, productId, { connectionId, applicationId: line.applicationId, profileId })
      return { what: there ? 'replaced' : 'created', id: null }
    },
  })
}
