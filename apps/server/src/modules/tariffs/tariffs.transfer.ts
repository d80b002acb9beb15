import { Rates } from '@thingwright/contracts/tariffs.contract'
import { Type } from 'typebox'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import { type TransferSource, transferSource, within } from '../../lib/transfer-source.ts'
import * as repo from './tariffs.repo.ts'
import { createTariffsService } from './tariffs.service.ts'

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
const Line = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64 }),
  unit: Type.String({ minLength: 1, maxLength: 32 }),
  remark: Type.String({ maxLength: 1000 }),
  versions: Type.Array(Type.Object({ validFrom: Day, validTo: Type.Union([Day, Type.Null()]), rates: Rates }), {
    minItems: 1,
    maxItems: 500,
  }),
})

/**
 * Tariffs with all their prices in the file of a company. One that is here already stays as it is, because bills were
 * made by its prices.
 */
export function tariffsTransfer(database: Database): TransferSource {
  return transferSource({
    kind: 'tariffs',
    permissions: ['money:write'],
    line: Line,
    async pack(scope) {
      const tariffs = await repo.all(scope)
      return Promise.all(
        tariffs.map(async ({ id, name, unit, remark }) => ({
          name,
          unit,
          remark,
          versions: (await repo.versions(scope, id)).map(({ validFrom, validTo, rates }) => ({
            validFrom,
            validTo,
            rates,
          })),
        })),
      )
    },
    async bring(scope, ctx, { versions, ...line }) {
      const found = await repo.idNamed(scope, line.name)
      if (found !== null) return { what: 'kept', id: found }
      const tariffs = createTariffsService({ database: within(database, scope) })
      const [first, ...others] = versions
      if (!first) throw new AppError('tariff.last_version')
      const { id } = await tariffs.create(ctx, { ...line, ...first })
      for (const version of others) await tariffs.addVersion(ctx, id, version)
      return { what: 'created', id }
    },
  })
}
