import { Words } from '@thingwright/contracts/common'
import { END_USER_RIGHTS } from '@thingwright/contracts/end-users.words'
import { Type } from 'typebox'
import type { Database } from '../../lib/database/database.ts'
import { type TransferSource, transferSource, within } from '../../lib/transfer-source.ts'
import * as repo from './packages.repo.ts'
import { createPackages } from './packages.service.ts'

const Line = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64 }),
  description: Type.String({ maxLength: 512 }),
  rights: Type.Array(Words(END_USER_RIGHTS), { maxItems: 50 }),
  menuKeys: Type.Union([Type.Array(Type.String({ maxLength: 128 }), { maxItems: 500 }), Type.Null()]),
  deviceQuota: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  // Files of before have none.
  mediaQuota: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
})

/** Packages of rights for end users in the file of a company; end users themselves are people and are not. */
export function packagesTransfer(database: Database): TransferSource {
  return transferSource({
    kind: 'user_packages',
    permissions: ['end-user:write'],
    line: Line,
    pack: async scope =>
      (await repo.list(scope)).map(({ name, description, rights, menuKeys, deviceQuota, mediaQuota }) => ({
        name,
        description,
        rights: rights as (typeof END_USER_RIGHTS)[number][],
        menuKeys,
        deviceQuota,
        mediaQuota,
      })),
    async bring(scope, ctx, line, { existing }) {
      const packages = createPackages({ database: within(database, scope) })
      const found = (await repo.list(scope)).find(({ name }) => name === line.name)
      if (!found) return { what: 'created', id: (await packages.create(ctx, line)).id }
      if (existing === 'keep') return { what: 'kept', id: found.id }
      await packages.update(ctx, found.id, { ...line, version: found.version })
      return { what: 'replaced', id: found.id }
    },
  })
}
