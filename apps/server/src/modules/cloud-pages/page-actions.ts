import type { Database } from '../../lib/database/database.ts'
import { fill, type TaskOutcome, type TriggerActionPort, type TriggerTask } from '../triggers/index.ts'
import { find } from './cloud-pages.repo.ts'

const MOST = 300

/** Actions of triggers that show a text on an open cloud page, or speak it there, with the rights of the trigger's owner. */
export function pageActions(database: Database): readonly TriggerActionPort[] {
  const run =
    (kind: 'popup' | 'speak') =>
    (task: TriggerTask): Promise<TaskOutcome> => {
      const { owner, action, context, trigger } = task
      if (owner && owner.kind !== 'system' && !owner.permissions.has('page:read'))
        return Promise.resolve({ result: 'skipped', message: 'permission.denied' })
      return database.withTenant(context, async scope => {
        const page = await find(scope, String(action.pageId))
        if (!page) return { result: 'failed', message: 'page.not_found' }
        if (page.state !== 'published') return { result: 'skipped', message: 'page.off_line' }
        scope.tell('page.message', {
          pageId: page.id,
          message: {
            kind,
            text: fill(String(action.text ?? ''), task).slice(0, MOST),
            level: task.on === 'clear' ? 0 : (trigger.level ?? 0),
          },
        })
        return { result: 'done' }
      })
    }
  return [
    { kind: 'page_popup', run: run('popup') },
    { kind: 'speak', run: run('speak') },
  ]
}
