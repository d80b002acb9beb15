import type { Actor } from '../../lib/context.ts'
import type { Database, TenantContext } from '../../lib/database/database.ts'
import { beginRun } from './runs.service.ts'
import { find } from './scenes.repo.ts'

/** What a trigger asks for, as far as a scene needs it. */
interface SceneTask {
  tenantId: string
  trigger: { name: string; ownerId: string | null }
  action: Record<string, unknown>
  owner: Actor | undefined
  context: TenantContext
}

/** The action of triggers that runs a scene, with the rights of the trigger's owner. */
export function sceneAction(database: Database, now: () => number) {
  return {
    kind: 'scene',
    async run({
      tenantId,
      trigger,
      action,
      owner,
      context,
    }: SceneTask): Promise<{ result: 'done' | 'failed' | 'skipped'; message?: string }> {
      if (owner && owner.kind !== 'system' && !owner.permissions.has('device:command'))
        return { result: 'skipped', message: 'permission.denied' }
      return database.withTenant(context, async scope => {
        const scene = await find(scope, String(action.sceneId))
        if (!scene) return { result: 'failed', message: 'scene.not_found' }
        await beginRun(scope, {
          tenantId,
          sceneId: scene.id,
          name: scene.name,
          actions: scene.actions,
          cause: 'trigger',
          ownerId: trigger.ownerId,
          byName: trigger.name,
          now: now(),
        })
        scope.tell('timed_tasks.due', {})
        return { result: 'done' }
      })
    },
  }
}
