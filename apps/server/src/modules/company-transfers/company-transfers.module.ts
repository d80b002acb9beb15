import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { SearchSource } from '../../lib/found.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { TasksModule } from '../tasks/index.ts'
import { abandon, expire, movedSince } from './company-transfers.repo.ts'
import { companyTransfersRoutes } from './company-transfers.routes.ts'
import {
  type CompanyTransfersDeps,
  type CompanyTransfersService,
  createCompanyTransfers,
  TRANSFER_TASK,
} from './company-transfers.service.ts'
import { companyTransfersTools } from './company-transfers.tools.ts'
import { createTransferRun, type TransferRunDeps } from './transfer-run.ts'
import words from './transfer-words.json' with { type: 'json' }

export interface CompanyTransfersNeeds extends Omit<CompanyTransfersDeps, 'tasks'>, Omit<TransferRunDeps, 'secrets'> {
  tasks: Pick<TasksModule, 'service' | 'register'>
  seal(purpose: string): CryptoBox
}

const HOUR_MS = 3_600_000
/** Time after which every value of a moved device is sealed, ms. */
const LATE_MS = 26 * HOUR_MS

export function createCompanyTransfersModule(needs: CompanyTransfersNeeds): ModuleParts {
  const { database } = needs
  const { run, moveHistoryOf } = createTransferRun({ ...needs, secrets: needs.seal('device-secret') })
  needs.tasks.register(TRANSFER_TASK, {
    run,
    needs: () => ['company-transfer:write'],
    wholeCompany: true,
    resumable: true,
  })
  const service = createCompanyTransfers(needs)
  return {
    routes: companyTransfersRoutes(service),
    search: [found(service)],
    sweeps: [
      {
        name: 'offers of devices that nobody took',
        run: now =>
          database.withSystemScope('company-transfers', async scope => {
            await expire(scope, new Date(now))
            await abandon(scope, new Date(now - HOUR_MS))
          }),
      },
      {
        name: 'values that were sealed after their device had moved',
        async run(now) {
          const late = await database.withSystemScope('company-transfers', scope =>
            movedSince(scope, new Date(now - LATE_MS)),
          )
          for (const { id, tenantId, nums } of late) await moveHistoryOf({ tenantId }, id, nums)
        },
      },
    ],
  }
}

const found = (service: CompanyTransfersService): SearchSource => ({
  kind: 'company_transfer',
  permission: 'company-transfer:read',
  find: async (ctx, q, limit) =>
    (await service.search(ctx, q, limit)).map(row => ({
      id: row.id,
      title: [words[ctx.locale][row.direction], row.direction === 'out' ? row.toName : row.fromName]
        .filter(Boolean)
        .join(' · '),
      subtitle: [`${row.total} ${words[ctx.locale][row.total === 1 ? 'device' : 'devices']}`, row.note]
        .filter(Boolean)
        .join(' · '),
      link: `/manage/company-transfers?transfer=${row.id}`,
    })),
})

export const companyTransfersModule = defineModule({
  name: 'company-transfers',
  tools: companyTransfersTools,
  create: createCompanyTransfersModule,
})
