import { Type } from 'typebox'
import { AppError } from '../../lib/errors.ts'
import { type TransferSource, transferSource, within } from '../../lib/transfer-source.ts'
import * as keys from './keys.repo.ts'
import { createLinksService, type LinksDeps } from './links.service.ts'
import * as repo from './products.repo.ts'

const Line = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64 }),
  product: Type.String({ maxLength: 64 }),
  key: Type.String({ maxLength: 64 }),
  platformProduct: Type.String({ maxLength: 64 }),
})

/**
 * Which product of which platform NB-IoT products are, in the file of a company. Keys are made by hand, and a product of
 * CTWing has a Master-APIkey that is in no file: it is brought in where it has one here already.
 */
export function linksTransfer(deps: LinksDeps): TransferSource {
  const missing = (reference: string) => new AppError('transfer.reference_missing', { params: { reference } })
  return transferSource({
    kind: 'telecom_links',
    permissions: ['telecom-key:write'],
    line: Line,
    pack: repo.namedLinks,
    async bring(scope, ctx, line, { existing, product }) {
      const productId = product(line.product)
      if (productId === undefined) throw missing(line.name)
      const there = await repo.find(scope, productId)
      if (there && existing === 'keep') return { what: 'kept', id: null }
      const keyId = await keys.idNamed(scope, line.key)
      if (!keyId) throw missing(line.key)
      const links = createLinksService({ ...deps, database: within(deps.database, scope) })
      await links.setProduct(ctx, productId, { keyId, platformProduct: line.platformProduct })
      return { what: there ? 'replaced' : 'created', id: null }
    },
  })
}
