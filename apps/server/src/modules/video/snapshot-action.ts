import { systemContext } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import { isAppError } from '../../lib/errors.ts'
import type { TaskOutcome, TriggerActionPort, TriggerTask } from '../triggers/index.ts'
import * as repo from './channels.repo.ts'
import type { VideoControlService } from './video-control.service.ts'

/** A device with more cameras than these is looked at by the first ones. */
const MOST_CAMERAS = 4
/** What may be over in a moment. */
const PASSING: ReadonlySet<string> = new Set(['video.vendor_unreachable', 'video.too_often'])

/** The action of triggers that takes pictures, of one camera or of those bound to the device; they hang on the alarm. */
export function snapshotAction(
  { database, control }: { database: Database; control: Pick<VideoControlService, 'snapshot'> },
  now: () => number,
): TriggerActionPort {
  async function camerasFor({ action, device, context }: TriggerTask): Promise<string[]> {
    if (typeof action.channelId === 'string') return [action.channelId]
    if (!device) return []
    return database.withTenant(context, scope => repo.ofDevice(scope, device.id, MOST_CAMERAS))
  }

  return {
    kind: 'snapshot',
    async run(task): Promise<TaskOutcome> {
      const { owner, tenantId, alarmId } = task
      if (owner && owner.kind !== 'system' && !owner.permissions.has('video:control'))
        return { result: 'skipped', message: 'permission.denied' }
      const cameras = await camerasFor(task)
      if (cameras.length === 0) return { result: 'failed', message: 'video.no_camera' }
      const ctx = {
        ...systemContext(tenantId, 'trigger', now()),
        ...(owner ? { actor: owner } : {}),
        requestId: task.id,
      }
      const failures: string[] = []
      for (const id of cameras) {
        try {
          await control.snapshot(ctx, id, alarmId)
        } catch (error) {
          if (!isAppError(error)) throw error
          failures.push(error.code)
        }
      }
      // One picture is what was asked for; a camera of several that is offline is no failure of the action.
      if (failures.length < cameras.length) return { result: 'done' }
      const [message] = failures
      return { result: failures.some(code => PASSING.has(code)) ? 'again' : 'failed', message: message! }
    },
  }
}
