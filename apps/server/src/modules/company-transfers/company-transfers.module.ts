import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { TasksModule } from '../tasks/index.ts'
import { abandon, expire, movedSince } from './company-transfers.repo.ts'
import { companyTransfersRoutes } from './company-transfers.routes.ts'
import { type CompanyTransfersDeps, createCompanyTransfers, TRANSFER_TASK } from './company-transfers.service.ts'
import { createTransferRun, type TransferRunDeps } from './transfer-run.ts'

export interface CompanyTransfersNeeds extends Omit<CompanyTransfersDeps, 'tasks'>, Omit<TransferRunDeps, 'secrets'> {
  tasks: Pick<TasksModule, 'service' | 'register'>
  seal(purpose: string): CryptoBox
}

const HOUR_MS = 3_600_000
/** By then every value of a device that moved is sealed. */
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
  return {
    routes: companyTransfersRoutes(createCompanyTransfers(needs)),
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

export const companyTransfersModule = defineModule({
  name: 'company-transfers',
  create: createCompanyTransfersModule,
})
