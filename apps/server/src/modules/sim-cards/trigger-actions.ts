import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import type { TaskOutcome, TriggerActionPort, TriggerTask } from '../triggers/index.ts'
import * as repo from './cards.repo.ts'
import type { OperationsService } from './operations.service.ts'

/**
 * An action of triggers that queues an operation: for the card that caused it, or for the one in the device. The
 * operation goes the way of every other, with its pause, its outcome and its line in the history.
 */
export function operationAction(
  kind: 'sim_stop' | 'sim_limit',
  { database, operations }: { database: Database; operations: Pick<OperationsService, 'operate'> },
  now: () => number,
): TriggerActionPort {
  async function cardFor({ values, device, context }: TriggerTask): Promise<repo.CardRow | undefined> {
    const iccid = values.find(({ property }) => property === 'iccid')?.value
    return database.withTenant(context, async scope => {
      const card =
        typeof iccid === 'string'
          ? await repo.ofIccid(scope, iccid)
          : device
            ? await repo.ofDevice(scope, device.id)
            : undefined
      return card
    })
  }

  return {
    kind,
    async run(task): Promise<TaskOutcome> {
      const { owner, tenantId, action } = task
      if (owner && owner.kind !== 'system' && !owner.permissions.has('sim-card:operate'))
        return { result: 'skipped', message: 'permission.denied' }
      const card = await cardFor(task)
      if (!card) return { result: 'failed', message: 'sim_card.not_found' }
      // It was stopped before: nothing is left to do.
      if (kind === 'sim_stop' && card.state === 'stopped') return { result: 'done' }
      const ctx = {
        ...systemContext(tenantId, 'trigger', now()),
        ...(owner ? { actor: owner } : {}),
        requestId: task.id,
      }
      const wanted =
        kind === 'sim_stop'
          ? { action: 'stop' as const }
          : { action: 'limit' as const, speedKbps: String(action.speedKbps) as '128' }
      try {
        await operations.operate(ctx, card.id, wanted)
        return { result: 'done' }
      } catch (error) {
        if (!isAppError(error)) throw error
        return { result: error.code === 'sim_card.operation_open' ? 'again' : 'failed', message: error.code }
      }
    },
  }
}
